// Node's file functions as they were before the program ran. What the program replaces (`fs.readFileSync = …`,
// `syncBuiltinESMExports`) must not be called by Turntable; a named import from node:fs would follow the replacement.
import fs, { type StatSyncOptions } from 'node:fs';

export const { mkdirSync, readdirSync, readFileSync, readSync, realpathSync, renameSync, rmSync, writeSync } = fs;
const { closeSync, existsSync: nodeExistsSync, fstatSync, openSync, statSync: nodeStatSync } = fs;

/** As Node's. A file that Node's permission model hides does not exist, as in a sandbox that shows no such file. */
export function existsSync(path: string): boolean {
  try {
    return nodeExistsSync(path);
  } catch (error) {
    if (isHidden(error)) return false;
    throw error;
  }
}

/** As Node's, but see `existsSync`. */
export const statSync = ((path: string, options?: StatSyncOptions) => {
  try {
    return nodeStatSync(path, options);
  } catch (error) {
    if (options?.throwIfNoEntry === false && isHidden(error)) return undefined;
    throw error;
  }
}) as typeof fs.statSync;

function isHidden(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_ACCESS_DENIED';
}

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
