// The trace format of what crosses the membrane: codes of operations and events, and values. A primitive is encoded as
// itself, everything else as a list that begins with a `VALUE_FORM`. Handles, exports and promises are numbered in the
// order in which they cross, equally in the recorded run and its replay, so a number that both can derive is not
// written.
import { EventEmitter } from 'node:events';
import { types } from 'node:util';
import type { TapeValue } from '@turntable/core';

const { getPrototypeOf } = Reflect;
const { isProxy } = types;

/** Forms of encoded values: the first element of a list. Each comment names the elements that follow it. */
export const VALUE_FORM = {
  /** Number. The first time after a cut also kind and label, because a replay may start from the snapshot there. */
  handle: 0,
  /** Kind, label, prototype (encoded) or null: a new handle, with the next number. */
  newHandle: 1,
  /** Number of an exported program object. */
  exported: 2,
  /** Path of an object of a builtin, which every process has; assigns the next handle number to it. */
  static: 3,
  /** Path of an object that both sides share. */
  neutral: 4,
  /** Whether the prototype is null, then keys and values in turn. */
  plain: 5,
  array: 6,
  /** View kind and bytes; assigns the next export number. */
  bytes: 7,
  /** See `error-encoding.ts`; assigns the next export number. */
  error: 8,
  /** A native promise; assigns the next promise number and the next export number. */
  promise: 9,
  /** Milliseconds; assigns the next export number. */
  date: 10,
  /** Name of a symbol that both sides can look up. */
  symbol: 11,
  /** Number and description of any other symbol. Symbols of both sides share the numbers. */
  ownSymbol: 12,
  hole: 13,
  /** Surrogate type and initial values; assigns the next handle number after the values. */
  surrogate: 14,
  /** A list of records with equal keys: whether their prototype is null, count, then keys and columns in turn. */
  rows: 15,
  /** Export number of a signal whose abort reason crosses; assigns the next export number to the reason. */
  abortReason: 16,
} as const;

/** Operations on a handle or on an exported object. */
export const OP = {
  get: 0,
  set: 1,
  has: 2,
  delete: 3,
  define: 4,
  describe: 5,
  keys: 6,
  prototype: 7,
  setPrototype: 8,
  apply: 9,
  construct: 10,
  inspect: 11,
  isExtensible: 12,
  preventExtensions: 13,
  /** Sets a property on a program object that inherits from a handle. Undefined if it must get an own property. */
  setInherited: 14,
  /** The host has written to a lent buffer. */
  fill: 15,
  /** Reads a property of a surrogate's host object. */
  read: 16,
  /** Calls a named method of a surrogate's host object. */
  invoke: 17,
} as const;
/** Flags of an operation's code. */
export const OP_FLAG = {
  threw: 32,
  /** The host operates on a program object. */
  callback: 64,
  /** On a callback: its object is neutral and identified by path. */
  neutral: 128,
  /** On a callback: Node calls it while it resolves a module. */
  lookup: 256,
  /** On an entry: it shares a tick with the entry before, and Node reports unhandled rejections after this tick. */
  chained: 512,
  /** On an entry: it comes from Node's microtask queue, so the jobs that it queues run before ticks. */
  microtask: 1024,
} as const;

/** Events other than operations. */
export const MEMBRANE_EVENT = {
  /** Numbers no longer in use: exports, handles, contexts, and, if there are any, finished surrogates. */
  released: OP_FLAG.callback + 33,
  /** No host code has caught the error that the last entry threw. */
  uncaught: OP_FLAG.callback + 34,
  /** No code has caught an error that no program code has thrown. */
  failed: OP_FLAG.callback + 35,
  /** A promise unknown to the program was rejected without a handler. */
  rejected: OP_FLAG.callback + 36,
  /** Host code has written to standard output or error: descriptor, bytes, and for an entry whether it is chained. */
  shown: OP_FLAG.callback + 37,
  /** A response of a service was closed before its end: the response, and for an entry whether it is chained. */
  aborted: OP_FLAG.callback + 38,
} as const;

export type Op = (typeof OP)[keyof typeof OP];
/** The property that an operation applies to; undefined for operations on the whole object. */
export type OpKey = PropertyKey | undefined;
const OP_NAMES = Object.entries(OP) as [string, number][];
const EVENT_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(MEMBRANE_EVENT).map(([name, code]) => [code, name]),
);

function opOf(code: number): number {
  return code & ~(OP_FLAG.threw | OP_FLAG.callback | OP_FLAG.neutral | OP_FLAG.lookup);
}

