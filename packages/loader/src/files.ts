// Node's functions for files as they were before the program: what it puts in their places (`fs.readFileSync = …`, `syncBuiltinESMExports`) is the program's and
// its packages' to call, never ours. An import from node:fs by name would follow it.
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
