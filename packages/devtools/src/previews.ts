// The preview of an object: its first parts and map or set entries in short form, as V8 describes them.
import type { ValuePartsPage, EntryInfo } from '@turntable/time-machine/client';
import type { ValueInfo } from '@turntable/time-machine/protocol';
import {
  shortDescription,
  internalSlotName,
  remoteOf,
  parseString,
  type EntryPreview,
  type ObjectPreview,
  type PropertyPreview,
} from './remote-object.ts';

/** Maximum numbers of parts in the preview of an array, and of any other object. */
const MAX_ELEMENTS = 100;
const MAX_PROPERTIES = 5;
/** Maximum number of internal parts, such as the prototype, that come before the properties. */
const EXTRA_PARTS = 7;

/** Number of parts to load for the preview of a value. */
export function previewPartCount(value: ValueInfo): number {
  return maxPropertiesOf(value) + EXTRA_PARTS;
}

/** Returns the preview of a value. @param parts the first `previewPartCount` parts of the value */
export function previewOf(
  value: ValueInfo,
  description: string,
  { entries: all, total }: ValuePartsPage,
): ObjectPreview {
  const maxProperties = maxPropertiesOf(value);
  const isOfCollection = value.class === 'Map' || value.class === 'Set';
  const collectionEntries = isOfCollection ? all.filter(isCollectionEntry) : [];
  const properties = all.filter(({ kind: entryKind, isEnumerable, name }) => {
    return entryKind === 'inner' ? value.class === 'Promise' && (name === 'state' || name === 'value') : isEnumerable;
  });
  const { type, subtype } = remoteOf(value, undefined);
  const hasMore = total > all.length || properties.length > maxProperties || collectionEntries.length > MAX_PROPERTIES;
  return {
    type,
    subtype,
    description,
    overflow: hasMore,
    properties: properties.slice(0, maxProperties).map((entry) => propertyOf(entry, value)),
    ...(isOfCollection
      ? { entries: collectionEntries.slice(0, MAX_PROPERTIES).map((entry) => entryOf(entry, value)) }
      : {}),
  };
}

function maxPropertiesOf({ class: name = '', preview }: ValueInfo): number {
  return name === 'Array' || /^\w+Array\(\d+\)/.test(preview) ? MAX_ELEMENTS : MAX_PROPERTIES;
}

/** Whether a part is an entry of a map or set: the prototype and private fields are internal parts too. */
function isCollectionEntry({ kind: entryKind, name }: EntryInfo): boolean {
  return entryKind === 'inner' && name !== 'prototype' && !name.startsWith('#');
}

function propertyOf({ name: rawName, kind: entryKind, value }: EntryInfo, owner: ValueInfo): PropertyPreview {
  const name = entryKind === 'inner' ? internalSlotName(rawName, owner) : rawName;
  if (value === undefined) return { name, type: entryKind === 'accessor' ? 'accessor' : 'undefined' };
  const { type, subtype } = remoteOf(value, undefined);
  return { name, type, subtype, value: shortText(value) };
}

function entryOf({ name, value = UNDEFINED_VALUE }: EntryInfo, owner: ValueInfo): EntryPreview {
  const valuePreview = nestedPreview(value);
  return owner.class === 'Map'
    ? { key: nestedPreview(keyFromPreview(name)), value: valuePreview }
    : { value: valuePreview };
}

const UNDEFINED_VALUE: ValueInfo = { kind: 'undefined', preview: 'undefined' };

function nestedPreview(value: ValueInfo): ObjectPreview {
  const { type, subtype } = remoteOf(value, undefined);
  return { type, subtype, description: shortText(value), overflow: false, properties: [] };
}

/** Reconstructs a map's key from its preview, since the server sends no more of a key. */
function keyFromPreview(preview: string): ValueInfo {
  if (preview.startsWith('"')) return { kind: 'string', preview };
  if (/^-?(?:\d|Infinity)|^NaN$/.test(preview)) return { kind: preview.endsWith('n') ? 'bigint' : 'number', preview };
  if (preview === 'true' || preview === 'false') return { kind: 'boolean', preview };
  return { kind: 'object', preview, class: preview };
}

function shortText(value: ValueInfo): string {
  if (value.kind === 'string') return parseString(value.preview);
  if (value.kind === 'function') return '';
  return value.kind === 'object' ? shortDescription(value) : value.preview;
}
