// Shapes: the ordered string keys of a family's objects. Each shape gets an encoder and a decoder compiled from source
// text into straight-line code. The text contains only numbers and keys quoted as JSON, never code from the bytes. An
// encoder reads descriptors, unless a layout has excluded getters. Hot path: guarded by bench/heap.

import { apply, descriptorOf, enumerableKeys, join, SafeMap } from './intrinsics.ts';
import type { Family } from './family.ts';
import type { IdentitySet } from './identity-table.ts';
import type { LayoutWriter } from './layout.ts';
import type { HeapReader } from './heap-reader.ts';
import type { HeapWriter } from './heap-writer.ts';

/** Maximum number of keys in a shape; objects with more are written key by key. */
export const MAX_SHAPE_KEYS = 64;

export type ObjectEncoder = (
  writer: HeapWriter,
  object: object,
  shape: Shape,
  descriptorOf: typeof Object.getOwnPropertyDescriptor,
) => boolean;

export interface Shape {
  readonly family: Family;
  readonly keys: readonly string[];
  /** Objects met, with any attributes. If the family is not `isSimple`, they are in the family's set. */
  readonly identitySet: IdentitySet;
  /** Number in the bytes; -1 until written. */
  number: number;
  useCount: number;
  encode: ObjectEncoder | undefined;
  /** Encoder for objects of a layout. Their properties need no check, but they may have elements, which it excludes. */
  encodeWithLayout: LayoutWriter | undefined;
}

const { stringify } = JSON;
// The program may replace the global function.
const NativeFunction = Function;
/** Number of objects after which a shape is compiled. */
const MIN_USES_TO_COMPILE = 3;
const encodersByKeys = new SafeMap<string, CompiledEncoders>();

/** Returns false, having written nothing, if a property is not ordinary. */
export function encodeByKeys(writer: HeapWriter, object: object, shape: Shape): boolean {
  const values = ordinaryValues(object, shape.keys);
  if (values === undefined) return false;
  writer.beginObject(shape);
  for (let i = 0; i < values.length; i++) writer.value(values[i]);
  if (++shape.useCount === MIN_USES_TO_COMPILE) {
    const { encode, encodeWithLayout } = encodersFor(shape.keys);
    shape.encode = encode;
    shape.encodeWithLayout = encodeWithLayout;
  }
  return true;
}

export function ordinaryValues(object: object, keys: readonly string[]): unknown[] | undefined {
  const values: unknown[] = [];
  for (let i = 0; i < keys.length; i++) {
    const descriptor = descriptorOf(object, keys[i] as string);
    if (
      descriptor === undefined ||
      descriptor.writable !== true ||
      descriptor.enumerable !== true ||
      descriptor.configurable !== true
    )
      return undefined;
    values[i] = descriptor.value;
  }
  return values;
}

/** Quotes keys one by one, because for arrays `JSON.stringify` would call the program's `toJSON`. */
function quoteKeys(keys: readonly string[]): string {
  const list: string[] = [];
  for (let i = 0; i < keys.length; i++) list[i] = stringify(keys[i]);
  return join(list, ',');
}

interface CompiledEncoders {
  readonly encode: ObjectEncoder;
  readonly encodeWithLayout: LayoutWriter | undefined;
}

function encodersFor(keys: readonly string[]): CompiledEncoders {
  const quotedKeys = quoteKeys(keys);
  let compiled = encodersByKeys.get(quotedKeys);
  if (compiled === undefined) {
    if (encodersByKeys.size > 5000) encodersByKeys.clear();
    compiled = {
      encode: compileEncoder(keys),
      encodeWithLayout: isIndexKey(keys[0] ?? '0') ? undefined : compileLayoutEncoder(keys),
    };
    encodersByKeys.set(quotedKeys, compiled);
  }
  return compiled;
}

/** Returns whether a key is an index. Integers come first in an object's keys, so checking the first key suffices. */
function isIndexKey(key: string): boolean {
  return `${(key as unknown as number) >>> 0}` === key;
}

