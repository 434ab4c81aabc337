// Values as CDP remote objects. Each object has an id, valid until the next move, with which the client requests the
// object's parts in pages. The id of a value at another position stays valid.
import {
  loadLiveActors,
  HandleTable,
  splitRange,
  ValueBrowser,
  type Client,
  type EvaluatedExpression,
  type ValuePartsPage,
  type Range,
  type RequestOptions,
  type LiveActor,
  type PositionedExpression,
  type EntryInfo,
  type ExpandableValue,
} from '@turntable/time-machine/client';
import type { ParamsOf, ValueInfo } from '@turntable/time-machine/protocol';
import { dataObject, type DataProperty } from './data-objects.ts';
import { DevtoolsError } from './devtools-error.ts';
import { previewPartCount, previewOf } from './previews.ts';
import {
  shortDescription,
  internalSlotName,
  describeObject,
  PAGE_SIZE,
  remoteOf,
  parseString,
  UNDEFINED_OBJECT,
  type RemoteObject,
} from './remote-object.ts';

interface Property {
  readonly name: string;
  readonly value?: RemoteObject | undefined;
  readonly [more: string]: unknown;
}

export interface PropertyLists {
  readonly result: Property[];
  readonly internalProperties: Property[];
  readonly privateProperties: Property[];
}

/** The target of an id: an object of the program, a page of its parts, or a scope. */
interface RemoteHandle {
  /** Undefined for scopes, the list of actors and `this` of outer frames. */
  readonly expandable: ExpandableValue | undefined;
  open(isPreviewed: boolean): Promise<PropertyLists>;
}

/** An expression that evaluates to an object of the program. */
export interface AccessExpression {
  readonly expression: string;
  /** The position of the frame to evaluate the expression in; undefined for the innermost frame. */
  readonly position: string | undefined;
}

/** Maximum lengths of a string: in a list, and of a result or a string requested by itself. */
const MAX_LISTED_CHARS = 100_000;
const MAX_STRING_CHARS = 50_000_000;

const ALL: Range = { from: 0, to: Number.MAX_SAFE_INTEGER };
export class RemoteObjects {
  readonly #client: Client;
  readonly #values: ValueBrowser;
  readonly #handles = new HandleTable<RemoteHandle>();

  constructor(client: Client) {
    this.#client = client;
    this.#values = new ValueBrowser(client);
  }

  clear(): void {
    this.#values.invalidate();
    this.#handles.clear(({ expandable }) => expandable?.partAt !== undefined);
  }

