// What goes from one side of the membrane to the other, as a trace keeps it: primitives as they are, everything else as a list that begins with one of
// these. Numbers of handles and of exported objects are given in the order in which they cross, by both runs.
import { EventEmitter } from 'node:events';
import { types } from 'node:util';
import type { TapeValue } from '@turntable/core';

/** Begins a list. */
export const VALUE_FORM = {
  /** Its number; kind and name of its class, too, if it is the first time after a snapshot: who goes on from there may never have met it. */
  handle: 0,
  /** Kind, name of its class, prototype if that is a handle: a new one, with the next number. */
  newHandle: 1,
  /** Its number: something of the inside that the outside has. */
  exported: 2,
  /** Its path: an object of a builtin that is there in every process; the next number is its from now on. */
  static: 3,
  /** Its path: one object for both sides. */
  neutral: 4,
  /** Whether it has no prototype, then keys and values by turns. */
  plain: 5,
  array: 6,
  /** Kind and bytes; the next number of exported objects. */
  bytes: 7,
  /** See `errors.ts`; the next number of exported objects. */
  error: 8,
  /** A native promise: the next number of promises, and of exported objects. */
  promise: 9,
  /** Milliseconds; the next number of exported objects. */
  date: 10,
  /** A symbol that both sides can name. */
  symbol: 11,
  /** Its description, and the number of a symbol that nobody can name; with `symbol`s of the outside in their order. */
  ownSymbol: 12,
  hole: 13,
  /** Which kind, its facts: an object of the program's for something outside, which has the next number of handles after what is among its facts. */
  surrogate: 14,
  /** A list of records that have the same keys: whether they have no prototype, how many there are, then keys and lists of values by turns. */
  rows: 15,
  /** Its number: why a signal of the program's was aborted, which the outside throws or rejects with; the next number of exported objects. */
  abortReason: 16,
} as const;

/** What is done to a handle, or to something that was exported. */
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
  /** How a property that somebody inherits is set: by a setter, or on the heir. */
  setInherited: 14,
  /** Bytes that were lent are written. */
  fill: 15,
  /** A property of what a hand-made object stands for. */
  read: 16,
  /** A method of it is called, which has a name. */
  invoke: 17,
} as const;
/** What may be said of an operation. */
export const OP_FLAG = {
  threw: 32,
  /** The outside does it to the inside. */
  callback: 64,
  /** With `call`: what it is done to is neutral, and named by its path. */
  neutral: 128,
  /** Of an entry: it came in a turn of Node's that ends with rejections which are told of, as the turn of what came before does. */
  chained: 512,
  /** Of an entry: it came from a microtask of Node's, so jobs that it makes come before ticks. */
  microtask: 1024,
} as const;

/** What is noted besides operations. */
export const MEMBRANE_EVENT = {
  /** Numbers are free again: those of exported objects, of handles, of contexts. And numbers of hand-made objects with which the outside is done, if there are some. */
  released: OP_FLAG.callback + 33,
  /** Nobody has caught what the last entry threw. */
  uncaught: OP_FLAG.callback + 34,
  /** Nobody has caught what no code of the program has thrown. */
  failed: OP_FLAG.callback + 35,
  /** Nobody handles a rejection of which the program knows nothing. */
  rejected: OP_FLAG.callback + 36,
  /** The outside has written to standard output or error: descriptor and bytes; of an entry also whether it is chained. */
  shown: OP_FLAG.callback + 37,
  /** The connection of a response to a service's client is closed, and the response has no end: the response; of an entry also whether it is chained. */
  aborted: OP_FLAG.callback + 38,
} as const;

export type Op = (typeof OP)[keyof typeof OP];
const OP_NAMES = Object.entries(OP) as [string, number][];
const EVENT_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(MEMBRANE_EVENT).map(([name, code]) => [code, name]),
);

function opOf(code: number): number {
  return code & ~(OP_FLAG.threw | OP_FLAG.callback | OP_FLAG.neutral);
}

export function opName(code: number): string {
  return EVENT_NAMES.get(code) ?? OP_NAMES.find(([, op]) => op === opOf(code))?.[0] ?? `operation ${code}`;
}

const OP_TEXTS: Readonly<Record<Op, string>> = {
  [OP.get]: 'property',
  [OP.set]: 'sets',
  [OP.has]: 'whether there is',
  [OP.delete]: 'deletes',
  [OP.define]: 'defines',
  [OP.describe]: 'describes',
  [OP.keys]: 'keys',
  [OP.prototype]: 'prototype',
  [OP.setPrototype]: 'sets the prototype',
  [OP.apply]: 'a call',
  [OP.construct]: 'new',
  [OP.inspect]: 'how it is shown',
  [OP.isExtensible]: 'whether it can be extended',
  [OP.preventExtensions]: 'is extended no more',
  [OP.setInherited]: 'how it is set',
  [OP.fill]: 'writes bytes',
  [OP.read]: 'property',
  [OP.invoke]: 'a call',
};

/** For people: `property url of IncomingMessage#12`, `a call of fs.readFileSync`. */
export function opText(code: number, target: string | undefined, key: unknown): string {
  const operation = EVENT_NAMES.get(code) ?? OP_TEXTS[opOf(code) as Op] ?? opName(code);
  return `${operation}${key === undefined ? '' : ` ${String(key)}`}${target === undefined ? '' : ` of ${target}`}`;
}

/** What a property is that was described; with `FIXED_FLAG`, it stays that. */
export const PROPERTY_KIND = { data: 1, accessor: 2 } as const;
export const FIXED_FLAG = 4;

/** A method cannot be constructed, and has no `prototype`. */
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
/** Symbols that builtins export, by their descriptions: the program can have them otherwise than from here. */
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
/** Node's own: the program's answers handles. */
const { getBuiltinModule } = process;

/** Under which every emitter has something, whichever side has made it. */
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

/** `@@iterator`, `#` and the key of the registry, `:` and the description of a builtin's: undefined for others. */
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

/** Keys of what it has and inherits inside. */
function symbolsOn(object: object): symbol[] {
  const keys: symbol[] = [];
  for (
    let holder: object | null = object;
    holder !== null && !types.isProxy(holder);
    holder = Reflect.getPrototypeOf(holder)
  )
    keys.push(...Object.getOwnPropertySymbols(holder));
  return keys;
}

/** Symbols that stand in no table of names: numbered as they come. */
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

  /** The program's goes out: both runs know it from now on. */
  register(symbol: symbol): void {
    this.encode(symbol);
  }

  /** `holder`: of the program's, which the outside has asked for a property of that name. It may have found the symbol there, by looking at what it has. */
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

/** What is in it now: whoever takes this takes it before anybody can write there. */
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
