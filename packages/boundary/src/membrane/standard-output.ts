// Standard output and error of a program with a tape. Both sides have Node's own streams. A replaying program writes
// its output again. Output of the host, to the streams (the end of a pipe, `console.log` of a package) or to their
// descriptors (a logger), is recorded and shown by the replay. A replay also shows what the program writes to the
// descriptors. The sums of the program's own output go to the tape, where a replay compares them.
import fs from 'node:fs';
import { format } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { wrapFunction, wrapGetter } from '@turntable/loader';

const STREAM_NAMES = ['stdout', 'stderr'] as const;
type StreamWrite = (this: unknown, ...args: unknown[]) => boolean;

const { apply, defineProperty } = Reflect;
/** The native function. The program has a handle of it. */
const { writeSync } = fs;

export interface StandardOutput {
  /** Notes that the host is about to get a value. Returns whether the value is one of the streams. */
  noteHandedOut(value: object): boolean;
  /** Runs a write of the program to a descriptor, which is not output of the host. @param args of `node:fs` */
  duringProgramWrite<T>(args: readonly unknown[], run: () => T): T;
  /** Shows recorded output, unless the replay is muted. */
  show(descriptor: number, bytes: Uint8Array): void;
}

export interface StandardOutputDeps {
  readonly isReplay: boolean;
  readonly isMute: boolean;
  /** Whether host code may write without having been given the streams. */
  hasHostWriters(): boolean;
  /** Whether the program has called the host, as for the output of `execSync`. */
  isInHostCall(): boolean;
  /** Whether the running code is not the program's. */
  isHostWriting(): boolean;
  noteHostOutput(descriptor: number, bytes: Uint8Array): void;
  /** Guards what a stream leads to, before the program gets it. */
  guardStream(stream: object): void;
  /** Whether the program is on the stack or called the running code. Must be the same in a replay. */
  isProgramOnStack(): boolean;
  /** Whether Node is emitting a warning, which it prints with the number of the process. */
  isInWarning(): boolean;
  /** Whether code of a tool is running. */
  isToolWriting(): boolean;
  /** Notes output of the program. A text is written in UTF-8. */
  noteProgramOutput(descriptor: number, output: string | Uint8Array): void;
}

/** Observer of all output while the run index is built. Its `text` decodes the bytes on request. */
let outputObserver: ((descriptor: number, bytes: number, text: () => string) => void) | undefined;

export function observeOutput(observer: typeof outputObserver): void {
  outputObserver = observer;
}

/** Runs code with another observer, which gets the output as text. */
export function withOutputObserver<T>(observer: (text: string) => void, run: () => T): T {
  const previous = outputObserver;
  outputObserver = (_descriptor, _bytes, text) => observer(text());
  try {
    return run();
  } finally {
    outputObserver = previous;
  }
}

/** Watches the streams once they exist, without creating them. */
export function watchStandardOutput(deps: StandardOutputDeps): StandardOutput {
  const { isReplay, isMute, hasHostWriters, isHostWriting, noteHostOutput, noteProgramOutput } = deps;
  const watchedStreams = new Set<object>();
  const handedOut = new Set<object>();
  /** Whether the current write to a descriptor comes from a stream or from the program. */
  let isExpectedWrite = false;
  const expectWrite = <T>(run: () => T): T => {
    const previous = isExpectedWrite;
    isExpectedWrite = true;
    try {
      return run();
    } finally {
      isExpectedWrite = previous;
    }
  };
  /** Node itself writes warnings here, and the output of other threads, as bytes and at any time. */
  const isProgramOutput = (data: unknown): boolean =>
    ((typeof data === 'string' && !deps.isInWarning()) || deps.isProgramOnStack()) && !deps.isToolWriting();
  const watchStream = (stream: object, descriptor: number): void => {
    watchedStreams.add(stream);
    const native = (stream as { write: StreamWrite }).write;
    const { write } = {
      write(this: unknown, ...args: unknown[]): boolean {
        if (outputObserver !== undefined) {
          const bytes = bytesOf(args[0], args[1]);
          outputObserver(descriptor, bytes.length, () => decodeText(bytes));
        }
        const isHostOutput = deps.isInHostCall() || ((handedOut.has(stream) || hasHostWriters()) && isHostWriting());
        if (!isHostOutput && isProgramOutput(args[0])) noteProgramOutput(descriptor, outputOf(args[0], args[1]));
        // Node passes the output of a worker on by the main thread, which may have ended its part of the replay.
        if (isMute || (isReplay && !isMainThread)) {
          if (!isMute) writeAll(descriptor, bytesOf(args[0], args[1]));
          const lastArgument = args.at(-1);
          if (typeof lastArgument === 'function') process.nextTick(lastArgument as () => void);
          return true;
        }
        if (isHostOutput) noteHostOutput(descriptor, bytesOf(args[0], args[1]));
        return expectWrite(() => apply(native, this, args) as boolean);
      },
    };
    defineProperty(stream, 'write', { value: write, writable: true, enumerable: false, configurable: true });
  };
  STREAM_NAMES.forEach((name, i) => {
    let isWatched = false;
    wrapGetter(process, name, (native) => {
      const stream = native();
      if (!isWatched && typeof stream === 'object' && stream !== null) {
        isWatched = true;
        watchStream(stream, i + 1);
        deps.guardStream(stream);
      }
      return stream;
    });
  });
  wrapFunction(process as unknown as { _rawDebug: unknown }, '_rawDebug', (native, self, args) => {
    const text = `${format(...args)}\n`;
    outputObserver?.(2, Buffer.byteLength(text), () => text);
    if (deps.isInHostCall() || (hasHostWriters() && isHostWriting())) noteHostOutput(2, Buffer.from(text));
    else if (!deps.isToolWriting()) noteProgramOutput(2, text);
    return isMute ? undefined : apply(native, self, [text.slice(0, -1)] as never[]);
  });
  if (!isReplay) watchDescriptors(() => !isExpectedWrite && isHostWriting(), noteHostOutput);
  return {
    duringProgramWrite(args, run) {
      const output = writtenBytes(args, undefined);
      if (output !== undefined) noteProgramOutput(...output);
      return expectWrite(run);
    },
    noteHandedOut(value) {
      if (!watchedStreams.has(value)) return false;
      handedOut.add(value);
      return true;
    },
    show(descriptor, bytes) {
      outputObserver?.(descriptor, bytes.length, () => decodeText(bytes));
      if (!isMute) writeAll(descriptor, bytes);
    },
  };
}

