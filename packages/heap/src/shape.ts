// Shapes: a family and its objects' string keys in order. Each shape gets an encoder and a decoder made of source text, so that V8
// compiles straight-line code for it. The text holds nothing but numbers and keys quoted by JSON.stringify: no bytes are ever run.
// Encoders read descriptors, not values, unless a layout has shown that there are no getters. Hot path: guarded by bench/heap.

import { apply, descriptorOf, enumerableKeys, join, SafeMap } from './intrinsics.ts';
import type { Family } from './family.ts';
import type { Identities } from './identities.ts';
import type { LayoutWriter } from './layout.ts';
import type { HeapReader } from './reader.ts';
import type { HeapWriter } from './writer.ts';

/** Objects with more keys than this are written key by key. */
export const WIDEST = 64;

export type Encoder = (
  writer: HeapWriter,
  object: object,
  shape: Shape,
  descriptorOf: typeof Object.getOwnPropertyDescriptor,
) => boolean;

export interface Shape {
  readonly family: Family;
  readonly keys: readonly string[];
  /** Its objects that were met, whatever attributes they have; if the family is not `simple`, they are among the family's. */
  readonly identities: Identities;
  /** -1 until it is written. */
  number: number;
  uses: number;
  encode: Encoder | undefined;
  /** For objects whose engine has vouched for their properties: nothing is left to check but that there are no elements. */
  encodeAlike: LayoutWriter | undefined;
}

const { stringify } = JSON;
/** A program may put its own in its place. */
const NativeFunction = Function;
/** After so many objects a shape is worth compiling. */
const WORTH = 3;
const encoders = new SafeMap<string, Encoders>();

/** Answers false, having written nothing, if a property is not an ordinary one. */
export function encodeByKeys(writer: HeapWriter, object: object, shape: Shape): boolean {
  const values = ordinaryValues(object, shape.keys);
  if (values === undefined) return false;
  writer.beginObject(shape);
  for (let i = 0; i < values.length; i++) writer.value(values[i]);
  if (++shape.uses === WORTH) {
    const { encode, encodeAlike } = encoderOf(shape.keys);
    shape.encode = encode;
    shape.encodeAlike = encodeAlike;
  }
  return true;
}

export function ordinaryValues(object: object, keys: readonly string[]): unknown[] | undefined {
  const values: unknown[] = [];
  for (let i = 0; i < keys.length; i++) {
    const d = descriptorOf(object, keys[i] as string);
    if (d === undefined || d.writable !== true || d.enumerable !== true || d.configurable !== true) return undefined;
    values[i] = d.value;
  }
  return values;
}

/** The keys as text: string by string, since on arrays `JSON.stringify` would call a program's `toJSON`. */
function quoted(keys: readonly string[]): string {
  const list: string[] = [];
  for (let i = 0; i < keys.length; i++) list[i] = stringify(keys[i]);
  return join(list, ',');
}

interface Encoders {
  readonly encode: Encoder;
  readonly encodeAlike: LayoutWriter | undefined;
}

function encoderOf(keys: readonly string[]): Encoders {
  const text = quoted(keys);
  let made = encoders.get(text);
  if (made === undefined) {
    if (encoders.size > 5000) encoders.clear();
    made = { encode: compileEncoder(keys), encodeAlike: isIndex(keys[0] ?? '0') ? undefined : compileAlike(keys) };
    encoders.set(text, made);
  }
  return made;
}

/** Integers come first among the keys of an object, so the first key tells of all. */
function isIndex(key: string): boolean {
  return `${(key as unknown as number) >>> 0}` === key;
}

function compileEncoder(keys: readonly string[]): Encoder {
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
  return new NativeFunction('writer', 'object', 'shape', 'descriptorOf', join(lines, '\n')) as Encoder;
}

function compileAlike(keys: readonly string[]): LayoutWriter {
  const lines: string[] = [
    'const { keysOf } = this; return (writer, object, layout) => { "use strict";',
    `if (keysOf(object).length !== ${keys.length}) return false; const { last } = layout; writer.beginObject(layout.shape);`,
  ];
  for (let i = 0; i < keys.length; i++) {
    lines[lines.length] =
      `{ const v = object[${stringify(keys[i])}]; if (typeof v === "string") writer.string(v); else if (typeof v === "number") ` +
      `writer.number(v); else if (typeof v === "object" && v !== null) { const l = last[${i}]; ` +
      `if (writer.sameShape(v, l.exemplar)) writer.nodeOf(l, v); else last[${i}] = writer.nodeAt(l, v); } else writer.value(v); }`;
  }
  lines[lines.length] = 'return true; };';
  return apply(new NativeFunction(join(lines, '\n')) as () => LayoutWriter, { keysOf: enumerableKeys }, []);
}

/** Made after the first object of a shape has shown what kinds of values there are. */
export interface Decoder {
  /** All fields, then the object: for one that nothing refers to. */
  whole(reader: HeapReader): object;
  /** An object of the right hidden class. */
  blank(): object;
  fill(reader: HeapReader, object: object): void;
}

type DecoderMaker = (prototype: object | null) => Decoder;
const decoders = new SafeMap<string, DecoderMaker>();

/** Initial values that give V8 the right representation of each field. */
function kindOf(value: unknown): string {
  if (typeof value === 'number') return (value | 0) === value ? '0' : '0.5';
  return 'undefined';
}

/** `literal`: with Object.prototype. Otherwise a constructor of ours assigns: no prototype may have a setter or a constant for one of the keys. */
export function decoderOf(
  keys: readonly string[],
  sample: readonly unknown[],
  prototype: object | null,
  literal: boolean,
): Decoder {
  const kinds: string[] = [];
  for (let i = 0; i < keys.length; i++) kinds[i] = kindOf(sample[i]);
  const text = `${literal ? 'l' : 'c'}${quoted(keys)}${join(kinds, ',')}`;
  let make = decoders.get(text);
  if (make === undefined) {
    if (decoders.size > 5000) decoders.clear();
    make = compileDecoder(keys, kinds, literal);
    decoders.set(text, make);
  }
  return make(prototype);
}

function compileDecoder(keys: readonly string[], kinds: readonly string[], literal: boolean): DecoderMaker {
  const names: string[] = [];
  const fields: string[] = [];
  const assigned: string[] = [];
  const read: string[] = [];
  const filled: string[] = [];
  const blank: string[] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = stringify(keys[i]);
    names[i] = `v${i}`;
    fields[i] = `${key}: v${i}`;
    assigned[i] = `this[${key}] = v${i};`;
    read[i] = `const v${i} = reader.value();`;
    filled[i] = `object[${key}] = reader.value();`;
    blank[i] = `${key}: ${kinds[i] as string}`;
  }
  const whole = literal ? `{ ${join(fields, ', ')} }` : `new Instance(${join(names, ', ')})`;
  const made = literal ? `{ ${join(blank, ', ')} }` : `new Instance(${join(kinds, ', ')})`;
  return new NativeFunction(
    'prototype',
    `"use strict";
    function Instance(${join(names, ', ')}) { ${join(assigned, ' ')} }
    if (prototype !== null) Instance.prototype = prototype;
    return {
      whole(reader) { ${join(read, ' ')} return ${whole}; },
      blank() { return ${made}; },
      fill(reader, object) { ${join(filled, ' ')} },
    };`,
  ) as DecoderMaker;
}
