// A program's state as bytes: the structure of modules and their files as JSON, everything else as a heap.
// docs/internals/formats.md, "Programs", describes the layout. Readers check the type and range of every value before use.
//
// The head comes last, since its contents are known only after the heap, which can be written meanwhile.
//
// "TTPS", uint16 version, 10 zero bytes, heap, head (UTF-8 JSON), uint32 length of the head, uint32 CRC-32 of the head
import { crc32 } from 'node:zlib';
import type { ModuleStatus } from '@turntable/core';
import { LoaderError } from '@turntable/loader';
import type { DeviceHead } from '@turntable/boundary';
import type { HandleHead } from './handle-capturer.ts';
import type { PackageHead } from './loaded-packages.ts';

const STATE_MAGIC = 'TTPS';
const STATE_VERSION = 10;
/** Size of the bytes before the heap: a multiple of the heap's word size. */
const PREAMBLE_BYTES = 16;
const TRAILER_BYTES = 8;

export function encodeState(head: ProgramHead, heap: Uint8Array): Buffer {
  return concatenate(stateStart(), heap, stateEnd(head));
}

/** The bytes before the heap. */
export function stateStart(): Buffer<ArrayBuffer> {
  const start = Buffer.from(new ArrayBuffer(PREAMBLE_BYTES));
  start.write(STATE_MAGIC, 0, 'latin1');
  start.writeUInt16LE(STATE_VERSION, 4);
  return start;
}

/** The bytes after the heap. */
export function stateEnd(head: ProgramHead): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  const trailer = Buffer.alloc(TRAILER_BYTES);
  trailer.writeUInt32LE(json.length, 0);
  trailer.writeUInt32LE(crc32(json), 4);
  return Buffer.concat([json, trailer]);
}

/** Concatenates pieces into a new buffer, which can be transferred to another thread. */
export function concatenate(...pieces: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const combined = Buffer.from(new ArrayBuffer(pieces.reduce((sum, { length }) => sum + length, 0)));
  let offset = 0;
  for (const part of pieces) {
    combined.set(part, offset);
    offset += part.length;
  }
  return combined;
}

export function decodeState(bytes: Uint8Array): { head: ProgramHead; heap: Uint8Array } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length < PREAMBLE_BYTES || buffer.toString('latin1', 0, 4) !== STATE_MAGIC)
    throw damagedStateError('this is not the state of a program; name a file that turntable run --capture wrote');
  const version = buffer.readUInt16LE(4);
  if (version !== STATE_VERSION) {
    throw damagedStateError(
      `the state has format ${version}, this Turntable reads format ${STATE_VERSION}; restore it with the version that captured it`,
    );
  }
  const end = buffer.length - TRAILER_BYTES;
  const length = end < PREAMBLE_BYTES ? Infinity : buffer.readUInt32LE(end);
  const headOffset = end - length;
  const json = buffer.subarray(Math.max(headOffset, PREAMBLE_BYTES), Math.max(end, PREAMBLE_BYTES));
  if (headOffset < PREAMBLE_BYTES || crc32(json) !== buffer.readUInt32LE(end + 4))
    throw damagedStateError('the state is damaged or truncated; copy it again');
  let head: unknown;
  try {
    head = JSON.parse(json.toString());
  } catch (error) {
    throw new LoaderError('TT_STATE', 'the state is damaged: its head is not valid JSON; copy it again', {
      cause: error,
    });
  }
  if (!isProgramHead(head)) throw damagedStateError('the state is damaged: its head is incomplete; copy it again');
  return { head, heap: buffer.subarray(PREAMBLE_BYTES, headOffset) };
}

function damagedStateError(message: string): LoaderError {
  return new LoaderError('TT_STATE', message);
}

/** A runtime check that determines a static type. */
type TypeGuard<T> = (value: unknown) => value is T;
type GuardedType<C> = C extends TypeGuard<infer T> ? T : never;

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isSafeInteger(value) && value >= 0;
const orNull =
  <T>(check: TypeGuard<T>): TypeGuard<T | null> =>
  (value) =>
    value === null || check(value);
const listOf =
  <T>(check: TypeGuard<T>): TypeGuard<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(check);
const oneOf =
  <T extends string>(...values: readonly T[]): TypeGuard<T> =>
  (value): value is T =>
    values.includes(value as T);
const stringMatching =
  (pattern: RegExp): TypeGuard<string> =>
  (value): value is string =>
    isString(value) && pattern.test(value);
const objectOf =
  <S extends Readonly<Record<string, TypeGuard<unknown>>>>(
    checks: S,
  ): TypeGuard<{ readonly [K in keyof S]: GuardedType<S[K]> }> =>
  (value): value is { readonly [K in keyof S]: GuardedType<S[K]> } =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));

