// A program's state as bytes: what stands between modules and which files they come from as JSON, everything else as heap. The layout is
// in docs/formats.md, "Programs". Reading trusts nothing: every number is checked against what exists before it is used.
//
// The head comes last, since what it says is known only when the heap has been written: that can be on its way by then.
//
//   "TTPS"  uint16 version  10 bytes zero  heap  head (UTF-8 JSON)  uint32 length of the head  uint32 CRC-32 of the head
import { crc32 } from 'node:zlib';
import type { ModuleStatus } from '@turntable/core';
import { LoaderError } from '@turntable/loader';
import type { DeviceHead } from '@turntable/boundary';
import type { HandleHead } from './handles.ts';
import type { PackageHead } from './loaded-packages.ts';

const MAGIC = 'TTPS';
const VERSION = 10;
/** As long as words of the heap are long, or a multiple of that. */
const FIXED = 16;
const TRAILER = 8;

export function encodeState(head: ProgramHead, heap: Uint8Array): Buffer {
  return joined(stateStart(), heap, stateEnd(head));
}

/** What stands before the heap. */
export function stateStart(): Buffer<ArrayBuffer> {
  const start = Buffer.from(new ArrayBuffer(FIXED));
  start.write(MAGIC, 0, 'latin1');
  start.writeUInt16LE(VERSION, 4);
  return start;
}

/** What stands behind it. */
export function stateEnd(head: ProgramHead): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const trailer = Buffer.alloc(TRAILER);
  trailer.writeUInt32LE(text.length, 0);
  trailer.writeUInt32LE(crc32(text), 4);
  return Buffer.concat([text, trailer]);
}

/** In a buffer of its own, so that it can be given away to another thread. */
export function joined(...parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const whole = Buffer.from(new ArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0)));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function decodeState(bytes: Uint8Array): { head: ProgramHead; heap: Uint8Array } {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (all.length < FIXED || all.toString('latin1', 0, 4) !== MAGIC)
    throw damaged('these bytes are not the state of a program');
  const version = all.readUInt16LE(4);
  if (version !== VERSION) {
    throw damaged(
      `the state is of format ${version}, this Turntable reads format ${VERSION}; restore it with the version it was captured by`,
    );
  }
  const end = all.length - TRAILER;
  const length = end < FIXED ? Infinity : all.readUInt32LE(end);
  const at = end - length;
  const text = all.subarray(Math.max(at, FIXED), Math.max(end, FIXED));
  if (at < FIXED || crc32(text) !== all.readUInt32LE(end + 4))
    throw damaged('the state is damaged or cut short; take another copy of it');
  let head: unknown;
  try {
    head = JSON.parse(text.toString());
  } catch (error) {
    throw new LoaderError('TT_STATE', 'the state is damaged: its head is no JSON', { cause: error });
  }
  if (!isHead(head)) throw damaged('the state is damaged: its head does not say what a program consists of');
  return { head, heap: all.subarray(FIXED, at) };
}

function damaged(message: string): LoaderError {
  return new LoaderError('TT_STATE', message);
}

/** A check of data says of what type the data is. */
type Check<T> = (value: unknown) => value is T;
type Checked<C> = C extends Check<infer T> ? T : never;

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isNumber(value) && value >= 0;
const orNull =
  <T>(check: Check<T>): Check<T | null> =>
  (value) =>
    value === null || check(value);
const listOf =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(check);
const oneOf =
  <T extends string>(...values: readonly T[]): Check<T> =>
  (value): value is T =>
    values.includes(value as T);
const textLike =
  (pattern: RegExp): Check<string> =>
  (value): value is string =>
    isText(value) && pattern.test(value);
const shaped =
  <S extends Readonly<Record<string, Check<unknown>>>>(checks: S): Check<{ readonly [K in keyof S]: Checked<S[K]> }> =>
  (value): value is { readonly [K in keyof S]: Checked<S[K]> } =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));

/** Of a type that is declared elsewhere. */
const shapedAs = <T extends object>(checks: Readonly<Record<keyof T, (value: unknown) => boolean>>): Check<T> =>
  shaped(checks as never) as unknown as Check<T>;

