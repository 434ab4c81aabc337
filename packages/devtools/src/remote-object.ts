// Conversion of a value to a CDP `RemoteObject`, from its preview alone, without a request to the server.
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
  /** Whether the object has parts that the preview omits. */
  readonly overflow: boolean;
  readonly properties: readonly PropertyPreview[];
  readonly entries?: readonly EntryPreview[];
}

/** Maximum number of an object's parts that are loaded at once. */
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

/** Converts a primitive value of this process, not of the recording. */
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
      // The server also describes values that are not JavaScript values, for example messages.
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

/** Returns the description of an object. A list in pages has no length: clients would request its elements by index. */
function descriptionOf(name: string, preview: string): string {
  const [head, length] = /^\w+\((\d+)\)/.exec(preview) ?? [];
  if (head === undefined || (name !== 'Array' && subtypeOf(name) !== 'typedarray')) return preview;
  return Number(length) > PAGE_SIZE ? `${name} of ${length}` : head;
}

/** Returns a description of one or two words where possible, to show next to the object's parts. */
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

/** Returns CDP's name of an internal part, for example `[[Prototype]]`, or `[[0]]` for an entry of a map. */
export function internalSlotName(name: string, owner: ValueInfo | undefined): string {
  if (name === 'prototype') return '[[Prototype]]';
  if (name === 'state' && owner?.class === 'Promise') return '[[PromiseState]]';
  if (name === 'value' && owner?.class === 'Promise') return '[[PromiseResult]]';
  return `[[${name}]]`;
}
