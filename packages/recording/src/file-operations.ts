// File system calls of the writer and its disk thread. All of their writes go through this module, so a test can make
// the n-th call fail, kill the process there, or log the calls: see `FileFault`.
import fs from 'node:fs';

/** A fault for tests. The threads of a writer inject it if it was set on the thread that has started the writer. */
export interface FileFault {
  /** Number of the first call that fails; 0 for none. Calls are counted over all threads, from 1. */
  readonly at: number;
  /** Number of calls that fail (default 1). */
  readonly count?: number;
  /**
   * System code of the failure, or what else happens: `kill` ends the process before the call, `hang` blocks the thread
   * forever, `short` writes half of the bytes.
   */
  readonly kind: 'EMFILE' | 'ENOSPC' | 'EIO' | 'kill' | 'hang' | 'short';
  /** Counts calls of this name only. Default: all. */
  readonly syscall?: string;
  /** Shared counter of calls. */
  readonly counter: SharedArrayBuffer;
  /** File to which successful calls are appended: a `LoggedCall` in JSON a line. Default: no log. */
  readonly log?: string;
}

/** A successful call. Its descriptor is that of the last `open` with this number. */
export type LoggedCall =
  | { readonly syscall: 'open'; readonly path: string; readonly flags: string; readonly descriptor: number }
  | { readonly syscall: 'write'; readonly descriptor: number; readonly base64: string }
  | { readonly syscall: 'ftruncate'; readonly descriptor: number; readonly length: number }
  | { readonly syscall: 'fsync'; readonly descriptor: number }
  | { readonly syscall: 'rename'; readonly from: string; readonly to: string }
  | { readonly syscall: 'mkdir' | 'rm' | 'utimes'; readonly path: string };

// Node's own functions, read before a program can replace them.
const native = { ...fs };
const nativeKill = process.kill.bind(process);

let fault: FileFault | undefined;
let counter: Int32Array | undefined;
/** Descriptor of the log, if there is one. */
let log: number | undefined;

export function setFileFault(value: FileFault | undefined): void {
  if (log !== undefined) native.closeSync(log);
  fault = value;
  counter = value && new Int32Array(value.counter);
  log = value?.log === undefined ? undefined : native.openSync(value.log, 'a');
}

export function currentFileFault(): FileFault | undefined {
  return fault;
}

/** Counts a call. Throws if it must fail. Returns whether a write must be short. */
function countCall(syscall: string, path?: string): boolean {
  if (fault === undefined || counter === undefined) return false;
  const { at, count = 1, kind } = fault;
  if (fault.syscall !== undefined && fault.syscall !== syscall) return false;
  const call = Atomics.add(counter, 0, 1) + 1;
  if (call < at || call >= at + count) return false;
  if (kind === 'kill') nativeKill(process.pid, 'SIGKILL');
  if (kind === 'kill' || kind === 'hang') {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  if (kind === 'short') return true;
  throw Object.assign(new Error(`${kind}: injected, ${syscall}`), { code: kind, syscall, path });
}

/** Appends a call to the log. */
function logCall(file: number, call: LoggedCall): void {
  native.writeSync(file, `${JSON.stringify(call)}\n`);
}

export function openSync(path: string, flags: string, mode?: number): number {
  countCall('open', path);
  const descriptor = native.openSync(path, flags, mode);
  if (log !== undefined) logCall(log, { syscall: 'open', path, flags, descriptor });
  return descriptor;
}

export function writeSync(descriptor: number, bytes: Uint8Array, offset: number, length: number): number {
  const isShort = countCall('write');
  const written = native.writeSync(descriptor, bytes, offset, isShort ? Math.ceil(length / 2) : length);
  if (log !== undefined) {
    const base64 = Buffer.from(bytes.subarray(offset, offset + written)).toString('base64');
    logCall(log, { syscall: 'write', descriptor, base64 });
  }
  return written;
}

export function ftruncateSync(descriptor: number, length: number): void {
  countCall('ftruncate');
  native.ftruncateSync(descriptor, length);
  if (log !== undefined) logCall(log, { syscall: 'ftruncate', descriptor, length });
}

export function fsyncSync(descriptor: number): void {
  countCall('fsync');
  native.fsyncSync(descriptor);
  if (log !== undefined) logCall(log, { syscall: 'fsync', descriptor });
}

/** Never fails by a fault, because a failed `close` frees the descriptor, too. */
export function closeSync(descriptor: number): void {
  native.closeSync(descriptor);
}

export function renameSync(from: string, to: string): void {
  countCall('rename', from);
  native.renameSync(from, to);
  if (log !== undefined) logCall(log, { syscall: 'rename', from, to });
}

export function mkdirSync(path: string, options: { readonly recursive: boolean; readonly mode: number }): void {
  countCall('mkdir', path);
  native.mkdirSync(path, options);
  if (log !== undefined) logCall(log, { syscall: 'mkdir', path });
}

export function rmSync(path: string, options: { readonly force: boolean; readonly recursive?: boolean }): void {
  countCall('rm', path);
  native.rmSync(path, options);
  if (log !== undefined) logCall(log, { syscall: 'rm', path });
}

export function utimesSync(path: string, accessed: number, modified: number): void {
  countCall('utimes', path);
  native.utimesSync(path, accessed, modified);
  if (log !== undefined) logCall(log, { syscall: 'utimes', path });
}
