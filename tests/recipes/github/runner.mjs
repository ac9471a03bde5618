// A runner of GitHub Actions for one job of a workflow: node runner.mjs JOB.json, where JOB.json has
//   workflow    the workflow's file           workspace   GITHUB_WORKSPACE, empty       temp      RUNNER_TEMP, empty
//   github      the context github            secrets     the context secrets           vars      the context vars
//   tokens      what github.token is for contents: read and write, for pull-requests: write (comment), and for both (propose)
//   artifacts   a folder for uploads
//   environment variables of the host         environments  {NAME: {secrets, vars}}
//   repositories  {OWNER/NAME: URL}, of actions that others publish
//   job         its name, or else the first   matrix      the context matrix, for one of a job's
// It validates with GitHub's own parser, evaluates with GitHub's own expressions, and otherwise follows what GitHub documents:
// order and conditions of steps, env of workflow, job and step, working-directory, GITHUB_OUTPUT, GITHUB_ENV, GITHUB_PATH and
// GITHUB_STEP_SUMMARY, composite actions with their inputs and outputs, workflow commands and stop-commands of the log, secrets
// that forks and pull requests of forks do not get. Of others' actions it knows three: checkout, upload-artifact and
// download-artifact.
// Prints JSON: errors, steps (name, conclusion), log, commands (what the log asked of the runner), summary, outputs.
import {spawnSync} from "node:child_process";
import fs from "node:fs";
import {register} from "node:module";
import path from "node:path";

// The parser imports its schema as bundlers have it: JSON without a word that it is.
const hook = `import fs from "node:fs"; export async function load(url, context, next) {
    if (!url.endsWith(".json")) return next(url, context);
    return {format: "module", shortCircuit: true, source: "export default " + fs.readFileSync(new URL(url), "utf8")}; }`;
register("data:text/javascript," + encodeURIComponent(hook));
const {Evaluator, Lexer, Parser, data} = await import("@actions/expressions");
const {parseWorkflow, NoOperationTraceWriter} = await import("@actions/workflow-parser");
const {parseAction} = await import("@actions/workflow-parser/actions/action-parser");
const {default: YAML} = await import("yaml");

const job = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const result = {errors: [], steps: [], log: "", commands: [], summary: "", environment: {}};

// ---- expressions -------------------------------------------------------------------------------

function wrap(value) {
    if (value === null || value === undefined) return new data.Null();
    if (typeof value === "string") return new data.StringData(value);
    if (typeof value === "number") return new data.NumberData(value);
    if (typeof value === "boolean") return new data.BooleanData(value);
    if (Array.isArray(value)) return new data.Array(...value.map(wrap));
    return new data.Dictionary(...Object.entries(value).map(([key, member]) => ({key, value: wrap(member)})));
}

function evaluate(text, contexts, status) {
    const functions = Object.entries({
        always: () => true,
        success: () => status === "success",
        failure: () => status === "failure",
        cancelled: () => false,
    }).map(([name, call]) => ({name, minArgs: 0, maxArgs: 0, call: () => new data.BooleanData(call())}));
    const parsed = new Parser(new Lexer(text).lex().tokens, Object.keys(contexts), functions).parse();
    return new Evaluator(parsed, wrap(contexts), new Map(functions.map((one) => [one.name, one]))).evaluate();
}

// Texts with ${{ }} in them; a list or a map member by member.
function fill(value, contexts, status = "success") {
    if (typeof value === "string")
        return value.replace(/\$\{\{([\s\S]*?)\}\}/g, (_, text) => evaluate(text, contexts, status).coerceString());
    if (Array.isArray(value)) return value.map((one) => fill(one, contexts, status));
    if (value && typeof value === "object")
        return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, contexts, status)]));
    return value;
}

