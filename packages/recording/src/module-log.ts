// Log of the modules that were added to a recording since its manifest was written. A line is appended for each module
// once its text is written, because the manifest itself is rewritten whole. A line that a kill cut off is ignored.

import { join } from 'node:path';
import { FILE_MODE, writeAll } from './atomic-file.ts';
import { closeSync, ftruncateSync, openSync, rmSync } from './file-operations.ts';
import { readFile } from './file-source.ts';
import { MODULE_LOG_FILE } from './file-names.ts';
import { isJsonObject } from './json.ts';
import { isSha256, MAX_MANIFEST_BYTES, type Manifest, type ManifestModule } from './manifest.ts';
import { RecordingError } from './recording-error.ts';

export class ModuleLog {
  readonly path: string;
  #descriptor: number | undefined;
  /** Whether the last line may be cut off. */
  #isTorn = false;

  constructor(directory: string) {
    this.path = join(directory, MODULE_LOG_FILE);
  }

  append(module: ManifestModule): void {
    this.#descriptor ??= openSync(this.path, 'a', FILE_MODE);
    const line = `${this.#isTorn ? '\n' : ''}${JSON.stringify(module)}\n`;
    this.#isTorn = true;
    writeAll(this.#descriptor, Buffer.from(line));
    this.#isTorn = false;
  }

  /** Empties the log. The manifest must be on the disk with all modules. */
  clear(): void {
    if (this.#descriptor !== undefined) ftruncateSync(this.#descriptor, 0);
  }

  /** Closes the log. The next `append` opens it, or creates it if it was removed. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Removes the log, which is no longer needed. */
  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }
}

/** Returns the manifest with the modules of the log, which must be read before the manifest. */
export function withModules(manifest: Manifest, logged: readonly ManifestModule[]): Manifest {
  if (logged.length === 0) return manifest;
  const keyOf = ({ url, sha256 }: ManifestModule): string => `${sha256} ${url}`;
  const known = new Set(manifest.modules.map(keyOf));
  const added = logged.filter((module) => !known.has(keyOf(module)));
  return added.length === 0 ? manifest : { ...manifest, modules: [...manifest.modules, ...added] };
}

/** Maximum number of readings of a log that its writer empties meanwhile. */
const MAX_READINGS = 5;

/** Reads the modules of a recording's log; none if there is no log. */
export function readModuleLog(directory: string): ManifestModule[] {
  const path = join(directory, MODULE_LOG_FILE);
  for (let reading = 1; ; reading++)
    try {
      const text = Buffer.from(readFile(path, MAX_MANIFEST_BYTES)).toString();
      return text.split('\n').flatMap((line) => parseModule(line) ?? []);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      if (error.code === 'TT_RECORDING_MISSING') return [];
      // `TT_RECORDING`: the file has become shorter.
      if (error.code !== 'TT_RECORDING' || reading === MAX_READINGS) throw error;
    }
}

function parseModule(line: string): ManifestModule | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { url, sha256, settings } = value;
  if (typeof url !== 'string' || typeof sha256 !== 'string' || !isSha256(sha256)) return undefined;
  return typeof settings === 'string' ? { url, sha256, settings } : { url, sha256 };
}
