const { createRequire } = process.getBuiltinModule("node:module");
export {};