function holds(condition, contexts, status) {
    let text = String(condition ?? "").trim().replace(/^\$\{\{([\s\S]*)\}\}$/, "$1").trim();
    if (!/\b(always|success|failure|cancelled)\s*\(/.test(text)) text = text ? `success() && (${text})` : "success()";
    const value = evaluate(text, contexts, status);
    return !["", "0", "false"].includes(value.coerceString());
}

// ---- the log, and what it asks for -------------------------------------------------------------

let stopped = null;
function readLog(text) {
    result.log += text;
    for (const line of text.split(/\r?\n/)) {
        const now = line.match(/^\s*::([A-Za-z0-9_-]+)(?: ([^:]*))?::(.*)$/);
        const before = line.match(/##\[([A-Za-z0-9_-]+)(?: ([^\]]*))?\](.*)$/);
        const command = now ?? before;
        if (!command) continue;
        if (stopped !== null) {
            if (now && command[1] === stopped) stopped = null;
            continue;
        }
        if (command[1] === "stop-commands") stopped = command[3];
        else result.commands.push({name: command[1], properties: command[2] ?? "", text: command[3]});
    }
}

// NAME=VALUE, and NAME<<MARK with lines up to the mark.
function readPairs(file) {
    const pairs = {};
    const lines = fs.readFileSync(file, "utf8").split("\n");
    for (let i = 0; i < lines.length; i++) {
        const long = lines[i].match(/^([^=]*?)<<(.+)$/);
        if (long) {
            const end = lines.indexOf(long[2], i + 1);
            if (end < 0) throw new Error(`no ${long[2]} behind ${lines[i]}`);
            pairs[long[1]] = lines.slice(i + 1, end).join("\n");
            i = end;
        } else if (lines[i].includes("=")) {
            pairs[lines[i].slice(0, lines[i].indexOf("="))] = lines[i].slice(lines[i].indexOf("=") + 1);
        } else if (lines[i]) throw new Error(`neither NAME=VALUE nor NAME<<MARK: ${lines[i]}`);
    }
    return pairs;
}

// ---- steps -------------------------------------------------------------------------------------

let files = 0;
let paths = [];
let moreEnv = {};

function runScript(step, contexts, env) {
    const file = (name) => {
        const made = path.join(job.temp, `_runner_${name}_${files++}`);
        fs.writeFileSync(made, "");
        return made;
    };
    const [output, environment, extra, summary, script] = ["output", "env", "path", "summary", "script.sh"].map(file);
    if (step.shell !== "bash") throw new Error(`shell ${step.shell}`);
    fs.writeFileSync(script, fill(step.run, contexts));
    const github = contexts.github;
    const done = spawnSync("bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", script], {
        cwd: path.resolve(job.workspace, fill(step["working-directory"] ?? ".", contexts)),
        env: {
            ...job.environment, CI: "true", GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: job.workspace, RUNNER_TEMP: job.temp,
            GITHUB_SHA: github.sha, GITHUB_REF: github.ref, GITHUB_REF_NAME: github.ref_name, GITHUB_HEAD_REF: github.head_ref,
            GITHUB_BASE_REF: github.base_ref, GITHUB_EVENT_NAME: github.event_name, GITHUB_REPOSITORY: github.repository,
            GITHUB_REPOSITORY_OWNER: github.repository.split("/")[0],
            GITHUB_SERVER_URL: github.server_url, GITHUB_API_URL: github.api_url, ...moreEnv, ...env,
            GITHUB_OUTPUT: output, GITHUB_ENV: environment, GITHUB_PATH: extra, GITHUB_STEP_SUMMARY: summary,
            PATH: [...paths, job.environment.PATH].join(":"),
        },
        stdio: ["ignore", "pipe", "pipe"], encoding: "utf8", maxBuffer: 1 << 28,
    });
    readLog(done.stdout);
    readLog(done.stderr);
    result.summary += fs.readFileSync(summary, "utf8");
    moreEnv = {...moreEnv, ...readPairs(environment)};
    paths = [...fs.readFileSync(extra, "utf8").split("\n").filter(Boolean), ...paths];
    return {ok: done.status === 0, outputs: readPairs(output)};
}

function git(words, options = {}) {
    const done = spawnSync("git", words, {cwd: job.workspace, env: {...job.environment, HOME: job.temp}, encoding: "utf8", ...options});
    if (done.status !== 0) throw new Error(`git ${words.join(" ")}: ${done.stderr}`);
}

// As actions/checkout: the event's ref at the event's commit; a branch by its name, a pull request detached.
function checkout(inputs, contexts) {
    const {ref, sha, server_url, repository} = contexts.github;
    const depth = inputs["fetch-depth"] ?? 1;
    git(["init", "-q", "-b", "runner"]);
    git(["remote", "add", "origin", `${server_url}/${repository}.git`]);
    if (String(inputs["persist-credentials"] ?? true) !== "false") {
        const header = Buffer.from(`x-access-token:${contexts.github.token}`).toString("base64");
        git(["config", `http.${server_url}/.extraheader`, `AUTHORIZATION: basic ${header}`]);
    }
    const words = depth == 0 ? [] : [`--depth=${depth}`];
    const branch = ref.match(/^refs\/heads\/(.*)$/);
    const local = branch ? `refs/remotes/origin/${branch[1]}` : ref.replace(/^refs\//, "refs/remotes/");
    git(["fetch", "-q", "--no-tags", ...words, "origin", `+${sha}:${local}`]);
    git(branch ? ["checkout", "-q", "-B", branch[1], local] : ["checkout", "-q", "--detach", local]);
    return {ok: true, outputs: {}};
}

function upload(inputs) {
    const isFolder = fs.existsSync(inputs.path) && fs.statSync(inputs.path).isDirectory();
    const found = isFolder ? fs.readdirSync(inputs.path).length > 0 : fs.existsSync(inputs.path);
    if (isFolder) {
        const to = path.join(job.artifacts, inputs.name);
        if (fs.existsSync(to) && String(inputs.overwrite) !== "true") throw new Error(`an artifact of that name: ${inputs.name}`);
        fs.rmSync(to, {recursive: true, force: true});
        fs.cpSync(inputs.path, to, {recursive: true});
    } else if (found) fs.copyFileSync(inputs.path, path.join(job.artifacts, `${inputs.name}-${path.basename(inputs.path)}`));
    return {ok: found || inputs["if-no-files-found"] !== "error", outputs: {}};
}

// As actions/download-artifact with a pattern: each artifact in a folder of its name, or all in one.
function download(inputs) {
    const pattern = new RegExp("^" + inputs.pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*") + "$");
    for (const name of fs.readdirSync(job.artifacts).filter((one) => pattern.test(one))) {
        const to = String(inputs["merge-multiple"]) === "true" ? inputs.path : path.join(inputs.path, name);
        fs.cpSync(path.join(job.artifacts, name), to, {recursive: true});
    }
    return {ok: true, outputs: {}};
}

// An action of another repository, by its commit: git refuses other content of that name.
function remoteAction(uses) {
    const [, repository, folder, commit] = uses.match(/^([^/@]+\/[^/@]+)\/([^@]+)@([0-9a-f]{40})$/) ?? [];
    if (!job.repositories?.[repository]) return null;
    const clone = path.join(job.temp, "_actions", repository, commit);
    fs.mkdirSync(clone, {recursive: true});
    git(["init", "-q"], {cwd: clone});
    git(["fetch", "-q", "--depth=1", job.repositories[repository], commit], {cwd: clone});
    git(["checkout", "-q", "--detach", commit], {cwd: clone});
    return path.join(clone, folder);
}

function composite(step, contexts, folder) {
    const file = ["action.yml", "action.yaml"].map((name) => path.join(folder, name)).find(fs.existsSync);
    const text = fs.readFileSync(file, "utf8");
    const parsed = parseAction({name: step.uses, content: text}, new NoOperationTraceWriter());
    result.errors.push(...parsed.context.errors.getErrors().map((one) => one.message));
    const action = YAML.parse(text);
    const given = fill(step.with ?? {}, contexts);
    const inputs = {};
    for (const [name, input] of Object.entries(action.inputs ?? {})) {
        inputs[name] = String(given[name] ?? fill(String(input.default ?? ""), contexts));
        if (input.required && !(name in given)) result.errors.push(`${step.uses}: no input ${name}`);
    }
    for (const name of Object.keys(given)) if (!(name in inputs)) result.errors.push(`${step.uses}: unknown input ${name}`);
    // An action sees neither secrets nor variables, but through its inputs.
    const inner = {github: contexts.github, runner: contexts.runner, job: contexts.job, env: contexts.env, inputs, steps: {}};
    const status = runSteps(action.runs.steps, inner, contexts.env);
    const outputs = Object.fromEntries(Object.entries(action.outputs ?? {}).map(([name, one]) => [name, fill(one.value, inner)]));
    return {ok: status === "success", outputs};
}

// An action that cannot be fetched ends the job, before any of it runs.
function published(step, contexts) {
    let folder;
    try {
        folder = remoteAction(step.uses);
    } catch (error) {
        readLog(`${error.message}\n`);
        return {ok: false, outputs: {}};
    }
    if (!folder) throw new Error(`unknown action: ${step.uses}`);
    return composite(step, contexts, folder);
}

function runSteps(steps, contexts, env) {
    let status = "success";
    for (const step of steps) {
        const name = step.name ?? step.uses ?? step.run;
        if (!holds(step.if, contexts, status)) {
            result.steps.push({name, conclusion: "skipped"});
            continue;
        }
        const own = {...env, ...fill(step.env ?? {}, contexts)};
        const here = {...contexts, env: own};
        for (const key of Object.keys(own)) own[key] = String(own[key]);
        let done;
        if (step.run !== undefined) done = runScript(step, here, own);
        else if (step.uses.startsWith("./")) done = composite(step, here, path.join(job.workspace, step.uses));
        else if (!/@[0-9a-f]{40}$/.test(step.uses)) throw new Error(`not pinned: ${step.uses}`);
        else if (step.uses.startsWith("actions/checkout@")) done = checkout(fill(step.with ?? {}, here), here);
        else if (step.uses.startsWith("actions/upload-artifact@")) done = upload(fill(step.with ?? {}, here));
        else if (step.uses.startsWith("actions/download-artifact@")) done = download(fill(step.with ?? {}, here));
        else done = published(step, here);
        if (step.id) contexts.steps[step.id] = {outputs: done.outputs, conclusion: done.ok ? "success" : "failure"};
        result.steps.push({name, conclusion: done.ok ? "success" : "failure", environment: own});
        if (!done.ok && !step["continue-on-error"]) status = "failure";
    }
    return status;
}

// ---- the workflow ------------------------------------------------------------------------------

const text = fs.readFileSync(job.workflow, "utf8");
const parsed = parseWorkflow({name: job.workflow, content: text}, new NoOperationTraceWriter());
result.errors.push(...parsed.context.errors.getErrors().map((one) => one.message));
const workflow = YAML.parse(text);
const events = typeof workflow.on === "string" ? [workflow.on] : Array.isArray(workflow.on) ? workflow.on : Object.keys(workflow.on);
const filter = workflow.on[job.github.event_name]?.branches;
result.triggered = events.includes(job.github.event_name) && (!filter || filter.includes(job.github.ref_name));
if (result.triggered) {
    const [name, only] = Object.entries(workflow.jobs).find(([one]) => one === (job.job ?? one));
    const lists = Object.values(only.strategy?.matrix ?? {});
    const strategy = {"job-total": lists.reduce((total, list) => total * list.length, 1)};
    if (Object.keys(job.matrix ?? {}).join() !== Object.keys(only.strategy?.matrix ?? {}).join()) throw new Error("another matrix");
    const permissions = only.permissions ?? workflow.permissions;
    if (permissions === undefined) throw new Error("no permissions are set");
    const rights = {...permissions};
    const fork = job.github.event_name === "pull_request" && job.github.event.pull_request.head.repo.fork;
    const contents = fork && rights.contents === "write" ? "read" : rights.contents;
    const requests = contents === "write" ? job.tokens.propose : job.tokens.comment;
    const token = (!fork && rights["pull-requests"] === "write" ? requests : job.tokens[contents]) ?? "";
    const environment = fork ? {} : job.environments?.[only.environment] ?? {};
    const contexts = {
        github: {...job.github, token}, runner: {temp: job.temp, os: "Linux"}, job: {status: "success"}, steps: {}, env: {},
        matrix: job.matrix ?? {}, strategy,
        secrets: fork ? {GITHUB_TOKEN: token} : {...job.secrets, ...environment.secrets, GITHUB_TOKEN: token},
        vars: fork ? {} : {...job.vars, ...environment.vars},
    };
    const env = {...fill(workflow.env ?? {}, contexts), ...fill(only.env ?? {}, contexts)};
    result.permissions = rights;
    result.conclusion = holds(only.if, {github: job.github}, "success") ? runSteps(only.steps, {...contexts, env}, env) : "skipped";
    result.name = name;
}
fs.writeFileSync(1, JSON.stringify(result));
