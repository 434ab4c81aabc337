// Values as clients know them: by what can be said of them at once, and an id by which their parts can be asked for, the first hundred and the others in pieces. Ids are forgotten when all go
// elsewhere.
import {
  allResidents,
  Numbered,
  piecesOf,
  SeenValues,
  type Client,
  type Evaluated,
  type Parts,
  type Range,
  type RequestOptions,
  type Resident,
  type ToldEntry,
  type Whole,
} from '@turntable/time-machine/client';
import type { ParamsOf, ToldValue } from '@turntable/time-machine/protocol';
import { DevtoolsError } from './devtools-error.ts';
import { lookedAt, previewOf } from './previews.ts';
import { headOf, innerName, object, PAGE, remoteOf, textIn, UNKNOWN, type RemoteObject } from './remote-object.ts';

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
  open(isPreviewed: boolean): Promise<Properties>;
}

/** What leads to it, in a function where all stand. */
export interface Leading {
  readonly expression: string;
  /** Where that function stands; the innermost one, if it is not said. */
  readonly at: string | undefined;
}

/** Characters of a text among others, and of one that was asked for. */
const LISTED = 100_000;
const LONGEST = 50_000_000;

const ALL: Range = { from: 0, to: Number.MAX_SAFE_INTEGER };
export class RemoteObjects {
  readonly #client: Client;
  readonly #values: SeenValues;
  readonly #held = new Numbered<Held>();

  constructor(client: Client) {
    this.#client = client;
    this.#values = new SeenValues(client);
  }

  forget(): void {
    this.#values.forget();
    this.#held.forget();
  }

