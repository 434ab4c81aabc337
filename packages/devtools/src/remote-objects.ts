// Values as clients know them: by what can be said of them at once, and an id by which their parts can be asked for, the first hundred and the others in pieces. Ids are forgotten when all go
// elsewhere.
import {
  allResidents,
  Numbered,
  piecesOf,
  SeenValues,
  type Client,
  type Range,
  type ToldEntry,
  type Whole,
} from '@turntable/replay/client';
import type { ToldValue } from '@turntable/replay/protocol';
import { DevtoolsError } from './devtools-error.ts';

export interface RemoteObject {
  readonly type: string;
  readonly subtype?: string | undefined;
  readonly className?: string | undefined;
  readonly value?: unknown;
  readonly unserializableValue?: string | undefined;
  readonly description?: string | undefined;
  readonly objectId?: string | undefined;
}

interface Property {
  readonly name: string;
  readonly value?: RemoteObject | undefined;
  readonly [more: string]: unknown;
}

export interface Properties {
  readonly result: Property[];
  readonly internalProperties: Property[];
  readonly privateProperties: Property[];
}

/** What an id stands for. */
interface Held {
  /** Nothing, if it is nothing of the program's. */
  readonly whole: Whole | undefined;
  open(): Promise<Properties>;
}

const PAGE = 100;
const ALL: Range = { from: 0, to: Number.MAX_SAFE_INTEGER };
const UNKNOWN: RemoteObject = { type: 'undefined' };
const SUBTYPES: Readonly<Record<string, string>> = {
  Array: 'array',
  Map: 'map',
  Set: 'set',
  WeakMap: 'weakmap',
  WeakSet: 'weakset',
  Date: 'date',
  RegExp: 'regexp',
  Promise: 'promise',
  Proxy: 'proxy',
  ArrayBuffer: 'arraybuffer',
  DataView: 'dataview',
};

export class RemoteObjects {
  readonly #client: Client;
  readonly #values: SeenValues;
  readonly #held = new Numbered<Held>();

  constructor(client: Client) {
    this.#client = client;
    this.#values = new SeenValues(client);
  }

  /** All stand elsewhere. */
  forget(): void {
    this.#values.forget();
    this.#held.forget();
  }

