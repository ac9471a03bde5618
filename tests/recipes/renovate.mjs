// Renovate's own code on a repository: node renovate.mjs CONFIG.json FOLDER. Its file matching and its regex manager, of the
// package renovate, say what they find; prints {FILE: [{depName, currentValue, datasource, ...}]} as JSON.
import {execFileSync} from "node:child_process";
import fs from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";

// The native library for regular expressions is not installed; `recipes re2` compiles them as RE2 does.
process.env.RENOVATE_X_IGNORE_RE2 = "1";
process.env.LOG_LEVEL = "fatal";
const require = createRequire(import.meta.url);
const dist = path.join(import.meta.dirname, "node_modules/renovate/dist");
const {extractPackageFile} = require(path.join(dist, "modules/manager/custom/regex"));
const {getMatchingFiles} = require(path.join(dist, "workers/repository/extract/file-match"));

const [configFile, folder] = process.argv.slice(2);
const config = JSON.parse(fs.readFileSync(configFile, "utf8"));
const files = execFileSync("git", ["-C", folder, "ls-files"], {encoding: "utf8"}).split("\n").filter(Boolean);
const found = {};
for (const manager of config.customManagers) {
    for (const file of getMatchingFiles({...manager, ignorePaths: config.ignorePaths, manager: "regex"}, files)) {
        const text = fs.readFileSync(path.join(folder, file), "utf8");
        for (const dep of extractPackageFile(text, file, manager)?.deps ?? []) {
            (found[file] ??= []).push(dep);
        }
    }
}
console.log(JSON.stringify(found, null, 2));
