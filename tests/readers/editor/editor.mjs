// editor.mjs FLEET: yaml-language-server, as editors run it, on documents of a repository that `osm-gen init --editor` made, and on
// wrong variants of them. A document finds its schema by its first line.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node.js";

const fleet = resolve(process.argv[2]);
const schema = JSON.parse(readFileSync(join(fleet, "osm-gen.schema.json"), "utf8"));
const LONGEST_MS = 20000;
let passed = 0;
let failed = 0;

function check(name, holds, detail) {
  if (holds) {
    passed++;
    return;
  }
  failed++;
  console.log(`not ok: ${name}\n    ${JSON.stringify(detail)}`);
}

// ---- the server ----------------------------------------------------------------------------------------------

const server = spawn(process.execPath, [createRequire(import.meta.url).resolve("yaml-language-server/bin/yaml-language-server"), "--stdio"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const connection = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
const settings = { yaml: { validate: true, hover: true, completion: true, schemaStore: { enable: false } } };
const waiting = new Map(); // of each URI: what takes the next diagnostics of it
connection.onNotification("textDocument/publishDiagnostics", ({ uri, diagnostics }) => waiting.get(uri)?.(diagnostics));
connection.onRequest("workspace/configuration", ({ items }) => items.map(({ section }) => settings[section] ?? {}));
connection.onRequest("client/registerCapability", () => null);
connection.listen();
const rootUri = pathToFileURL(fleet).href;
await connection.sendRequest("initialize", {
  processId: process.pid,
  rootUri,
  workspaceFolders: [{ uri: rootUri, name: "fleet" }],
  capabilities: { workspace: { configuration: true }, textDocument: { hover: { contentFormat: ["plaintext"] } } },
});
await connection.sendNotification("initialized", {});
await connection.sendNotification("workspace/didChangeConfiguration", { settings });

/** Opens a text at a path of the repository, and returns its URI and what the server reports. */
let opened = 0;
async function open(path, text) {
  // A name of its own in the same folder, from which the first line leads to the schema.
  const uri = pathToFileURL(join(fleet, path.replace(/[^/]*$/, (name) => `${++opened}-${name}`))).href;
  const reported = new Promise((take, refuse) => {
    const timer = setTimeout(() => refuse(new Error(`no diagnostics of ${path} came`)), LONGEST_MS);
    waiting.set(uri, (diagnostics) => {
      clearTimeout(timer);
      take(diagnostics);
    });
  });
  await connection.sendNotification("textDocument/didOpen", { textDocument: { uri, languageId: "yaml", version: 1, text } });
  return { uri, diagnostics: await reported };
}

/** The position after a piece of a text, which occurs once. */
function after(text, piece) {
  const at = text.indexOf(piece);
  if (at < 0 || text.indexOf(piece, at + 1) >= 0) throw new Error(`"${piece}" is not there once`);
  const before = text.slice(0, at + piece.length).split("\n");
  return { line: before.length - 1, character: before.at(-1).length };
}

/** Another text for a piece. */
function replaced(text, piece, other) {
  after(text, piece);
  return text.replace(piece, () => other);
}

// ---- documents ---------------------------------------------------------------------------------------------

// Of each document: what is wrong in a variant, the piece that is replaced, and the text in its place.
const DOCUMENTS = {
  "osm-gen.yaml": {
    wrong: [
      ["a misspelt member", "recipients:", "recipient:"],
      ["a wrong type", "contract: 1", "contract: [1]"],
      ["a wrong choice", "format: sops", "format: gpg"],
      ["a misspelt setting", "clusterDNS:", "clusterDns:"],
    ],
    hover: [["format: sops", "Fleet.v1alpha1.sealing", "format"], ["clusterDNS:", "Fleet.v1alpha1.settings", "clusterDNS"]],
    complete: [["sealing:\n", "    ", "Fleet.v1alpha1.sealing"], ["defaults:\n", "    ", "Fleet.v1alpha1.settings"]],
  },
  "clusters/example/osm-gen.yaml": {
    wrong: [
      ["a misspelt setting", "externalCloudProvider:", "externalCloudProvder:"],
      ["a wrong type", "externalCloudProvider: true", "externalCloudProvider: [true]"],
    ],
    hover: [["externalCloudProvider:", "Cluster.v1alpha1.settings", "externalCloudProvider"]],
    complete: [["settings:\n", "    ", "Cluster.v1alpha1.settings"]],
  },
  "clusters/example/workers.yaml": {
    wrong: [
      ["a misspelt member of cloudProviderSpec", "serverType: cx22", "serverTyp: cx22"],
      ["a wrong type in cloudProviderSpec", "serverType: cx22", "serverType: [cx22]"],
      ["a wrong operating system", "operatingSystem: ubuntu", "operatingSystem: debian"],
      ["a wrong cloud", "cloudProvider: hetzner", "cloudProvider: hetzer"],
      ["a misspelt member of operatingSystemSpec", "distUpgradeOnBoot: false", "distUpgradeOnBot: false"],
      ["a wrong type", "replicas: 1", "replicas: one"],
      ["a misspelt key of providerSpec.value", "sshPublicKeys: []", "sshPublicKey: []"],
    ],
    hover: [["serverType:", "MachineDeployment.v1alpha1.hetzner", "serverType"], ["operatingSystemSpec:", "MachineDeployment.v1alpha1.Config", "operatingSystemSpec"]],
    complete: [["value:\n", "          ", "MachineDeployment.v1alpha1.Config"],
      ["cloudProviderSpec: {serverType: cx22, ", "", "MachineDeployment.v1alpha1.hetzner"]],
  },
  "clusters/example/profile.yaml": {
    wrong: [
      ["a misspelt member", "osVersion:", "osVersoin:"],
      ["a wrong type", "osName: ubuntu", "osName: [ubuntu]"],
      ["a wrong choice", "osName: ubuntu", "osName: debian"],
    ],
    hover: [["osVersion:", "OperatingSystemProfile.v1alpha1.Spec", "osVersion"]],
    complete: [["\n  bootstrapConfig:\n", "    ", "OperatingSystemProfile.v1alpha1.Configuration"]],
  },
  "clusters/example/kubeone.yaml": {
    wrong: [
      ["a misspelt member", "versions:", "version:"],
      ["a wrong type", "replicas: 2", "replicas: two"],
      ["a member of none of the clouds", "{hetzner: {}}", "{hetzer: {}}"],
    ],
    hover: [["replicas:", "KubeOneCluster.v1beta3.WorkerSet", "replicas"]],
    complete: [["- name: pool1\n", "  ", "KubeOneCluster.v1beta3.WorkerSet"]],
  },
};

for (const [path, { wrong, hover, complete }] of Object.entries(DOCUMENTS)) {
  const text = readFileSync(join(fleet, path), "utf8");
  const { uri, diagnostics } = await open(path, text);
  check(`${path}: nothing is wrong`, diagnostics.length === 0, diagnostics);
  for (const [name, piece, other] of wrong) {
    const { line } = after(text, piece);
    const { diagnostics: found } = await open(path, replaced(text, piece, other));
    check(`${path}: ${name}: in its line`, found.some(({ range }) => range.start.line === line), { line, found });
  }
  for (const [piece, definition, member] of hover) {
    const { line, character } = after(text, piece);
    const wanted = schema.definitions[definition].properties[member].description;
    const shown = await connection.sendRequest("textDocument/hover", {
      textDocument: { uri },
      position: { line, character: character - piece.length + 1 },
    });
    check(`${path}: ${member} has a help text`, wanted?.length > 10, wanted);
    check(`${path}: it is shown at ${member}`, JSON.stringify(shown?.contents ?? "").replaceAll("\\\\", "").includes(wanted), { shown, wanted });
  }
  for (const [piece, indent, definition] of complete) {
    // A line of its own for the member that is being typed, or the place behind a comma.
    const draft = replaced(text, piece, indent ? `${piece}${indent}\n` : piece);
    const start = after(draft, piece);
    const { uri: typed } = await open(path, draft);
    const list = await connection.sendRequest("textDocument/completion", {
      textDocument: { uri: typed },
      position: { line: start.line, character: start.character + indent.length },
    });
    const offered = new Set((list.items ?? list).map(({ label }) => label));
    const members = Object.keys(schema.definitions[definition].properties);
    // Those that are there already are not offered. A definition's name stands for all that it requires.
    const missing = members.filter((name) => !offered.has(name) && !text.includes(`${name}:`));
    const strange = [...offered].filter((label) => !members.includes(label) && !/[ .]|^null$/.test(label));
    check(`${path}: the members of ${definition} are offered`, offered.size > 0 && missing.length === 0, { missing, offered: [...offered] });
    check(`${path}: no others are offered`, strange.length === 0, strange);
  }
}

// ---- VS Code's settings: a document without the first line --------------------------------------------------------

Object.assign(settings.yaml, { schemas: JSON.parse(readFileSync(join(fleet, ".vscode/settings.json"), "utf8"))["yaml.schemas"] });
await connection.sendNotification("workspace/didChangeConfiguration", { settings });
for (const [path, { wrong }] of Object.entries(DOCUMENTS)) {
  const text = readFileSync(join(fleet, path), "utf8").replace(/^# yaml-language-server: .*/, "#");
  const { diagnostics } = await open(path, text);
  check(`${path}: by VS Code's settings: nothing is wrong`, diagnostics.length === 0, diagnostics);
  const [name, piece, other] = wrong[0];
  const { diagnostics: found } = await open(path, replaced(text, piece, other));
  check(`${path}: by VS Code's settings: ${name}`, found.some(({ range }) => range.start.line === after(text, piece).line), found);
}
// Documents of other programs are passed over.
const { diagnostics } = await open("values.yaml", "image: {tag: 1}\nkind: 7\n");
check("a document of another program", diagnostics.length === 0, diagnostics);

console.log(`${passed} passed, ${failed} failed`);
await connection.sendRequest("shutdown");
connection.sendNotification("exit");
connection.end();
process.exit(failed > 0 ? 1 : 0);