export function opName(code: number): string {
  return EVENT_NAMES.get(code) ?? OP_NAMES.find(([, op]) => op === opOf(code))?.[0] ?? `operation ${code}`;
}

const OP_TEXTS: Readonly<Record<Op, string>> = {
  [OP.get]: 'property',
  [OP.set]: 'sets',
  [OP.has]: 'has',
  [OP.delete]: 'deletes',
  [OP.define]: 'defines',
  [OP.describe]: 'descriptor',
  [OP.keys]: 'keys',
  [OP.prototype]: 'prototype',
  [OP.setPrototype]: 'sets the prototype',
  [OP.apply]: 'a call',
  [OP.construct]: 'new',
  [OP.inspect]: 'inspection',
  [OP.isExtensible]: 'extensibility',
  [OP.preventExtensions]: 'prevents extensions',
  [OP.setInherited]: 'sets inherited',
  [OP.fill]: 'writes bytes',
  [OP.read]: 'property',
  [OP.invoke]: 'a call',
};

/** Text of an operation, such as `property url of IncomingMessage#12` or `a call of fs.readFileSync`. */
export function opText(code: number, target: string | undefined, key: unknown): string {
  const operation = EVENT_NAMES.get(code) ?? OP_TEXTS[opOf(code) as Op] ?? opName(code);
  return `${operation}${key === undefined ? '' : ` ${String(key)}`}${target === undefined ? '' : ` of ${target}`}`;
}

/** Kinds of a described property. `FIXED_FLAG` is added if the property is not configurable. */
export const PROPERTY_KIND = { data: 1, accessor: 2 } as const;
export const FIXED_FLAG = 4;

/** Kinds of proxy targets. A method cannot be constructed and has no `prototype`. */
export const HANDLE_KIND = { object: 0, function: 1, array: 2, method: 3 } as const;

export type EncodedValue = TapeValue;
export type EncodedList = readonly TapeValue[];

const WELL_KNOWN_SYMBOLS: ReadonlyMap<symbol, string> = new Map(
  Reflect.ownKeys(Symbol).flatMap((key) => {
    const value: unknown = (Symbol as unknown as Record<PropertyKey, unknown>)[key];
    return typeof value === 'symbol' && typeof key === 'string' ? [[value, `@@${key}`] as const] : [];
  }),
);
const SYMBOLS_BY_NAME: ReadonlyMap<string, symbol> = new Map(
  [...WELL_KNOWN_SYMBOLS].map(([symbol, name]) => [name, symbol]),
);
/** Symbols that builtins export, by description. The program can also reach them through its own objects. */
const BUILTIN_SYMBOLS: Readonly<Record<string, readonly [builtin: string, name: string]>> = {
  'events.errorMonitor': ['events', 'errorMonitor'],
  'events.maxEventTargetListeners': ['events', 'kMaxEventTargetListeners'],
  'events.maxEventTargetListenersWarned': ['events', 'kMaxEventTargetListenersWarned'],
  IncomingMessage: ['_http_common', 'kIncomingMessage'],
  SkipPendingData: ['_http_common', 'kSkipPendingData'],
  ServerResponse: ['_http_server', 'kServerResponse'],
  'http.server.connectionsCheckingInterval': ['_http_server', 'kConnectionsCheckingInterval'],
  kHighWaterMark: ['_http_outgoing', 'kHighWaterMark'],
  kUniqueHeaders: ['_http_outgoing', 'kUniqueHeaders'],
  kDetachAbortSignal: ['_http_incoming', 'kDetachAbortSignal'],
  sensitiveHeaders: ['http2', 'sensitiveHeaders'],
};
/** Node's own function. The program's version returns handles. */
const { getBuiltinModule } = process;

/** Symbols by description that every emitter has as keys, whichever side has created it. */
const EMITTER_SYMBOLS: ReadonlyMap<string, symbol> = new Map(
  [EventEmitter.prototype, new EventEmitter()].flatMap((emitter) =>
    Object.getOwnPropertySymbols(emitter).flatMap((symbol) =>
      symbol.description === undefined ? [] : [[symbol.description, symbol] as const],
    ),
  ),
);

function builtinSymbol(description: string): symbol | undefined {
  const emitterSymbol = EMITTER_SYMBOLS.get(description);
  if (emitterSymbol !== undefined) return emitterSymbol;
  const [builtin, name] = Object.hasOwn(BUILTIN_SYMBOLS, description) ? (BUILTIN_SYMBOLS[description] ?? []) : [];
  if (builtin === undefined || name === undefined) return undefined;
  const exported: unknown = (getBuiltinModule(builtin) as Record<string, unknown> | undefined)?.[name];
  return typeof exported === 'symbol' ? exported : undefined;
}

