// What goes from one side of the membrane to the other, as a trace keeps it: primitives as they are, everything else as a list that begins with one of
// these. Numbers of handles and of exported objects are given in the order in which they cross, by both runs.
import { EventEmitter } from 'node:events';
import { types } from 'node:util';
import type { TapeValue } from '@turntable/core';

/** Begins a list. */
export const FORM = {
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
  handMade: 14,
  /** A list of records that have the same keys: whether they have no prototype, how many there are, then keys and lists of values by turns. */
  rows: 15,
  /** Its number: why a signal of the program's was aborted, which the outside throws or rejects with; the next number of exported objects. */
  reason: 16,
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
export const FLAG = {
  threw: 32,
  /** The outside does it to the inside. */
  call: 64,
  /** With `call`: what it is done to is neutral, and named by its path. */
  neutral: 128,
  /** Of an entry: it came in a turn of Node's that ends with rejections which are told of, as the turn of what came before does. */
  chained: 512,
  /** Of an entry: it came from a microtask of Node's, so jobs that it makes come before ticks. */
  microtask: 1024,
} as const;

/** What is noted besides operations. */
export const EVENT = {
  /** Numbers are free again: those of exported objects, of handles, of contexts. And numbers of hand-made objects with which the outside is done, if there are some. */
  released: FLAG.call + 33,
  /** Nobody has caught what the last entry threw. */
  uncaught: FLAG.call + 34,
  /** Nobody has caught what no code of the program has thrown. */
  failed: FLAG.call + 35,
  /** Nobody handles a rejection of which the program knows nothing. */
  rejected: FLAG.call + 36,
  /** The outside has written to standard output or error: descriptor and bytes; of an entry also whether it is chained. */
  shown: FLAG.call + 37,
  /** The connection of a response to a service's client is closed, and the response has no end: the response; of an entry also whether it is chained. */
  aborted: FLAG.call + 38,
} as const;

export type Op = (typeof OP)[keyof typeof OP];
const NAMES = Object.entries(OP) as [string, number][];
const EVENT_NAMES: ReadonlyMap<number, string> = new Map(Object.entries(EVENT).map(([name, code]) => [code, name]));

function operationIn(code: number): number {
  return code & ~(FLAG.threw | FLAG.call | FLAG.neutral);
}

export function opName(code: number): string {
  return EVENT_NAMES.get(code) ?? NAMES.find(([, op]) => op === operationIn(code))?.[0] ?? `operation ${code}`;
}

const ASKED: Readonly<Record<Op, string>> = {
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
export function opText(code: number, whom: string | undefined, key: unknown): string {
  const what = EVENT_NAMES.get(code) ?? ASKED[operationIn(code) as Op] ?? opName(code);
  return `${what}${key === undefined ? '' : ` ${String(key)}`}${whom === undefined ? '' : ` of ${whom}`}`;
}

/** What a property is that was described; with `FIXED`, it stays that. */
export const PROPERTY = { data: 1, accessor: 2 } as const;
export const FIXED = 4;

/** A method cannot be constructed, and has no `prototype`. */
export const KIND = { object: 0, function: 1, array: 2, method: 3 } as const;

export type Coded = TapeValue;
export type CodedList = readonly TapeValue[];

const WELL_KNOWN: ReadonlyMap<symbol, string> = new Map(
  Reflect.ownKeys(Symbol).flatMap((key) => {
    const value: unknown = (Symbol as unknown as Record<PropertyKey, unknown>)[key];
    return typeof value === 'symbol' && typeof key === 'string' ? [[value, `@@${key}`] as const] : [];
  }),
);
const BY_NAME: ReadonlyMap<string, symbol> = new Map([...WELL_KNOWN].map(([symbol, name]) => [name, symbol]));
/** Symbols that builtins export, by their descriptions: the program can have them otherwise than from here. */
const OF_BUILTINS: Readonly<Record<string, readonly [builtin: string, name: string]>> = {
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
const OF_EMITTERS: ReadonlyMap<string, symbol> = new Map(
  [EventEmitter.prototype, new EventEmitter()].flatMap((each) =>
    Object.getOwnPropertySymbols(each).flatMap((symbol) =>
      symbol.description === undefined ? [] : [[symbol.description, symbol] as const],
    ),
  ),
);

function ofBuiltin(description: string): symbol | undefined {
  const ofEmitters = OF_EMITTERS.get(description);
  if (ofEmitters !== undefined) return ofEmitters;
  const [builtin, name] = Object.hasOwn(OF_BUILTINS, description) ? (OF_BUILTINS[description] ?? []) : [];
  if (builtin === undefined || name === undefined) return undefined;
  const found: unknown = (getBuiltinModule(builtin) as Record<string, unknown> | undefined)?.[name];
  return typeof found === 'symbol' ? found : undefined;
}

/** `@@iterator`, `#` and the key of the registry, `:` and the description of a builtin's: undefined for others. */
export function nameOfSymbol(symbol: symbol): string | undefined {
  const key = Symbol.keyFor(symbol);
  if (key !== undefined) return `#${key}`;
  const { description } = symbol;
  if (description !== undefined && ofBuiltin(description) === symbol) return `:${description}`;
  return WELL_KNOWN.get(symbol);
}

export function symbolNamed(name: string): symbol | undefined {
  if (name.startsWith('#')) return Symbol.for(name.slice(1));
  return name.startsWith(':') ? ofBuiltin(name.slice(1)) : BY_NAME.get(name);
}

/** Keys of what it has and inherits inside. */
function symbolsOn(object: object): symbol[] {
  const keys: symbol[] = [];
  for (let at: object | null = object; at !== null && !types.isProxy(at); at = Reflect.getPrototypeOf(at))
    keys.push(...Object.getOwnPropertySymbols(at));
  return keys;
}

/** Symbols that stand in no table of names: numbered as they come. */
export class SymbolNumbers {
  readonly #codes = new Map<symbol, Coded>();
  readonly #symbols: symbol[] = [];

  code(symbol: symbol): Coded {
    const known = this.#codes.get(symbol);
    if (known !== undefined) return known;
    const name = nameOfSymbol(symbol);
    if (name === undefined) return [...this.#add(symbol), symbol.description];
    const coded = [FORM.symbol, name];
    this.#codes.set(symbol, coded);
    return coded;
  }

  /** The program's goes out: both runs know it from now on. */
  meet(symbol: symbol): void {
    this.code(symbol);
  }

  /** `on`: of the program's, which the outside has asked for a property of that name. It may have found the symbol there, by looking at what it has. */
  decode([form, what, description]: CodedList, on?: object): symbol {
    if (form === FORM.symbol) return symbolNamed(what as string) ?? Symbol(what as string);
    const known = this.#symbols[what as number];
    if (known !== undefined) return known;
    const isIt = (key: symbol): boolean => key.description === description && !this.#codes.has(key);
    const symbol = (on && symbolsOn(on).find(isIt)) ?? Symbol(description as string | undefined);
    this.#add(symbol);
    return symbol;
  }

  read(): readonly symbol[] {
    return [...this.#symbols];
  }

  write(symbols: readonly symbol[]): void {
    for (const symbol of symbols) this.#add(symbol);
  }

  #add(symbol: symbol): number[] {
    const coded = [FORM.ownSymbol, this.#symbols.length];
    this.#codes.set(symbol, coded);
    this.#symbols.push(symbol);
    return coded;
  }
}

const VIEWS = [
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

type ViewMaker = new (buffer: ArrayBuffer) => ArrayBufferView;

/** What is in it now: whoever takes this takes it before anybody can write there. */
export function codeBytes(value: ArrayBufferView | ArrayBuffer): Coded {
  if (Buffer.isBuffer(value)) return [FORM.bytes, 0, value];
  if (value instanceof ArrayBuffer) return [FORM.bytes, 1, new Uint8Array(value)];
  const kind = VIEWS.indexOf(Object.prototype.toString.call(value).slice(8, -1) as 'DataView');
  return [FORM.bytes, Math.max(kind, 0), new Uint8Array(value.buffer, value.byteOffset, value.byteLength)];
}

export function bytesOf([, kind, noted]: CodedList): object {
  const bytes = noted as Uint8Array;
  if (kind === 0) return Buffer.from(bytes);
  const { buffer } = bytes.slice();
  if (kind === 1) return buffer;
  const name = VIEWS[kind as number] ?? 'Uint8Array';
  return new ((globalThis as unknown as Record<string, ViewMaker>)[name] as ViewMaker)(buffer as ArrayBuffer);
}