  /** Returns the variables of a frame as an object. @param position the position of the frame */
  scope(frame: number, position: string | undefined): RemoteObject {
    const expandable = this.#values.frame(frame, position);
    const open = async (isPreviewed: boolean): Promise<PropertyLists> => {
      const found = await this.#properties(expandable, { from: 0, to: PAGE_SIZE }, isPreviewed);
      return { ...found, result: found.result.filter(({ name }) => name !== 'this') };
    };
    return { ...describeObject('Object', 'variables'), objectId: this.#register({ expandable: undefined, open }) };
  }

  /** Returns the value of `this` in a frame; undefined if it is unknown. */
  async thisOf(frame: number, position: string | undefined): Promise<RemoteObject | undefined> {
    const expandable = this.#values.frame(frame, position);
    const { entries } = await this.#values.loadParts(expandable, ALL);
    const index = entries.findIndex((each) => each.name === 'this');
    const entry = entries[index];
    return entry && this.#part(expandable, entry, { index, isPreviewed: false });
  }

  /** Returns a placeholder for `this` of an outer frame, which is evaluated only when the client opens it. */
  lazyThis(frame: number, position: string | undefined): RemoteObject {
    const open = async (isPreviewed: boolean): Promise<PropertyLists> => {
      const thisObject = await this.thisOf(frame, position);
      if (thisObject?.objectId !== undefined) return this.properties(thisObject.objectId, isPreviewed);
      return {
        result: [propertyOf('this', thisObject ?? UNDEFINED_OBJECT)],
        internalProperties: [],
        privateProperties: [],
      };
    };
    return { ...describeObject('Object', 'this'), objectId: this.#register({ expandable: undefined, open }) };
  }

  /** Returns an object with the states and mailboxes of all live actors at the current position. */
  actors(): RemoteObject {
    const open = async (isPreviewed: boolean): Promise<PropertyLists> => {
      const all = await loadLiveActors(this.#client);
      const describeActor = async (actor: LiveActor, i: number): Promise<Property[]> => {
        const { worker, name, value, waitingCount } = actor;
        const label = worker === 0 ? name : `${name} (worker ${worker})`;
        const refetch = async (): Promise<ValueInfo | undefined> => (await loadLiveActors(this.#client))[i]?.value;
        const expandable = value && this.#values.value(value, { expression: undefined, position: undefined }, refetch);
        const state =
          value === undefined ? [] : [propertyOf(label, await this.#describe(value, expandable, { isPreviewed }))];
        const mailbox = { ...describeObject('Array', `Array(${waitingCount})`), subtype: 'array' };
        const mailboxProperty = propertyOf(`mailbox of ${label}`, {
          ...mailbox,
          objectId: this.#registerWhole(this.#values.mailbox(actor)),
        });
        return waitingCount === 0 ? state : [...state, mailboxProperty];
      };
      const result = (await Promise.all(all.map(describeActor))).flat();
      return { result, internalProperties: [], privateProperties: [] };
    };
    return { ...describeObject('Object', 'actors'), objectId: this.#register({ expandable: undefined, open }) };
  }

  /** Returns the value of an expression at any position as an object. */
  valueAt(at: PositionedExpression, description: string): RemoteObject {
    return { ...describeObject('Object', description), objectId: this.#registerWhole(this.#values.valueAt(at)) };
  }

  /** Returns JSON data of this process as an object. */
  data(value: unknown): RemoteObject {
    return dataObject(value, (properties) => this.#registerData(properties));
  }

  /** Returns an object of this process with a name and properties. */
  named(name: string, properties: readonly DataProperty[]): RemoteObject {
    return { ...describeObject(name, name), objectId: this.#registerData(() => properties) };
  }

  /** Evaluates an expression in a frame. @param position undefined for the innermost frame */
  evaluate(
    params: ParamsOf<'evaluate'>,
    position: string | undefined,
    options: RequestOptions,
  ): Promise<EvaluatedExpression> {
    return this.#values.evaluate(params, position, options);
  }

  describeResult(
    value: ValueInfo,
    expandable: ExpandableValue | undefined,
    isPreviewed: boolean,
  ): Promise<RemoteObject> {
    return this.#describe(value, expandable, { isPreviewed, maxChars: MAX_STRING_CHARS });
  }

  /** Returns the text of a string value, which is loaded if its preview may be truncated. */
  async stringOf(value: ValueInfo, expandable: ExpandableValue | undefined): Promise<string> {
    const text = expandable && (await this.#values.loadText(expandable, MAX_STRING_CHARS));
    return text ?? parseString(value.preview);
  }

  properties(id: string, isPreviewed: boolean): Promise<PropertyLists> {
    return this.#handleOf(id).open(isPreviewed);
  }

  /** Returns the expression that evaluates to an object, if there is one. @param currentPosition of the cursor */
  accessTo(id: string, currentPosition: string): AccessExpression | undefined {
    const { expression, position } = this.#handleOf(id).expandable ?? {};
    return expression === undefined
      ? undefined
      : { expression, position: position === currentPosition ? undefined : position };
  }

  #handleOf(id: string): RemoteHandle {
    const handle = this.#handles.get(Number(id));
    if (handle === undefined) throw new DevtoolsError('TT_CDP_NOT_THERE', 'Could not find object with given id');
    return handle;
  }

  #register(handle: RemoteHandle): string {
    return String(this.#handles.add(handle));
  }

  #registerData(properties: () => readonly DataProperty[]): string {
    const open = (): Promise<PropertyLists> =>
      Promise.resolve({
        result: properties().map(({ name, value }) => propertyOf(name, value)),
        internalProperties: [],
        privateProperties: [],
      });
    return this.#register({ expandable: undefined, open });
  }

  #registerWhole(expandable: ExpandableValue, range?: Range): string {
    const open = (isPreviewed: boolean): Promise<PropertyLists> =>
      this.#properties(expandable, range ?? { from: 0, to: PAGE_SIZE }, isPreviewed, range?.to);
    return this.#register({ expandable, open });
  }

  /** Loads a page of an object's parts, and adds pages for the rest up to `limit`. */
  async #properties(
    expandable: ExpandableValue,
    { from, to }: Range,
    isPreviewed: boolean,
    limit = Infinity,
  ): Promise<PropertyLists> {
    const end = Math.min(to, from + PAGE_SIZE);
    const { entries, total } = await this.#values.loadParts(expandable, { from, to: end });
    const found: PropertyLists = { result: [], internalProperties: [], privateProperties: [] };
    const values = await Promise.all(
      entries.map((entry, i) => this.#part(expandable, entry, { index: from + i, isPreviewed })),
    );
    for (const [i, entry] of entries.entries())
      addProperty(found, entry, values[i] ?? UNDEFINED_OBJECT, expandable.value);
    for (const range of splitRange({ from: from + entries.length, to: Math.min(total, limit) }, PAGE_SIZE)) {
      const remaining = {
        ...describeObject('Object', `${range.to - range.from} more`),
        objectId: this.#registerWhole(expandable, range),
      };
      found.result.push(propertyOf(`[${range.from} … ${range.to - 1}]`, remaining));
    }
    return found;
  }

  #part(
    expandable: ExpandableValue,
    entry: EntryInfo,
    { index, isPreviewed }: { readonly index: number; readonly isPreviewed: boolean },
  ): Promise<RemoteObject> {
    const { value } = entry;
    if (value === undefined) return Promise.resolve(UNDEFINED_OBJECT);
    return this.#describe(value, this.#values.part(expandable, entry, index).expandable, { isPreviewed });
  }

  async #describe(
    value: ValueInfo,
    expandable: ExpandableValue | undefined,
    { isPreviewed, maxChars = MAX_LISTED_CHARS }: { readonly isPreviewed: boolean; readonly maxChars?: number },
  ): Promise<RemoteObject> {
    const { kind, length = 0 } = value;
    if (expandable !== undefined && kind === 'string' && length > 0 && length <= maxChars)
      return { type: kind, value: await this.#values.loadText(expandable, length) };
    const remote = remoteOf(value, expandable && kind !== 'string' ? this.#registerWhole(expandable) : undefined);
    const isError = remote.subtype === 'error';
    if (expandable === undefined || kind !== 'object' || !(isPreviewed || isError)) return remote;
    const parts = await this.#values.loadParts(expandable, { from: 0, to: previewPartCount(value) });
    const description = (isError ? await this.#errorStack(expandable, parts) : undefined) ?? shortDescription(value);
    return { ...remote, description, preview: isPreviewed ? previewOf(value, description, parts) : undefined };
  }

  /** Returns the whole stack of an error, which the error's preview truncates; undefined if it has no stack. */
  async #errorStack(owner: ExpandableValue, { entries }: ValuePartsPage): Promise<string | undefined> {
    const index = entries.findIndex(({ name, value }) => name === 'stack' && value?.kind === 'string');
    const { value } = entries[index] ?? {};
    if (value === undefined) return undefined;
    const { expandable } = this.#values.part(owner, entries[index] as EntryInfo, index);
    return this.stringOf(value, expandable);
  }
}

function addProperty(
  found: PropertyLists,
  { name, kind: entryKind, isEnumerable }: EntryInfo,
  value: RemoteObject,
  owner: ValueInfo | undefined,
): void {
  if (entryKind === 'inner' && name.startsWith('#')) found.privateProperties.push({ name, value });
  else if (entryKind === 'inner') found.internalProperties.push({ name: internalSlotName(name, owner), value });
  else if (entryKind === 'accessor')
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
