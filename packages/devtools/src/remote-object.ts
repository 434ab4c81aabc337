// Converts a value to a CDP RemoteObject, without a request to the server.
import type { ValueInfo } from '@turntable/time-machine/protocol';

export interface RemoteObject {
  readonly type: string;
  readonly subtype?: string | undefined;
  readonly className?: string | undefined;
  readonly value?: unknown;
  readonly unserializableValue?: string | undefined;
  readonly description?: string | undefined;
  readonly objectId?: string | undefined;
  readonly preview?: ObjectPreview | undefined;
}

export interface PropertyPreview {
  readonly name: string;
  readonly type: string;
  readonly subtype?: string | undefined;
  readonly value?: string;
}

export interface EntryPreview {
  readonly key?: ObjectPreview;
  readonly value: ObjectPreview;
}

export interface ObjectPreview {
  readonly type: string;
  readonly subtype?: string | undefined;
  readonly description: string;
  /** The object has more parts. */
  readonly overflow: boolean;
  readonly properties: readonly PropertyPreview[];
  readonly entries?: readonly EntryPreview[];
}

/** Parts loaded at once. */
export const PAGE_SIZE = 100;
export const UNDEFINED_OBJECT: RemoteObject = { type: 'undefined' };
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

/** A value that is fully known here. */
export function remoteValue(value: unknown): RemoteObject {
  return value === undefined ? UNDEFINED_OBJECT : { type: typeof value, value };
}

export function remoteOf(
  { kind, preview, class: name = '', length }: ValueInfo,
  objectId: string | undefined,
): RemoteObject {
  switch (kind) {
    case 'undefined':
      return UNDEFINED_OBJECT;
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
        value: length === undefined ? parseString(preview) : `${parseString(preview)} (${length} characters)`,
      };
    case 'symbol':
      return { type: kind, description: preview, objectId };
    case 'function':
      return { type: kind, className: 'Function', description: `${functionText(preview)}`, objectId };
    case 'object':
      return {
        ...describeObject(name, preview),
        subtype: subtypeOf(name),
        description: descriptionOf(name, preview),
        objectId,
      };
    default:
      // Not a JavaScript value but, for example, a message.
      return { type: 'string', value: preview };
  }
}

export function describeObject(className: string, description: string): RemoteObject {
  return { type: 'object', className: className === '' ? 'Object' : className, description };
}

export function subtypeOf(name: string): string | undefined {
  if (/^(?:Big)?(?:Uint|Int|Float)\d+(?:Clamped)?Array$/.test(name)) return 'typedarray';
  return SUBTYPES[name] ?? (name.endsWith('Error') ? 'error' : undefined);
}

/** Omits the length of lists that are loaded in pages: clients would request their elements in another way. */
function descriptionOf(name: string, preview: string): string {
  const [head, length] = /^\w+\((\d+)\)/.exec(preview) ?? [];
  if (head === undefined || (name !== 'Array' && subtypeOf(name) !== 'typedarray')) return preview;
  return Number(length) > PAGE_SIZE ? `${name} of ${length}` : head;
}

/** A description of one or two words, shown next to the parts. */
export function shortDescription({ class: name = '', preview }: ValueInfo): string {
  const subtype = subtypeOf(name);
  if (subtype === 'array' || subtype === 'typedarray') return descriptionOf(name, preview);
  if (subtype === 'date') return /\{(.*)\}$/.exec(preview)?.[1] ?? preview;
  if (subtype !== undefined && subtype !== 'promise') return preview;
  return name === '' ? 'Object' : name;
}

function functionText(preview: string): string {
  return preview.startsWith('class ') ? `${preview} { }` : `${preview}() { }`;
}

export function parseString(preview: string): string {
  try {
    return String(JSON.parse(preview));
  } catch {
    return preview;
  }
}

/** The name of an internal slot: [[Prototype]], an entry of a map. */
export function internalSlotName(name: string, owner: ValueInfo | undefined): string {
  if (name === 'prototype') return '[[Prototype]]';
  if (name === 'state' && owner?.class === 'Promise') return '[[PromiseState]]';
  if (name === 'value' && owner?.class === 'Promise') return '[[PromiseResult]]';
  return `[[${name}]]`;
}
