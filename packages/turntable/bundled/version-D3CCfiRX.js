const { readFileSync } = process.getBuiltinModule("node:fs");
const { fileURLToPath } = process.getBuiltinModule("node:url");
// packages/turntable/src/version.ts
const home = fileURLToPath(new URL("../", import.meta.url));
const version = JSON.parse(readFileSync(`${home}package.json`, "utf8")).version;
export { version as n, home as t };