/** Checks a type that is declared elsewhere. */
const objectLike = <T extends object>(checks: Readonly<Record<keyof T, (value: unknown) => boolean>>): TypeGuard<T> =>
  objectOf(checks as never) as unknown as TypeGuard<T>;

/** A module's source, and the functions and classes of it that the state refers to. */
const isCodeHead = objectOf({
  kind: oneOf('module', 'commonjs', 'function', 'script'),
  /** Hash of settings and source. */
  hash: isString,
  /** Settings that determine how a TypeScript file is compiled. */
  settings: isString,
  instance: isCount,
  /** The source, if it is in no file; otherwise null. */
  source: orNull(isString),
  /** For code created at run time: the prefix of its names, and its id in markers. */
  prefix: orNull(stringMatching(/^\$[\w$]*$/)),
  id: orNull(stringMatching(/^f\d{1,9}$/)),
  functions: listOf(isCount),
  classes: listOf(isCount),
  /** Uninitialised variables of the top scope. */
  uninitialised: listOf(isString),
});

/** @param count number of records */
function createRecordGuard(count: number) {
  const isRecordNumber = (number: unknown): number is number => isCount(number) && number < count;
  return objectOf({
    key: isString,
    kind: oneOf('module', 'commonjs', 'script', 'synthetic'),
    status: oneOf<ModuleStatus>('unlinked', 'linked', 'evaluating', 'evaluating-async', 'evaluated'),
    loaded: listOf(orNull(isRecordNumber)),
    cycleRoot: orNull(isRecordNumber),
    asyncEvaluationOrder: isSafeInteger,
    asyncParents: listOf(isRecordNumber),
    pendingAsyncDependencies: isCount,
    /** `text` is code created at run time. */
    originKind: oneOf('module', 'commonjs', 'facade', 'json', 'builtin', 'device', 'text'),
    filename: orNull(isString),
    /** Whether `import` finds the record. */
    isRegistered: isBoolean,
    /** Names of the exports that are set from outside the module. */
    cells: listOf(isString),
    /** Kind of the namespace object: the engine's or core's imitation; null if there is none. */
    namespace: orNull(oneOf('real', 'imitated')),
    hasMetaObject: isBoolean,
    code: orNull(isCodeHead),
  });
}

const isProgramHead = objectOf({
  /** Version of the transform. */
  transform: isString,
  node: isString,
  main: orNull(isString),
  cwd: isString,
  /** The directory of the entry point's package, or of the entry point. */
  root: orNull(isString),
  /** The directories of Turntable's packages, by name. */
  ownPackages: (value): value is readonly (readonly [name: string, directory: string])[] =>
    listOf(listOf(isString))(value) && value.every(({ length }) => length === 2),
  asyncOrder: isCount,
  /** Whether ticks run before jobs. */
  inTick: isBoolean,
  /** Numbers of queued jobs and ticks and of pending timers. */
  pendingWork: objectOf({ jobs: isCount, ticks: isCount, timers: isCount }),
  /** Builtins that have names in the heap, in order. */
  builtins: listOf(isString),
  nativeFiles: listOf(isString),
  /** Whether the program has used or replaced Node's network classes. */
  usesNetworkClasses: isBoolean,
  /** Whether the host could call the program. */
  hasHostCallbacks: isBoolean,
  /** Installed packages with native files. */
  packages: listOf(objectLike<PackageHead>({ name: isString, version: isString, directory: isString })),
  records: (value): value is readonly RecordHead[] =>
    Array.isArray(value) && value.every(createRecordGuard(value.length)),
  devices: listOf(
    objectLike<DeviceHead>({
      id: isCount,
      name: isString,
      isCallable: isBoolean,
      listeners: listOf(isString),
      handle: (value) =>
        value === undefined ||
        (Array.isArray(value) && value.length === 3 && isCount(value[0]) && isCount(value[1]) && isString(value[2])),
    }),
  ),
  /** Handles left behind; the index is the number. */
  handles: listOf(
    objectLike<HandleHead>({
      class: isString,
      path: orNull(isString),
      listenAddress: orNull(isString),
      membraneHandle: (value) => value === undefined || isString(value) || isCount(value),
      kind: (value) => value === undefined || isCount(value),
    }),
  ),
  /** Pending operations of the host, whose callbacks were left behind. */
  pendingOperations: listOf(isString),
});

export type CodeHead = GuardedType<typeof isCodeHead>;
export type RecordHead = GuardedType<ReturnType<typeof createRecordGuard>>;
export type ProgramHead = GuardedType<typeof isProgramHead>;
