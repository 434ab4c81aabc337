// Standard output and error of a program that is recorded or runs again. Both sides have Node's own streams of that name: what the program writes to them
// it writes again by itself. What the outside writes there, to the streams (a pipe's end, a package's `console.log`) or to their descriptors (a logger), is
// noted and shown again, and so is what the program writes to the descriptors.
import fs from 'node:fs';
import { standInBy, standInGetter } from '@turntable/loader';

const NAMES = ['stdout', 'stderr'] as const;
type Write = (this: unknown, ...args: unknown[]) => boolean;

const { apply, defineProperty } = Reflect;
/** Node's own. */
const { writeSync } = fs;

export interface StandardOutput {
  /** Whether it is one of the streams; the outside is about to have it then. */
  isHandedOut(value: object): boolean;
  /** The program writes to a descriptor by itself: that is none of the outside's. */
  byProgram<T>(write: () => T): T;
  /** Shows what was written outside, if anything is to be seen. */
  show(descriptor: number, bytes: Uint8Array): void;
}

export interface StandardOutputParts {
  readonly isReplay: boolean;
  readonly isMute: boolean;
  /** Packages or builtins may write that are outside and were not given the streams. */
  isForeignThere(): boolean;
  /** What runs now is none of the program's code. */
  isForeign(): boolean;
  written(descriptor: number, bytes: Uint8Array): void;
}

/** Is told of whatever is written there, in a run again that somebody surveys. `text`: what it says, for who wants to know. */
let printed: ((descriptor: number, bytes: number, text: () => string) => void) | undefined;

export function watchPrinted(tell: typeof printed): void {
  printed = tell;
}

/** Once the streams exist; none is made here. */
export function watchStandardOutput(parts: StandardOutputParts): StandardOutput {
  const { isReplay, isMute, isForeignThere, isForeign, written } = parts;
  const streams = new Set<object>();
  const handedOut = new Set<object>();
  /** What a stream or the program writes to a descriptor is known. */
  let isKnown = false;
  const known = <T>(write: () => T): T => {
    const was = isKnown;
    isKnown = true;
    try {
      return write();
    } finally {
      isKnown = was;
    }
  };
  const watch = (stream: object, descriptor: number): void => {
    streams.add(stream);
    const native = (stream as { write: Write }).write;
    const { write } = {
      write(this: unknown, ...args: unknown[]): boolean {
        if (printed !== undefined) {
          const bytes = bytesOf(args[0], args[1]);
          printed(descriptor, bytes.length, () => textOf(bytes));
        }
        if (isMute) {
          const last = args.at(-1);
          if (typeof last === 'function') process.nextTick(last as () => void);
          return true;
        }
        if ((handedOut.has(stream) || isForeignThere()) && isForeign()) written(descriptor, bytesOf(args[0], args[1]));
        return known(() => apply(native, this, args) as boolean);
      },
    };
    defineProperty(stream, 'write', { value: write, writable: true, enumerable: false, configurable: true });
  };
  NAMES.forEach((name, i) => {
    let isMet = false;
    standInGetter(process, name, (native) => {
      const stream = native();
      if (!isMet && typeof stream === 'object' && stream !== null) {
        isMet = true;
        watch(stream, i + 1);
      }
      return stream;
    });
  });
  if (!isReplay) watchDescriptors(() => !isKnown && isForeign(), written);
  return {
    byProgram: known,
    isHandedOut(value) {
      if (!streams.has(value)) return false;
      handedOut.add(value);
      return true;
    },
    show(descriptor, bytes) {
      printed?.(descriptor, bytes.length, () => textOf(bytes));
      if (!isMute) writeAll(descriptor, bytes);
    },
  };
}

/** Milliseconds for which who reads a pipe may do something else. */
const PATIENCE = 10_000;
const clock = new Int32Array(new SharedArrayBuffer(4));

/** Waits for who reads it; that nobody does any more is no matter of the program's. */
function writeAll(descriptor: number, bytes: Uint8Array): void {
  let waited = 0;
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(descriptor, bytes, at);
      waited = 0;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN' || waited++ >= PATIENCE) return;
      Atomics.wait(clock, 0, 0, 1);
    }
  }
}

/** Nothing writes to them by itself in a replay. */
function watchDescriptors(isForeign: () => boolean, written: StandardOutputParts['written']): void {
  const isWatched = (descriptor: unknown): boolean => (descriptor === 1 || descriptor === 2) && isForeign();
  for (const name of ['writeSync', 'writevSync'] as const)
    standInBy(fs, name, (native, self, args) => {
      const isNoted = isWatched(args[0]);
      const answer = apply(native, self, args);
      const bytes = isNoted ? writtenBy(args, answer) : undefined;
      if (bytes !== undefined) written(...bytes);
      return answer;
    });
  // How much of it was taken is heard later, and its bytes may be others by then.
  for (const name of ['write', 'writev'] as const)
    standInBy(fs, name, (native, self, args) => {
      const callback: unknown = args.at(-1);
      if (typeof callback !== 'function' || !isWatched(args[0])) return apply(native, self, args);
      const all = writtenBy(args.slice(0, -1), undefined);
      const own = function (this: unknown, ...answer: unknown[]): unknown {
        if (all !== undefined && answer[0] === null) written(all[0], all[1].slice(0, answer[1] as number));
        return apply(callback, this, answer);
      };
      return apply(native, self, [...args.slice(0, -1), own] as never[]);
    });
}

function bytesOf(data: unknown, encoding: unknown): Uint8Array {
  if (typeof data === 'string') return Buffer.from(data, typeof encoding === 'string' ? (encoding as 'utf8') : 'utf8');
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
    : Buffer.alloc(0);
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

/** By the path of a function of `node:fs`: whether its first argument is a descriptor that it writes to. */
const WRITERS: ReadonlySet<string | undefined> = new Set(
  ['write', 'writev', 'writeFile', 'appendFile'].flatMap((name) => [`fs.${name}`, `fs.${name}Sync`]),
);

export function isDescriptorWriter(path: string | undefined): boolean {
  return WRITERS.has(path);
}

/** What a call of one of them has written to standard output or error; `answer`: how many bytes, if it was a number. */
export function writtenBy(
  args: readonly unknown[],
  answer: unknown,
): [descriptor: number, bytes: Uint8Array] | undefined {
  const [descriptor, data, first, second] = args;
  if (descriptor !== 1 && descriptor !== 2) return undefined;
  const bytes = Array.isArray(data)
    ? Buffer.concat(data.map((each) => bytesOf(each, undefined)))
    : typeof data === 'string'
      ? bytesOf(
          data,
          [second, first].find((each) => typeof each === 'string'),
        )
      : part(bytesOf(data, undefined), first, second);
  return [descriptor, typeof answer === 'number' ? bytes.subarray(0, answer) : bytes];
}

function part(bytes: Uint8Array, first: unknown, second: unknown): Uint8Array {
  const { offset, length } =
    typeof first === 'object' && first !== null
      ? (first as { offset?: unknown; length?: unknown })
      : { offset: first, length: second };
  const begin = typeof offset === 'number' ? offset : 0;
  return bytes.subarray(begin, typeof length === 'number' ? begin + length : undefined);
}
