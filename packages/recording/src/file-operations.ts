// File system calls of the writer and its disk thread. All of their writes go through this module, so a test can make
// the n-th call fail, or kill the process there: see `FileFault`.
import fs from 'node:fs';

/** A fault for tests. The threads of a writer inject it if it was set on the thread that has started the writer. */
export interface FileFault {
  /** Number of the first call that fails. Calls are counted over both threads, from 1. */
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
}

// Node's own functions, read before a program can replace them.
const native = { ...fs };
const nativeKill = process.kill.bind(process);

let fault: FileFault | undefined;
let counter: Int32Array | undefined;

export function setFileFault(value: FileFault | undefined): void {
  fault = value;
  counter = value && new Int32Array(value.counter);
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

export function openSync(path: string, flags: string, mode?: number): number {
  countCall('open', path);
  return native.openSync(path, flags, mode);
}

export function writeSync(descriptor: number, bytes: Uint8Array, offset: number, length: number): number {
  const isShort = countCall('write');
  return native.writeSync(descriptor, bytes, offset, isShort ? Math.ceil(length / 2) : length);
}

export function ftruncateSync(descriptor: number, length: number): void {
  countCall('ftruncate');
  native.ftruncateSync(descriptor, length);
}

export function fsyncSync(descriptor: number): void {
  countCall('fsync');
  native.fsyncSync(descriptor);
}

/** Never fails by a fault, because a failed `close` frees the descriptor, too. */
export function closeSync(descriptor: number): void {
  native.closeSync(descriptor);
}

export function renameSync(from: string, to: string): void {
  countCall('rename', from);
  native.renameSync(from, to);
}

export function mkdirSync(path: string, options: { readonly recursive: boolean; readonly mode: number }): void {
  countCall('mkdir', path);
  native.mkdirSync(path, options);
}

export function rmSync(path: string, options: { readonly force: boolean; readonly recursive?: boolean }): void {
  countCall('rm', path);
  native.rmSync(path, options);
}

export function utimesSync(path: string, accessed: number, modified: number): void {
  countCall('utimes', path);
  native.utimesSync(path, accessed, modified);
}
