// What is shown of an object before anybody opens it: its first parts, each in a few words, as V8 tells of them.
import type { Parts, ToldEntry } from '@turntable/time-machine/client';
import type { ToldValue } from '@turntable/time-machine/protocol';
import {
  headOf,
  innerName,
  remoteOf,
  textIn,
  type EntryPreview,
  type ObjectPreview,
  type PropertyPreview,
} from './remote-object.ts';

/** Parts that are shown: of a list, of anything else. */
const ELEMENTS = 100;
const NAMED = 5;
/** What is no property may stand before these. */
const BESIDES = 7;

/** How many parts it takes. */
export function lookedAt(value: ToldValue): number {
  return mostOf(value) + BESIDES;
}

/** @param parts the first of them */
export function previewOf(value: ToldValue, description: string, { entries: all, total }: Parts): ObjectPreview {
  const most = mostOf(value);
  const isOfCollection = value.class === 'Map' || value.class === 'Set';
  const held = isOfCollection ? all.filter(isHeld) : [];
  const named = all.filter(({ is, isEnumerable, name }) => {
    return is === 'inner' ? value.class === 'Promise' && (name === 'state' || name === 'value') : isEnumerable;
  });
  const { type, subtype } = remoteOf(value, undefined);
  const hasMore = total > all.length || named.length > most || held.length > NAMED;
  return {
    type,
    subtype,
    description,
    overflow: hasMore,
    properties: named.slice(0, most).map((entry) => propertyOf(entry, value)),
    ...(isOfCollection ? { entries: held.slice(0, NAMED).map((entry) => entryOf(entry, value)) } : {}),
  };
}

function mostOf({ class: name = '', preview }: ToldValue): number {
  return name === 'Array' || /^\w+Array\(\d+\)/.test(preview) ? ELEMENTS : NAMED;
}

/** What a map or a set holds stands before whatever else it has. */
function isHeld({ is, name }: ToldEntry): boolean {
  return is === 'inner' && name !== 'prototype' && !name.startsWith('#');
}

function propertyOf({ name: written, is, value }: ToldEntry, of: ToldValue): PropertyPreview {
  const name = is === 'inner' ? innerName(written, of) : written;
  if (value === undefined) return { name, type: is === 'accessor' ? 'accessor' : 'undefined' };
  const { type, subtype } = remoteOf(value, undefined);
  return { name, type, subtype, value: wordsFor(value) };
}

function entryOf({ name, value = NOTHING }: ToldEntry, of: ToldValue): EntryPreview {
  const held = nested(value);
  return of.class === 'Map' ? { key: nested(keyCalled(name)), value: held } : { value: held };
}

const NOTHING: ToldValue = { kind: 'undefined', preview: 'undefined' };

function nested(value: ToldValue): ObjectPreview {
  const { type, subtype } = remoteOf(value, undefined);
  return { type, subtype, description: wordsFor(value), overflow: false, properties: [] };
}

/** Keys are told of by their lines. */
function keyCalled(preview: string): ToldValue {
  if (preview.startsWith('"')) return { kind: 'string', preview };
  if (/^-?(?:\d|Infinity)|^NaN$/.test(preview)) return { kind: preview.endsWith('n') ? 'bigint' : 'number', preview };
  if (preview === 'true' || preview === 'false') return { kind: 'boolean', preview };
  return { kind: 'object', preview, class: preview };
}

function wordsFor(value: ToldValue): string {
  if (value.kind === 'string') return textIn(value.preview);
  if (value.kind === 'function') return '';
  return value.kind === 'object' ? headOf(value) : value.preview;
}
