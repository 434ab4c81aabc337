// Node's file functions as they were before the program ran. What the program replaces (`fs.readFileSync = …`,
// `syncBuiltinESMExports`) must not be called by Turntable; a named import from node:fs would follow the replacement.
import fs from 'node:fs';

export const {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} = fs;
const { closeSync, fstatSync, openSync } = fs;

/** The bytes of a file. `fs.readFileSync` without an encoding would call replacements of `fs.openSync` and others. */
export function readBytesSync(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.allocUnsafeSlow(fstatSync(descriptor).size);
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(descriptor, bytes, length, bytes.length - length, null);
      if (count === 0) break;
      length += count;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a new file. `fs.writeFileSync` would call replacements of `fs.openSync` and others. */
export function writeBytesSync(file: string, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'w');
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
  } finally {
    closeSync(descriptor);
  }
}
