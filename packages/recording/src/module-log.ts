// Log of the modules that were added to a recording since its manifest was written. A line is appended for each module
// once its text is written, because the manifest itself is rewritten whole. Each line has the number of its module, so
// that none can be left out, and checks. A last line that a kill or a full disk cut off is ignored.

import { join } from 'node:path';
import { FILE_MODE } from './atomic-file.ts';
import { verifyTag, withChecks, withoutChecksum } from './checked-json.ts';
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from './file-operations.ts';
import { readFile } from './file-source.ts';
import { MODULE_LOG_FILE } from './file-names.ts';
import { isJsonObject } from './json.ts';
import { isPathOrUrl, isSha256, MAX_MANIFEST_BYTES, type Manifest, type ManifestModule } from './manifest.ts';
import { damagedError, RecordingError } from './recording-error.ts';
import { sealError } from './sealed/seal-errors.ts';
import { isTag, type RecordingSeal } from './sealed/recording-seal.ts';

/** A line of the log. */
export interface LoggedModule extends ManifestModule {
  /** Number of the module in the recording, from 0. */
  readonly index: number;
  /** Tag of the line, in a sealed recording. */
  readonly seal?: string;
}

export class ModuleLog {
  readonly path: string;
  readonly #seal: RecordingSeal | undefined;
  #descriptor: number | undefined;
  /** Rest of a line that the disk took only in part. The next `append` of the same module continues with it. */
  #rest: Buffer | undefined;

  constructor(directory: string, seal: RecordingSeal | undefined) {
    this.path = join(directory, MODULE_LOG_FILE);
    this.#seal = seal;
  }

  /** @param index number of the module in the recording */
  append(module: ManifestModule, index: number): void {
    this.#descriptor ??= openSync(this.path, 'a', FILE_MODE);
    let rest = this.#rest ?? Buffer.from(`${JSON.stringify(withChecks({ ...module, index }, 'module', this.#seal))}\n`);
    while (rest.length > 0) {
      this.#rest = rest;
      rest = rest.subarray(writeSync(this.#descriptor, rest, 0, rest.length));
    }
    this.#rest = undefined;
  }

  /** Empties the log. The manifest must be on the disk with all modules. */
  clear(): void {
    if (this.#descriptor === undefined) return;
    ftruncateSync(this.#descriptor, 0);
    this.#rest = undefined;
  }

  /** Closes the log. The next `append` opens it, or creates it if it was removed. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#rest = undefined;
  }

  /** Removes the log, which is no longer needed. */
  remove(): void {
    this.close();
    rmSync(this.path, { force: true });
  }
}

/** Returns the manifest with the modules of the log, which must be read before the manifest. */
export function withModules(manifest: Manifest, logged: readonly LoggedModule[]): Manifest {
  if (logged.length === 0) return manifest;
  const keyOf = ({ url, sha256 }: ManifestModule): string => `${sha256} ${url}`;
  const known = new Set(manifest.modules.map(keyOf));
  const added = logged
    .filter((module) => !known.has(keyOf(module)))
    .map(({ url, sha256, settings }): ManifestModule =>
      settings === undefined ? { url, sha256 } : { url, sha256, settings },
    );
  return added.length === 0 ? manifest : { ...manifest, modules: [...manifest.modules, ...added] };
}

/** @throws {RecordingError} if a line was not sealed so, or lines are missing before another one */
export function verifyModuleLog(
  directory: string,
  { modules }: Manifest,
  logged: readonly LoggedModule[],
  seal: RecordingSeal,
): void {
  const file = join(directory, MODULE_LOG_FILE);
  for (const line of logged) verifyTag(line, 'module', seal, file);
  let next = modules.length;
  for (const { index } of logged) {
    if (index > next) throw sealError(file, `lacks the line of module ${next}`);
    next = Math.max(next, index + 1);
  }
}

/** Maximum number of readings of a log that its writer empties meanwhile. */
const MAX_READINGS = 5;

/** Reads the modules of a recording's log; none if there is no log. */
export function readModuleLog(directory: string): LoggedModule[] {
  return parseLog(readModuleLogBytes(directory), join(directory, MODULE_LOG_FILE));
}

/** Reads the log, whose lines are checked; empty if there is no log. */
export function readModuleLogBytes(directory: string): Buffer {
  const path = join(directory, MODULE_LOG_FILE);
  for (let reading = 1; ; reading++)
    try {
      const bytes = Buffer.from(readFile(path, MAX_MANIFEST_BYTES));
      parseLog(bytes, path);
      return bytes;
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      if (error.code === 'TT_RECORDING_MISSING') return Buffer.alloc(0);
      // `TT_RECORDING`: the file has become shorter.
      if (error.code !== 'TT_RECORDING' || reading === MAX_READINGS) throw error;
    }
}

/** @throws {RecordingError} if a line is damaged. A last line without its end was cut off and is left out. */
function parseLog(bytes: Buffer, file: string): LoggedModule[] {
  // A power failure may leave a file longer than the writer made it.
  const lines = bytes.toString().replace(/\0+$/, '').split('\n');
  const last = lines.pop() ?? '';
  let offset = 0;
  const modules = lines.map((line) => {
    const module = parseLine(line);
    if (module === undefined) throw damagedLogError(file, offset);
    offset += Buffer.byteLength(line) + 1;
    return module;
  });
  // A cut-off line is never longer than a complete one.
  if (parseLine(last.slice(0, -1)) !== undefined) throw damagedLogError(file, offset);
  return [...modules, ...[parseLine(last) ?? []].flat()];
}

function damagedLogError(file: string, offset: number): RecordingError {
  const remedy = 'the file was edited or is damaged; copy the recording again from where it was made';
  return damagedError(file, offset, 'a module with its checksum', undefined, remedy);
}

function parseLine(line: string): LoggedModule | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const fields = isJsonObject(value) ? withoutChecksum(value) : undefined;
  if (fields === undefined) return undefined;
  const { url, sha256, settings, index, seal } = fields as Partial<Record<keyof LoggedModule, unknown>>;
  const isModule =
    (settings === undefined || typeof settings === 'string') &&
    (seal === undefined || (typeof seal === 'string' && isTag(seal))) &&
    typeof url === 'string' &&
    isPathOrUrl(url) &&
    typeof sha256 === 'string' &&
    isSha256(sha256) &&
    Number.isSafeInteger(index);
  return isModule ? (fields as LoggedModule) : undefined;
}