function compileEncoder(keys: readonly string[]): ObjectEncoder {
  const lines: string[] = ['"use strict"; let d;'];
  for (let i = 0; i < keys.length; i++) {
    lines[lines.length] =
      `d = descriptorOf(object, ${stringify(keys[i])}); if (d === undefined || d.writable !== true || d.enumerable !== true || ` +
      `d.configurable !== true) return false; const v${i} = d.value;`;
  }
  lines[lines.length] = 'writer.beginObject(shape);';
  for (let i = 0; i < keys.length; i++) {
    lines[lines.length] =
      `if (typeof v${i} === "string") writer.string(v${i}); else if (typeof v${i} === "number") writer.number(v${i}); else writer.value(v${i});`;
  }
  lines[lines.length] = 'return true;';
  return new NativeFunction('writer', 'object', 'shape', 'descriptorOf', join(lines, '\n')) as ObjectEncoder;
}

function compileLayoutEncoder(keys: readonly string[]): LayoutWriter {
  const lines: string[] = [
    'const { keysOf } = this; return (writer, object, layout) => { "use strict";',
    `if (keysOf(object).length !== ${keys.length}) return false; const { slotLayouts } = layout; writer.beginObject(layout.shape);`,
  ];
  for (let i = 0; i < keys.length; i++) {
    lines[lines.length] =
      `{ const v = object[${stringify(keys[i])}]; if (typeof v === "string") writer.string(v); else if (typeof v === "number") ` +
      `writer.number(v); else if (typeof v === "object" && v !== null) { const l = slotLayouts[${i}]; ` +
      `if (writer.sameShape(v, l.exemplar)) writer.nodeWithLayout(l, v); else slotLayouts[${i}] = writer.nodeExpecting(l, v); } else writer.value(v); }`;
  }
  lines[lines.length] = 'return true; };';
  return apply(new NativeFunction(join(lines, '\n')) as () => LayoutWriter, { keysOf: enumerableKeys }, []);
}

/** Decoder of a shape, created when its first object has shown the types of values. */
export interface ObjectDecoder {
  /** Reads all fields and then creates the object. Only for an object without further references. */
  whole(reader: HeapReader): object;
  /** Creates an object of the right hidden class. */
  blank(): object;
  fill(reader: HeapReader, object: object): void;
}

type DecoderFactory = (prototype: object | null) => ObjectDecoder;
const decoderFactories = new SafeMap<string, DecoderFactory>();

/** Returns an initial value that gives V8 the right field representation. */
function fieldRepresentation(value: unknown): string {
  if (typeof value === 'number') return (value | 0) === value ? '0' : '0.5';
  return 'undefined';
}

/**
 * @param literal whether to create objects with a literal, for the prototype `Object.prototype`; otherwise a
 * constructor assigns the fields, and the prototype must not hinder the assignments
 */
export function createDecoder(
  keys: readonly string[],
  sample: readonly unknown[],
  prototype: object | null,
  literal: boolean,
): ObjectDecoder {
  const kinds: string[] = [];
  for (let i = 0; i < keys.length; i++) kinds[i] = fieldRepresentation(sample[i]);
  const cacheKey = `${literal ? 'l' : 'c'}${quoteKeys(keys)}${join(kinds, ',')}`;
  let factory = decoderFactories.get(cacheKey);
  if (factory === undefined) {
    if (decoderFactories.size > 5000) decoderFactories.clear();
    factory = compileDecoder(keys, kinds, literal);
    decoderFactories.set(cacheKey, factory);
  }
  return factory(prototype);
}

function compileDecoder(keys: readonly string[], kinds: readonly string[], literal: boolean): DecoderFactory {
  const names: string[] = [];
  const fields: string[] = [];
  const assignments: string[] = [];
  const reads: string[] = [];
  const fills: string[] = [];
  const blankFields: string[] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = stringify(keys[i]);
    names[i] = `v${i}`;
    fields[i] = `${key}: v${i}`;
    assignments[i] = `this[${key}] = v${i};`;
    reads[i] = `const v${i} = reader.value();`;
    fills[i] = `object[${key}] = reader.value();`;
    blankFields[i] = `${key}: ${kinds[i] as string}`;
  }
  const wholeExpression = literal ? `{ ${join(fields, ', ')} }` : `new Instance(${join(names, ', ')})`;
  const blankExpression = literal ? `{ ${join(blankFields, ', ')} }` : `new Instance(${join(kinds, ', ')})`;
  return new NativeFunction(
    'prototype',
    `"use strict";
    function Instance(${join(names, ', ')}) { ${join(assignments, ' ')} }
    if (prototype !== null) Instance.prototype = prototype;
    return {
      whole(reader) { ${join(reads, ' ')} return ${wholeExpression}; },
      blank() { return ${blankExpression}; },
      fill(reader, object) { ${join(fills, ' ')} },
    };`,
  ) as DecoderFactory;
}