/** Maximum time to wait for the reader of a full pipe. */
const WRITE_TIMEOUT_MS = 10_000;
const sleepCell = new Int32Array(new SharedArrayBuffer(4));

/** Writes all bytes, waiting for the reader of a full pipe. Ignores failures, which do not concern the program. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  let waitedMs = 0;
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += writeSync(descriptor, bytes, offset);
      waitedMs = 0;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN' || waitedMs++ >= WRITE_TIMEOUT_MS) return;
      Atomics.wait(sleepCell, 0, 0, 1);
    }
  }
}

/** Records what host code writes to the descriptors. Used only while recording. */
function watchDescriptors(isHostWriting: () => boolean, noteHostOutput: StandardOutputDeps['noteHostOutput']): void {
  const isHostDescriptor = (descriptor: unknown): boolean => (descriptor === 1 || descriptor === 2) && isHostWriting();
  for (const name of ['writeSync', 'writevSync'] as const)
    wrapFunction(fs, name, (native, self, args) => {
      const shouldRecord = isHostDescriptor(args[0]);
      const result = apply(native, self, args);
      const bytes = shouldRecord ? writtenBytes(args, result) : undefined;
      if (bytes !== undefined) noteHostOutput(...bytes);
      return result;
    });
  // The bytes are copied before the write: when Node reports their count, the buffer may have changed.
  for (const name of ['write', 'writev'] as const)
    wrapFunction(fs, name, (native, self, args) => {
      const callback: unknown = args.at(-1);
      if (typeof callback !== 'function' || !isHostDescriptor(args[0])) return apply(native, self, args);
      const written = writtenBytes(args.slice(0, -1), undefined);
      const recordedCallback = function (this: unknown, ...result: unknown[]): unknown {
        if (written !== undefined && result[0] === null)
          noteHostOutput(written[0], written[1].slice(0, result[1] as number));
        return apply(callback, this, result);
      };
      return apply(native, self, [...args.slice(0, -1), recordedCallback] as never[]);
    });
}

function bytesOf(data: unknown, encoding: unknown): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, typeof encoding === 'string' ? (encoding as 'utf8') : 'utf8');
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
    : Buffer.alloc(0);
}

/** Output as it is summed up, without a copy where that is possible. */
function outputOf(data: unknown, encoding: unknown): string | Uint8Array {
  const isUtf8 = typeof encoding !== 'string' || /^utf-?8$/i.test(encoding);
  return typeof data === 'string' && isUtf8 ? data : bytesOf(data, encoding);
}

function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

/** Functions of `node:fs` by path whose first argument is a descriptor that they write to. */
const DESCRIPTOR_WRITERS: ReadonlySet<string | undefined> = new Set(
  ['write', 'writev', 'writeFile', 'appendFile'].flatMap((name) => [`fs.${name}`, `fs.${name}Sync`]),
);

export function isDescriptorWriter(path: string | undefined): boolean {
  return DESCRIPTOR_WRITERS.has(path);
}

/** Returns what a descriptor writer has written to standard output or error. @param result the byte count, if known */
export function writtenBytes(args: readonly unknown[], result: unknown): [number, Uint8Array] | undefined {
  const [descriptor, data, offsetOrOptions, lengthOrEncoding] = args;
  if (descriptor !== 1 && descriptor !== 2) return undefined;
  const bytes = Array.isArray(data)
    ? Buffer.concat(data.map((chunk) => bytesOf(chunk, undefined)))
    : typeof data === 'string'
      ? bytesOf(
          data,
          [lengthOrEncoding, offsetOrOptions].find((option) => typeof option === 'string'),
        )
      : sliceWritten(bytesOf(data, undefined), offsetOrOptions, lengthOrEncoding);
  return [descriptor, typeof result === 'number' ? bytes.subarray(0, result) : bytes];
}

function sliceWritten(bytes: Uint8Array, offsetOrOptions: unknown, lengthOption: unknown): Uint8Array {
  // Node ignores the length after an offset of null.
  const { offset, length } =
    typeof offsetOrOptions === 'object'
      ? ((offsetOrOptions ?? {}) as { offset?: unknown; length?: unknown })
      : { offset: offsetOrOptions, length: lengthOption };
  const start = typeof offset === 'number' ? offset : 0;
  return bytes.subarray(start, typeof length === 'number' ? start + length : undefined);
}
