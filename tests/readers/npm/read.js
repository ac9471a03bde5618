// read.js sops IDENTITY FILE: a sealed file, opened by npm's sops-age, as JSON.
// read.js vectors FOLDER: the age test vectors of C2SP, a file each.
// read.js bom FILE: a CycloneDX document of version 1.6, under the published schema; what is wrong with it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [what, ...rest] = process.argv.slice(2);
if (what === "sops") {
  const { decryptSops } = await import("sops-age");
  const [identity, file] = rest;
  const secretKey = readFileSync(identity, "utf8").split("\n").find((line) => line.startsWith("AGE-SECRET-KEY-"));
  const opened = await decryptSops(readFileSync(file, "utf8"), { fileType: "yaml", secretKey });
  process.stdout.write(JSON.stringify(opened));
} else if (what === "bom") {
  const { Spec, Validation } = await import("@cyclonedx/cyclonedx-library");
  const wrong = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(readFileSync(rest[0], "utf8"));
  if (wrong) {
    console.log(JSON.stringify(wrong, null, 2));
    process.exit(1);
  }
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
