// A program's state as bytes: what stands between modules and which files they come from as JSON, everything else as heap. The layout is
// in docs/formats.md, "Programs". Reading trusts nothing: every number is checked against what exists before it is used.
//
// The head comes last, since what it says is known only when the heap has been written: that can be on its way by then.
//
//   "TTPS"  uint16 version  10 bytes zero  heap  head (UTF-8 JSON)  uint32 length of the head  uint32 CRC-32 of the head
import { crc32 } from 'node:zlib';
import { type CodeKind, LoaderError, type Origin, type RuntimeText } from '@turntable/loader';
import type { ModuleSkeleton } from '@turntable/core';
import type { DeviceHead } from '@turntable/boundary';
import type { HandleHead } from './handles.ts';
import type { PackageHead } from './loaded-packages.ts';

const MAGIC = 'TTPS';
const VERSION = 10;
/** As long as words of the heap are long, or a multiple of that. */
const FIXED = 16;
const TRAILER = 8;

/** The text a module is made of, and what of it the state refers to. */
export interface CodeHead {
  readonly kind: CodeKind | RuntimeText['kind'];
  /** Of settings and text. */
  readonly hash: string;
  /** What besides text and name has decided how a TypeScript file is compiled. */
  readonly settings: string;
  readonly instance: number;
  /** Of a text that stands in no file. */
  readonly source: string | null;
  /** Of a text that the program made: what the names in its code begin with, and what its markers call it. */
  readonly prefix: string | null;
  readonly id: string | null;
  readonly functions: readonly number[];
  readonly classes: readonly number[];
  /** Variables of the top scope that stay in their dead zones. */
  readonly dead: readonly string[];
}

export interface RecordHead extends ModuleSkeleton {
  /** `text` is code that the program made at run time. */
  readonly what: Origin['what'] | 'text';
  readonly filename: string | null;
  /** Whether `import` finds it. */
  readonly registered: boolean;
  /** Names of the exports of a module whose exports are set from outside. */
  readonly cells: readonly string[];
  /** Whether there is one: the engine's, or an imitation of core's. */
  readonly namespace: 'real' | 'imitated' | null;
  readonly meta: boolean;
  readonly code: CodeHead | null;
}

export interface ProgramHead {
  /** Version of the transform. */
  readonly transform: string;
  readonly node: string;
  readonly main: string | null;
  readonly cwd: string;
  /** The directory of the package that the entry point belongs to, or its own. */
  readonly root: string | null;
  /** Where Turntable's own packages were: names and directories. */
  readonly own: readonly (readonly [name: string, directory: string])[];
  readonly asyncOrder: number;
  /** Whether ticks go before jobs. */
  readonly inTick: boolean;
  /** How much the program still has to do at once. */
  readonly waiting: { readonly jobs: number; readonly ticks: number; readonly timers: number };
  /** Builtin modules that have names in the heap, in the order in which they got them. */
  readonly builtins: readonly string[];
  readonly nativeFiles: readonly string[];
  /** Whether somebody had asked for Node's network classes, or put something in their places. */
  readonly network: boolean;
  /** Whether the program could be called from outside. */
  readonly outside: boolean;
  /** Installed packages that those belong to. */
  readonly packages: readonly PackageHead[];
  readonly records: readonly RecordHead[];
  readonly devices: readonly DeviceHead[];
  /** What of outside stayed behind, by number. */
  readonly handles: readonly HandleHead[];
  /** What the process waited for outside whose callbacks stayed behind with it. */
  readonly operations: readonly string[];
}

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
  if (!isProgramHead(head)) throw damaged('the state is damaged: its head does not say what a program consists of');
  return { head, heap: all.subarray(FIXED, at) };
}

function damaged(message: string): LoaderError {
  return new LoaderError('TT_STATE', message);
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isNumber: Check = (value) => Number.isSafeInteger(value);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string);
const shaped =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));

const isCode = shaped({
  kind: oneOf('module', 'commonjs', 'function', 'script'),
  hash: isText,
  settings: isText,
  instance: isCount,
  source: orNull(isText),
  prefix: orNull((value) => isText(value) && /^\$[\w$]*$/.test(value as string)),
  id: orNull((value) => isText(value) && /^f\d{1,9}$/.test(value as string)),
  functions: listOf(isCount),
  classes: listOf(isCount),
  dead: listOf(isText),
} satisfies Record<keyof CodeHead, Check>);

const isShape = shaped({
  transform: isText,
  node: isText,
  main: orNull(isText),
  cwd: isText,
  root: orNull(isText),
  own: listOf((value) => Array.isArray(value) && value.length === 2 && value.every(isText)),
  asyncOrder: isCount,
  inTick: isFlag,
  waiting: shaped({ jobs: isCount, ticks: isCount, timers: isCount }),
  builtins: listOf(isText),
  nativeFiles: listOf(isText),
  network: isFlag,
  outside: isFlag,
  packages: listOf(
    shaped({ name: isText, version: isText, directory: isText } satisfies Record<keyof PackageHead, Check>),
  ),
  records: Array.isArray,
  devices: listOf(
    shaped({
      id: isCount,
      name: isText,
      callable: isFlag,
      listeners: listOf(isText),
      beyond: (value) =>
        value === undefined ||
        (Array.isArray(value) && value.length === 3 && isCount(value[0]) && isCount(value[1]) && isText(value[2])),
    } satisfies Record<keyof DeviceHead, Check>),
  ),
  handles: listOf(
    shaped({
      class: isText,
      path: orNull(isText),
      listened: orNull(isText),
      beyond: (value) => value === undefined || isText(value) || isCount(value),
      kind: (value) => value === undefined || isCount(value),
    } satisfies Record<keyof HandleHead, Check>),
  ),
  operations: listOf(isText),
} satisfies Record<keyof ProgramHead, Check>);

function isProgramHead(value: unknown): value is ProgramHead {
  if (!isShape(value)) return false;
  const { records } = value as ProgramHead;
  const isRecordNumber: Check = (number) => isCount(number) && (number as number) < records.length;
  const isRecord = shaped({
    key: isText,
    kind: oneOf('module', 'commonjs', 'script', 'synthetic'),
    status: oneOf('unlinked', 'linked', 'evaluating', 'evaluating-async', 'evaluated'),
    loaded: listOf(orNull(isRecordNumber)),
    cycleRoot: orNull(isRecordNumber),
    asyncEvaluationOrder: isNumber,
    asyncParents: listOf(isRecordNumber),
    pendingAsyncDependencies: isCount,
    what: oneOf('module', 'commonjs', 'facade', 'json', 'builtin', 'device', 'text'),
    filename: orNull(isText),
    registered: isFlag,
    cells: listOf(isText),
    namespace: orNull(oneOf('real', 'imitated')),
    meta: isFlag,
    code: orNull(isCode),
  } satisfies Record<keyof RecordHead, Check>);
  return records.every(isRecord);
}