  // ── What there is ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The variables of a frame. @param at where it stands */
  scope(frame: number, at: string | undefined): RemoteObject {
    const whole = this.#values.frame(frame, at);
    const open = async (): Promise<Properties> => {
      const found = await this.#properties(whole, { from: 0, to: PAGE });
      return { ...found, result: found.result.filter(({ name }) => name !== 'this') };
    };
    return { ...object('Object', 'variables'), objectId: this.#idOf({ whole: undefined, open }) };
  }

  /** What `this` is in a frame; undefined, if it is not known. */
  async self(frame: number, at: string | undefined): Promise<RemoteObject | undefined> {
    return (await this.named(frame, at, 'this')) ?? undefined;
  }

  /** A variable of a frame. */
  async named(frame: number, at: string | undefined, name: string): Promise<RemoteObject | undefined> {
    const whole = this.#values.frame(frame, at);
    const { entries } = await this.#values.partsOf(whole, ALL);
    const index = entries.findIndex((each) => each.name === name);
    const entry = entries[index];
    return entry && this.#part(whole, entry, index);
  }

  /** What `this` is in a frame that nobody may look at: it is looked at when it is opened. */
  laterSelf(frame: number, at: string | undefined): RemoteObject {
    const open = async (): Promise<Properties> => {
      const self = await this.self(frame, at);
      if (self?.objectId !== undefined) return this.properties(self.objectId);
      return { result: [propertyOf('this', self ?? UNKNOWN)], internalProperties: [], privateProperties: [] };
    };
    return { ...object('Object', 'this'), objectId: this.#idOf({ whole: undefined, open }) };
  }

  /** All that live where all stand, with what waits for them. */
  actors(): RemoteObject {
    const open = async (): Promise<Properties> => {
      const all = await allResidents(this.#client);
      const result = all.flatMap((actor, i): Property[] => {
        const { worker, name, value, waiting } = actor;
        const called = worker === 0 ? name : `${name} (worker ${worker})`;
        const again = async (): Promise<ToldValue | undefined> => (await allResidents(this.#client))[i]?.value;
        const whole = value && this.#values.value(value, { expression: undefined, at: undefined }, again);
        const state = value === undefined ? [] : [propertyOf(called, this.#told(value, whole))];
        const mailbox = { ...object('Array', `Array(${waiting})`), subtype: 'array' };
        const waits = propertyOf(`mailbox of ${called}`, {
          ...mailbox,
          objectId: this.#holding(this.#values.mailbox(actor)),
        });
        return waiting === 0 ? state : [...state, waits];
      });
      return { result, internalProperties: [], privateProperties: [] };
    };
    return { ...object('Object', 'actors'), objectId: this.#idOf({ whole: undefined, open }) };
  }

  /** What an expression has come to. @param again evaluates it once more */
  evaluated(value: ToldValue, expression: string, again: () => Promise<ToldValue | undefined>): RemoteObject {
    return this.#told(value, this.#values.value(value, { expression, at: undefined }, again));
  }

  // ── What clients ask ─────────────────────────────────────────────────────────────────────────────────────────────────

  properties(id: string): Promise<Properties> {
    return this.#heldBy(id).open();
  }

  /** What leads to an object in the innermost function where all stand; undefined, if nothing does. */
  expressionOf(id: string, here: string): string | undefined {
    const { whole } = this.#heldBy(id);
    return whole === undefined || (whole.at !== undefined && whole.at !== here) ? undefined : whole.expression;
  }

  #heldBy(id: string): Held {
    const held = this.#held.get(Number(id));
    if (held === undefined) throw new DevtoolsError('TT_CDP_NOT_THERE', 'Could not find object with given id');
    return held;
  }

  #idOf(held: Held): string {
    return String(this.#held.add(held));
  }

  #holding(whole: Whole, range?: Range): string {
    return this.#idOf({ whole, open: () => this.#properties(whole, range ?? { from: 0, to: PAGE }, range?.to) });
  }

  /** @param last before which there is nothing to be told; all there is, unless it is said */
  async #properties(whole: Whole, { from, to }: Range, last = Infinity): Promise<Properties> {
    const end = Math.min(to, from + PAGE);
    const { entries, total } = await this.#values.partsOf(whole, { from, to: end });
    const found: Properties = { result: [], internalProperties: [], privateProperties: [] };
    for (const [i, entry] of entries.entries()) this.#put(found, whole, entry, from + i);
    for (const range of piecesOf({ from: from + entries.length, to: Math.min(total, last) }, PAGE)) {
      const rest = { ...object('Object', `${range.to - range.from} more`), objectId: this.#holding(whole, range) };
      found.result.push(propertyOf(`[${range.from} … ${range.to - 1}]`, rest));
    }
    return found;
  }

  #put(found: Properties, whole: Whole, entry: ToldEntry, index: number): void {
    const { name, is, isEnumerable } = entry;
    const value = this.#part(whole, entry, index);
    if (is === 'inner' && name.startsWith('#')) found.privateProperties.push({ name, value });
    else if (is === 'inner') found.internalProperties.push({ name: innerName(name, whole.value), value });
    else if (is === 'accessor')
      found.result.push({
        name,
        get: { type: 'function', className: 'Function', description: 'a getter, which is not called' },
        isOwn: true,
        configurable: true,
        enumerable: isEnumerable,
      });
    else found.result.push({ ...propertyOf(name, value), enumerable: isEnumerable });
  }

  #part(whole: Whole, entry: ToldEntry, index: number): RemoteObject {
    const { value } = entry;
    return value === undefined ? UNKNOWN : this.#told(value, this.#values.part(whole, entry, index).whole);
  }

  #told(value: ToldValue, whole: Whole | undefined): RemoteObject {
    return remoteOf(value, whole && this.#holding(whole));
  }
}

/** A value of which everything is known here. */
export function plain(value: unknown): RemoteObject {
  return value === undefined ? UNKNOWN : { type: typeof value, value };
}

function remoteOf({ kind, preview, class: name = '', length }: ToldValue, objectId: string | undefined): RemoteObject {
  switch (kind) {
    case 'undefined':
      return UNKNOWN;
    case 'null':
      return { type: 'object', subtype: 'null', value: null };
    case 'boolean':
      return { type: kind, value: preview === 'true' };
    case 'number': {
      const value = Number(preview);
      const isPlain = Number.isFinite(value) && !Object.is(value, -0);
      return isPlain
        ? { type: kind, value, description: preview }
        : { type: kind, unserializableValue: preview, description: preview };
    }
    case 'bigint':
      return { type: kind, unserializableValue: preview, description: preview };
    case 'string':
      return {
        type: kind,
        value: length === undefined ? textIn(preview) : `${textIn(preview)} (${length} characters)`,
      };
    case 'symbol':
      return { type: kind, description: preview, objectId };
    case 'function':
      return { type: kind, className: 'Function', description: `${functionText(preview)}`, objectId };
    case 'object':
      return {
        ...object(name, preview),
        subtype: subtypeOf(name),
        description: descriptionOf(name, preview),
        objectId,
      };
    default:
      // What is no value of the language, such as a message.
      return { type: 'string', value: preview };
  }
}

function object(className: string, description: string): RemoteObject {
  return { type: 'object', className: className === '' ? 'Object' : className, description };
}

function subtypeOf(name: string): string | undefined {
  if (/^(?:Big)?(?:Uint|Int|Float)\d+(?:Clamped)?Array$/.test(name)) return 'typedarray';
  return SUBTYPES[name] ?? (name.endsWith('Error') ? 'error' : undefined);
}

/** Of a list that comes in pieces no length may stand there: clients would ask for its elements by functions of their own. */
function descriptionOf(name: string, preview: string): string {
  const [head, length] = /^\w+\((\d+)\)/.exec(preview) ?? [];
  if (head === undefined || (name !== 'Array' && subtypeOf(name) !== 'typedarray')) return preview;
  return Number(length) > PAGE ? `${name} of ${length}` : head;
}

function functionText(preview: string): string {
  return preview.startsWith('class ') ? `${preview} { }` : `${preview}() { }`;
}

function textIn(preview: string): string {
  try {
    return String(JSON.parse(preview));
  } catch {
    return preview;
  }
}

/** What an object holds that is no property: of a map the values by their keys. */
function innerName(name: string, of: ToldValue | undefined): string {
  if (name === 'prototype') return '[[Prototype]]';
  if (name === 'state' && of?.class === 'Promise') return '[[PromiseState]]';
  if (name === 'value' && of?.class === 'Promise') return '[[PromiseResult]]';
  return `[[${name}]]`;
}

function propertyOf(name: string, value: RemoteObject): Property {
  return { name, value, writable: false, configurable: false, enumerable: true, isOwn: true };
}
