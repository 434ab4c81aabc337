// Standard output and error of a program that is recorded or runs again. Both sides have Node's own streams of that name: what the program writes to them
// it writes again by itself. What the outside writes there, to the streams (a pipe's end, a package's `console.log`) or to their descriptors (a logger), is
// noted and shown again, and so is what the program writes to the descriptors.
import fs from 'node:fs';
import { wrapFunction, wrapGetter } from '@turntable/loader';

const STREAM_NAMES = ['stdout', 'stderr'] as const;
type StreamWrite = (this: unknown, ...args: unknown[]) => boolean;

const { apply, defineProperty } = Reflect;
/** Node's own. */
const { writeSync } = fs;

export interface StandardOutput {
  /** Whether it is one of the streams; the outside is about to have it then. */
  noteHandedOut(value: object): boolean;
  /** The program writes to a descriptor by itself: that is none of the outside's. */
  duringProgramWrite<T>(run: () => T): T;
  /** Shows what was written outside, if anything is to be seen. */
  show(descriptor: number, bytes: Uint8Array): void;
}

export interface StandardOutputDeps {
  readonly isReplay: boolean;
  readonly isMute: boolean;
  /** Packages or builtins may write that are outside and were not given the streams. */
  hasHostWriters(): boolean;
  /** What runs now is none of the program's code. */
  isHostWriting(): boolean;
  noteHostOutput(descriptor: number, bytes: Uint8Array): void;
}

/** Is told of whatever is written there, in a run again that somebody run indexes. `text`: what it says, for who wants to know. */
let outputObserver: ((descriptor: number, bytes: number, text: () => string) => void) | undefined;

export function observeOutput(observer: typeof outputObserver): void {
  outputObserver = observer;
}

/** Once the streams exist; none is made here. */
export function watchStandardOutput(deps: StandardOutputDeps): StandardOutput {
  const { isReplay, isMute, hasHostWriters, isHostWriting, noteHostOutput } = deps;
  const watchedStreams = new Set<object>();
  const handedOut = new Set<object>();
  /** What a stream or the program writes to a descriptor is known. */
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
  const watchStream = (stream: object, descriptor: number): void => {
    watchedStreams.add(stream);
    const native = (stream as { write: StreamWrite }).write;
    const { write } = {
      write(this: unknown, ...args: unknown[]): boolean {
        if (outputObserver !== undefined) {
          const bytes = bytesOf(args[0], args[1]);
          outputObserver(descriptor, bytes.length, () => decodeText(bytes));
        }
        if (isMute) {
          const lastArgument = args.at(-1);
          if (typeof lastArgument === 'function') process.nextTick(lastArgument as () => void);
          return true;
        }
        if ((handedOut.has(stream) || hasHostWriters()) && isHostWriting())
          noteHostOutput(descriptor, bytesOf(args[0], args[1]));
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
      }
      return stream;
    });
  });
  if (!isReplay) watchDescriptors(() => !isExpectedWrite && isHostWriting(), noteHostOutput);
  return {
    duringProgramWrite: expectWrite,
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

/** Milliseconds for which who reads a pipe may do something else. */
const WRITE_TIMEOUT_MS = 10_000;
const sleepCell = new Int32Array(new SharedArrayBuffer(4));

/** Waits for who reads it; that nobody does any more is no matter of the program's. */
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

/** Nothing writes to them by itself in a replay. */
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
  // How much of it was taken is heard later, and its bytes may be others by then.
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

function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

/** By the path of a function of `node:fs`: whether its first argument is a descriptor that it writes to. */
const DESCRIPTOR_WRITERS: ReadonlySet<string | undefined> = new Set(
  ['write', 'writev', 'writeFile', 'appendFile'].flatMap((name) => [`fs.${name}`, `fs.${name}Sync`]),
);

export function isDescriptorWriter(path: string | undefined): boolean {
  return DESCRIPTOR_WRITERS.has(path);
}

/** What a call of one of them has written to standard output or error; `result`: how many bytes, if it was a number. */
export function writtenBytes(
  args: readonly unknown[],
  result: unknown,
): [descriptor: number, bytes: Uint8Array] | undefined {
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
  const { offset, length } =
    typeof offsetOrOptions === 'object' && offsetOrOptions !== null
      ? (offsetOrOptions as { offset?: unknown; length?: unknown })
      : { offset: offsetOrOptions, length: lengthOption };
  const start = typeof offset === 'number' ? offset : 0;
  return bytes.subarray(start, typeof length === 'number' ? start + length : undefined);
}
