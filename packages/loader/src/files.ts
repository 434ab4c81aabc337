// Node's file functions as they were before the program ran. What the program replaces (`fs.readFileSync = …`,
// `syncBuiltinESMExports`) must not be called by Turntable; a named import from node:fs would follow the replacement.
import fs from 'node:fs';

export const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} = fs;