  /** The variables of a frame. @param at where it stands */
  scope(frame: number, at: string | undefined): RemoteObject {
    const whole = this.#values.frame(frame, at);
    const open = async (isPreviewed: boolean): Promise<Properties> => {
      const found = await this.#properties(whole, { from: 0, to: PAGE }, isPreviewed);
      return { ...found, result: found.result.filter(({ name }) => name !== 'this') };
    };
    return { ...object('Object', 'variables'), objectId: this.#idOf({ whole: undefined, open }) };
  }

  /** What `this` is in a frame; undefined, if it is not known. */
  async self(frame: number, at: string | undefined): Promise<RemoteObject | undefined> {
    const whole = this.#values.frame(frame, at);
    const { entries } = await this.#values.partsOf(whole, ALL);
    const index = entries.findIndex((each) => each.name === 'this');
    const entry = entries[index];
    return entry && this.#part(whole, entry, { index, isPreviewed: false });
  }

  /** What `this` is in a frame that nobody may look at: it is looked at when it is opened. */
  laterSelf(frame: number, at: string | undefined): RemoteObject {
    const open = async (isPreviewed: boolean): Promise<Properties> => {
      const self = await this.self(frame, at);
      if (self?.objectId !== undefined) return this.properties(self.objectId, isPreviewed);
      return { result: [propertyOf('this', self ?? UNKNOWN)], internalProperties: [], privateProperties: [] };
    };
    return { ...object('Object', 'this'), objectId: this.#idOf({ whole: undefined, open }) };
  }

  /** All that live where all stand, with what waits for them. */
  actors(): RemoteObject {
    const open = async (isPreviewed: boolean): Promise<Properties> => {
      const all = await allResidents(this.#client);
      const toldOf = async (actor: Resident, i: number): Promise<Property[]> => {
        const { worker, name, value, waiting } = actor;
        const called = worker === 0 ? name : `${name} (worker ${worker})`;
        const again = async (): Promise<ToldValue | undefined> => (await allResidents(this.#client))[i]?.value;
        const whole = value && this.#values.value(value, { expression: undefined, at: undefined }, again);
        const state = value === undefined ? [] : [propertyOf(called, await this.#told(value, whole, { isPreviewed }))];
        const mailbox = { ...object('Array', `Array(${waiting})`), subtype: 'array' };
        const waits = propertyOf(`mailbox of ${called}`, {
          ...mailbox,
          objectId: this.#holding(this.#values.mailbox(actor)),
        });
        return waiting === 0 ? state : [...state, waits];
      };
      const result = (await Promise.all(all.map(toldOf))).flat();
      return { result, internalProperties: [], privateProperties: [] };
    };
    return { ...object('Object', 'actors'), objectId: this.#idOf({ whole: undefined, open }) };
  }

  /** With the variables of a frame. @param at where it stands, if it is an outer one */
  evaluate(wish: ParamsOf<'evaluate'>, at: string | undefined, options: RequestOptions): Promise<Evaluated> {
    return this.#values.evaluate(wish, at, options);
  }

  evaluated(value: ToldValue, whole: Whole | undefined, isPreviewed: boolean): Promise<RemoteObject> {
    return this.#told(value, whole, { isPreviewed, most: LONGEST });
  }

  /** A text that an expression has come to. */
  async textOf(value: ToldValue, whole: Whole | undefined): Promise<string> {
    const all = whole && (await this.#values.textOf(whole, LONGEST));
    return all ?? textIn(value.preview);
  }

  properties(id: string, isPreviewed: boolean): Promise<Properties> {
    return this.#heldBy(id).open(isPreviewed);
  }

  /** What leads to an object; undefined, if nothing does. @param here where all stand */
  leadingTo(id: string, here: string): Leading | undefined {
    const { expression, at } = this.#heldBy(id).whole ?? {};
    return expression === undefined ? undefined : { expression, at: at === here ? undefined : at };
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
    const open = (isPreviewed: boolean): Promise<Properties> =>
      this.#properties(whole, range ?? { from: 0, to: PAGE }, isPreviewed, range?.to);
    return this.#idOf({ whole, open });
  }

  /** @param last before which there is nothing to be told; all there is, unless it is said */
  async #properties(whole: Whole, { from, to }: Range, isPreviewed: boolean, last = Infinity): Promise<Properties> {
    const end = Math.min(to, from + PAGE);
    const { entries, total } = await this.#values.partsOf(whole, { from, to: end });
    const found: Properties = { result: [], internalProperties: [], privateProperties: [] };
    const values = await Promise.all(
      entries.map((entry, i) => this.#part(whole, entry, { index: from + i, isPreviewed })),
    );
    for (const [i, entry] of entries.entries()) put(found, entry, values[i] ?? UNKNOWN, whole.value);
    for (const range of piecesOf({ from: from + entries.length, to: Math.min(total, last) }, PAGE)) {
      const rest = { ...object('Object', `${range.to - range.from} more`), objectId: this.#holding(whole, range) };
      found.result.push(propertyOf(`[${range.from} … ${range.to - 1}]`, rest));
    }
    return found;
  }

  #part(
    whole: Whole,
    entry: ToldEntry,
    { index, isPreviewed }: { readonly index: number; readonly isPreviewed: boolean },
  ): Promise<RemoteObject> {
    const { value } = entry;
    if (value === undefined) return Promise.resolve(UNKNOWN);
    return this.#told(value, this.#values.part(whole, entry, index).whole, { isPreviewed });
  }

  async #told(
    value: ToldValue,
    whole: Whole | undefined,
    { isPreviewed, most = LISTED }: { readonly isPreviewed: boolean; readonly most?: number },
  ): Promise<RemoteObject> {
    const { kind, length = 0 } = value;
    if (whole !== undefined && kind === 'string' && length > 0 && length <= most)
      return { type: kind, value: await this.#values.textOf(whole, length) };
    const remote = remoteOf(value, whole && kind !== 'string' ? this.#holding(whole) : undefined);
    const isError = remote.subtype === 'error';
    if (whole === undefined || kind !== 'object' || !(isPreviewed || isError)) return remote;
    const parts = await this.#values.partsOf(whole, { from: 0, to: lookedAt(value) });
    const description = (isError ? await this.#stackIn(whole, parts) : undefined) ?? headOf(value);
    return { ...remote, description, preview: isPreviewed ? previewOf(value, description, parts) : undefined };
  }

  /** Of an error, whose stack is mostly longer than a line. */
  async #stackIn(of: Whole, { entries }: Parts): Promise<string | undefined> {
    const index = entries.findIndex(({ name, value }) => name === 'stack' && value?.kind === 'string');
    const { value } = entries[index] ?? {};
    if (value === undefined) return undefined;
    const { whole } = this.#values.part(of, entries[index] as ToldEntry, index);
    return this.textOf(value, whole);
  }
}

function put(
  found: Properties,
  { name, is, isEnumerable }: ToldEntry,
  value: RemoteObject,
  of: ToldValue | undefined,
): void {
  if (is === 'inner' && name.startsWith('#')) found.privateProperties.push({ name, value });
  else if (is === 'inner') found.internalProperties.push({ name: innerName(name, of), value });
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

function propertyOf(name: string, value: RemoteObject): Property {
  return { name, value, writable: false, configurable: false, enumerable: true, isOwn: true };
}