/** The text a module is made of, and what of it the state refers to. */
const isCode = shaped({
  kind: oneOf('module', 'commonjs', 'function', 'script'),
  /** Of settings and text. */
  hash: isText,
  /** What besides text and name has decided how a TypeScript file is compiled. */
  settings: isText,
  instance: isCount,
  /** Of a text that stands in no file. */
  source: orNull(isText),
  /** Of a text that the program made: what the names in its code begin with, and what its markers call it. */
  prefix: orNull(textLike(/^\$[\w$]*$/)),
  id: orNull(textLike(/^f\d{1,9}$/)),
  functions: listOf(isCount),
  classes: listOf(isCount),
  /** Variables of the top scope that stay in their dead zones. */
  dead: listOf(isText),
});

/** `count`: how many records there are. */
function recordCheck(count: number) {
  const isRecordNumber = (number: unknown): number is number => isCount(number) && number < count;
  return shaped({
    key: isText,
    kind: oneOf('module', 'commonjs', 'script', 'synthetic'),
    status: oneOf<ModuleStatus>('unlinked', 'linked', 'evaluating', 'evaluating-async', 'evaluated'),
    loaded: listOf(orNull(isRecordNumber)),
    cycleRoot: orNull(isRecordNumber),
    asyncEvaluationOrder: isNumber,
    asyncParents: listOf(isRecordNumber),
    pendingAsyncDependencies: isCount,
    /** `text` is code that the program made at run time. */
    what: oneOf('module', 'commonjs', 'facade', 'json', 'builtin', 'device', 'text'),
    filename: orNull(isText),
    /** Whether `import` finds it. */
    registered: isFlag,
    /** Names of the exports of a module whose exports are set from outside. */
    cells: listOf(isText),
    /** Whether there is one: the engine's, or an imitation of core's. */
    namespace: orNull(oneOf('real', 'imitated')),
    meta: isFlag,
    code: orNull(isCode),
  });
}

const isHead = shaped({
  /** Version of the transform. */
  transform: isText,
  node: isText,
  main: orNull(isText),
  cwd: isText,
  /** The directory of the package that the entry point belongs to, or its own. */
  root: orNull(isText),
  /** Where Turntable's own packages were: names and directories. */
  own: (value): value is readonly (readonly [name: string, directory: string])[] =>
    listOf(listOf(isText))(value) && value.every(({ length }) => length === 2),
  asyncOrder: isCount,
  /** Whether ticks go before jobs. */
  inTick: isFlag,
  /** How much the program still has to do at once. */
  waiting: shaped({ jobs: isCount, ticks: isCount, timers: isCount }),
  /** Builtin modules that have names in the heap, in the order in which they got them. */
  builtins: listOf(isText),
  nativeFiles: listOf(isText),
  /** Whether somebody had asked for Node's network classes, or put something in their places. */
  network: isFlag,
  /** Whether the program could be called from outside. */
  outside: isFlag,
  /** Installed packages that those belong to. */
  packages: listOf(shapedAs<PackageHead>({ name: isText, version: isText, directory: isText })),
  records: (value): value is readonly RecordHead[] => Array.isArray(value) && value.every(recordCheck(value.length)),
  devices: listOf(
    shapedAs<DeviceHead>({
      id: isCount,
      name: isText,
      callable: isFlag,
      listeners: listOf(isText),
      beyond: (value) =>
        value === undefined ||
        (Array.isArray(value) && value.length === 3 && isCount(value[0]) && isCount(value[1]) && isText(value[2])),
    }),
  ),
  /** What of outside stayed behind, by number. */
  handles: listOf(
    shapedAs<HandleHead>({
      class: isText,
      path: orNull(isText),
      listened: orNull(isText),
      beyond: (value) => value === undefined || isText(value) || isCount(value),
      kind: (value) => value === undefined || isCount(value),
    }),
  ),
  /** What the process waited for outside whose callbacks stayed behind with it. */
  operations: listOf(isText),
});

export type CodeHead = Checked<typeof isCode>;
export type RecordHead = Checked<ReturnType<typeof recordCheck>>;
export type ProgramHead = Checked<typeof isHead>;
