// read.js sops IDENTITY FILE: a sealed file, opened by npm's sops-age, as JSON.
// read.js vectors FOLDER: the age test vectors of C2SP, a file each.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [what, ...rest] = process.argv.slice(2);
if (what === "sops") {
  const { decryptSops } = await import("sops-age");
  const [identity, file] = rest;
  const secretKey = readFileSync(identity, "utf8").split("\n").find((line) => line.startsWith("AGE-SECRET-KEY-"));
  const opened = await decryptSops(readFileSync(file, "utf8"), { fileType: "yaml", secretKey });
  process.stdout.write(JSON.stringify(opened));
} else if (what === "vectors") {
  const vectors = await import("cctv-age");
  const [folder] = rest;
  mkdirSync(folder, { recursive: true });
  const all = { ...vectors, ...vectors.default };
  let count = 0;
  for (const [name, value] of Object.entries(all)) {
    if (value instanceof Uint8Array) {
      writeFileSync(join(folder, name), value);
      count++;
    }
  }
  if (count === 0) throw new Error("no test vectors in cctv-age");
} else {
  throw new Error("usage: read.js sops IDENTITY FILE | read.js vectors FOLDER");
}