/** Shared name of a symbol: `@@iterator`, `#` and a registry key, or `:` and the description of a builtin's symbol. */
export function symbolName(symbol: symbol): string | undefined {
  const key = Symbol.keyFor(symbol);
  if (key !== undefined) return `#${key}`;
  const { description } = symbol;
  if (description !== undefined && builtinSymbol(description) === symbol) return `:${description}`;
  return WELL_KNOWN_SYMBOLS.get(symbol);
}

export function symbolByName(name: string): symbol | undefined {
  if (name.startsWith('#')) return Symbol.for(name.slice(1));
  return name.startsWith(':') ? builtinSymbol(name.slice(1)) : SYMBOLS_BY_NAME.get(name);
}

/** Returns the symbol keys of a program object and its prototypes. */
function symbolsOn(object: object): symbol[] {
  const keys: symbol[] = [];
  for (let holder: object | null = object; holder !== null && !isProxy(holder); holder = getPrototypeOf(holder))
    keys.push(...Object.getOwnPropertySymbols(holder));
  return keys;
}

/** Symbols without a name, numbered in the order of their first crossing. */
export class SymbolTable {
  readonly #encoded = new Map<symbol, EncodedValue>();
  readonly #symbols: symbol[] = [];

  encode(symbol: symbol): EncodedValue {
    const knownEncoding = this.#encoded.get(symbol);
    if (knownEncoding !== undefined) return knownEncoding;
    const name = symbolName(symbol);
    if (name === undefined) return [...this.#add(symbol), symbol.description];
    const encoded = [VALUE_FORM.symbol, name];
    this.#encoded.set(symbol, encoded);
    return encoded;
  }

  /** Numbers a symbol that the program exports. A recorded run and its replay must number it at the same event. */
  register(symbol: symbol): void {
    this.encode(symbol);
  }

  /** @param holder program object whose property is accessed; the host may have found the symbol there by reflection */
  decode([form, nameOrNumber, description]: EncodedList, holder?: object): symbol {
    if (form === VALUE_FORM.symbol) return symbolByName(nameOrNumber as string) ?? Symbol(nameOrNumber as string);
    const knownSymbol = this.#symbols[nameOrNumber as number];
    if (knownSymbol !== undefined) return knownSymbol;
    const isUnregisteredMatch = (key: symbol): boolean => key.description === description && !this.#encoded.has(key);
    const symbol = (holder && symbolsOn(holder).find(isUnregisteredMatch)) ?? Symbol(description as string | undefined);
    this.#add(symbol);
    return symbol;
  }

  capture(): readonly symbol[] {
    return [...this.#symbols];
  }

  restore(symbols: readonly symbol[]): void {
    for (const symbol of symbols) this.#add(symbol);
  }

  #add(symbol: symbol): number[] {
    const encoded = [VALUE_FORM.ownSymbol, this.#symbols.length];
    this.#encoded.set(symbol, encoded);
    this.#symbols.push(symbol);
    return encoded;
  }
}

const VIEW_NAMES = [
  'Buffer',
  'ArrayBuffer',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int8Array',
  'Uint16Array',
  'Int16Array',
  'Uint32Array',
  'Int32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'DataView',
] as const;

type ViewConstructor = new (buffer: ArrayBuffer) => ArrayBufferView;

/** Encodes without a copy, so the tape must consume the bytes before any other code runs. */
export function encodeBytes(value: ArrayBufferView | ArrayBuffer): EncodedValue {
  if (Buffer.isBuffer(value)) return [VALUE_FORM.bytes, 0, value];
  if (value instanceof ArrayBuffer) return [VALUE_FORM.bytes, 1, new Uint8Array(value)];
  const kind = VIEW_NAMES.indexOf(Object.prototype.toString.call(value).slice(8, -1) as 'DataView');
  return [VALUE_FORM.bytes, Math.max(kind, 0), new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
}

export function decodeBytes([, kind, recorded]: EncodedList): object {
  const bytes = recorded as Uint8Array;
  if (kind === 0) return Buffer.from(bytes);
  const { buffer } = bytes.slice();
  if (kind === 1) return buffer;
  const name = VIEW_NAMES[kind as number] ?? 'Uint8Array';
  return new ((globalThis as unknown as Record<string, ViewConstructor>)[name] as ViewConstructor)(
    buffer as ArrayBuffer,
  );
}
