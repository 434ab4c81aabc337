// Shapes: sequences of keys of plain objects. A ring transmits a shape once, and later its number. Shapes that are used
// often get generated code for writing and reading. The only part of the bytes in that code are keys, quoted by
// JSON.stringify. Where Node forbids code from strings, a loop is used. Hot path: guarded by bench/transport.

import type { EngineView } from '@turntable/core';
import type { TextBuffer } from './ring.ts';
import { DOUBLE, INTEGER, MAX_CALLS, MAX_SHAPES, SHORT, SMALL, UNDEFINED, MAX_SHAPE_KEYS } from './tags.ts';

type Plain = Record<string, unknown>;

export interface ShapeEncoder {
  at: number;
  readonly bytes: TextBuffer;
  readonly view: DataView;
  room(count: number): void;
  text(text: string): void;
  value(value: unknown): void;
}

export interface ShapeDecoder {
  at: number;
  readonly end: number;
  readonly bytes: TextBuffer;
  readonly view: DataView;
  readonly window: string;
  readonly windowStart: number;
  readonly windowEnd: number;
  short(length: number): string;
  value(): unknown;
}

export type WriteValues = (encoder: ShapeEncoder, object: Plain) => void;
export type ReadObject = (decoder: ShapeDecoder) => object;

const COMPILE_AFTER_USES = 24;

const { stringify } = JSON;
const { getOwnPropertyDescriptor } = Object;
const NativeFunction = Function;
const NativeMap = Map;

/** Twin of a shape that has no real twin. No object of a program has its hidden class. */
export const NO_TWIN: object = new (class NoTwin {
  readonly no = 'twin';
})();

/** A node in the tree of all key sequences. It is a shape if its number is not negative. */
export class WriterShape {
  number = -1;
  uses = 0;
  write: WriteValues | undefined = undefined;
  lastKey: string | undefined = undefined;
  lastChild: WriterShape | undefined = undefined;
  children: Map<string, WriterShape> | undefined = undefined;
  /** An object to which V8 gives the hidden class of this shape's objects. */
  twin: object = NO_TWIN;
  keys: readonly string[] = [];
  firstKey: string | undefined = undefined;
}

/** Returns the first key. If an object has elements, which are not in its hidden class, the key is one of them. */
export function firstKeyOf(object: object): string | undefined {
  for (const key in object) return key;
  return undefined;
}

/** Gives a shape a twin if possible. A twin has no accessors and keeps no objects of the program alive. */
export function giveTwin(
  shape: WriterShape,
  object: Plain,
  keys: readonly string[],
  engine: Pick<EngineView, 'sameShape' | 'hasFixedShape'>,
): void {
  shape.twin = NO_TWIN;
  if (!engine.hasFixedShape(object) || `${Number(keys[0]) >>> 0}` === keys[0]) return;
  for (const key of keys) if (getOwnPropertyDescriptor(object, key)?.writable !== true) return;
  const twin = { ...object };
  for (const key of keys) {
    const value = twin[key];
    if (typeof value === 'object') twin[key] = null;
    else if (typeof value === 'string') twin[key] = '';
  }
  if (!engine.sameShape(twin, object)) return;
  shape.twin = twin;
  shape.keys = keys;
  shape.firstKey = keys[0];
}

/** Numbers that the writing end of a ring has assigned. */
export class WriterTables {
  /** Whether the next message must make the other end reset its tables. */
  isReset = false;
  private nodes = 0;
  private ordinary = new WriterShape();
  private nullPrototype = new WriterShape();
  private shapes: WriterShape[] = [];
  private calls = new NativeMap<string, number>();
  private names: string[] = [];
  private lastName: string | undefined = undefined;
  private lastNumber = 0;

  /** Resets the tables if they are too large. Called between messages. */
  limit(): void {
    if (this.nodes < MAX_SHAPES * 8 && this.shapes.length < MAX_SHAPES && this.names.length < MAX_CALLS) return;
    this.isReset = true;
    this.nodes = 0;
    this.ordinary = new WriterShape();
    this.nullPrototype = new WriterShape();
    this.shapes = [];
    this.calls = new NativeMap();
    this.names = [];
    this.lastName = undefined;
  }

  shapeOf(keys: readonly string[], hasNullPrototype: boolean): WriterShape | undefined {
    if (keys.length > MAX_SHAPE_KEYS) return undefined;
    let node = hasNullPrototype ? this.nullPrototype : this.ordinary;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      node = node.lastKey === key ? (node.lastChild as WriterShape) : this.childOf(node, key);
    }
    return node;
  }

  private childOf(node: WriterShape, key: string): WriterShape {
    let next = node.children?.get(key);
    if (next === undefined) {
      next = new WriterShape();
      this.nodes++;
      node.children ??= new NativeMap();
      node.children.set(key, next);
    }
    node.lastKey = key;
    node.lastChild = next;
    return next;
  }

  define(shape: WriterShape): void {
    shape.number = this.shapes.push(shape) - 1;
  }

  /** Returns the number of a call; -1 if it has none yet. */
  numberOf(call: string): number {
    if (call === this.lastName) return this.lastNumber;
    const number = this.calls.get(call);
    if (number === undefined) return -1;
    this.lastName = call;
    this.lastNumber = number;
    return number;
  }

  defineCall(call: string): void {
    this.calls.set(call, this.names.push(call) - 1);
  }

  get shapeCount(): number {
    return this.shapes.length;
  }
  get callCount(): number {
    return this.names.length;
  }

  /** Removes the numbers that a refused message assigned. */
  rollBack(shapes: number, calls: number): void {
    while (this.shapes.length > shapes) (this.shapes.pop() as WriterShape).number = -1;
    while (this.names.length > calls) this.calls.delete(this.names.pop() as string);
    this.lastName = undefined;
  }
}

export function countUse(shape: WriterShape, keys: readonly string[]): WriteValues | undefined {
  if (++shape.uses === COMPILE_AFTER_USES) shape.write = compileWriter(keys);
  return shape.write;
}

/** Generates code that writes numbers itself and other values through the encoder, whose position it then updates. */
function compileWriter(keys: readonly string[]): WriteValues | undefined {
  const maxBytes = 9 * keys.length;
  const lines = keys.map(
    (key) => `v = object[${stringify(key)}];
      if (typeof v === 'number') {
        if ((v | 0) === v && (v !== 0 || 1 / v > 0)) {
          if (v >= 0 && v < 128) bytes[at++] = ${SMALL} | v;
          else { bytes[at] = ${INTEGER}; view.setInt32(at + 1, v, true); at += 5; }
        } else { bytes[at] = ${DOUBLE}; view.setFloat64(at + 1, v, true); at += 9; }
      } else {
        encoder.at = at;
        if (typeof v === 'string') encoder.text(v); else encoder.value(v);
        encoder.room(${maxBytes});
        at = encoder.at; bytes = encoder.bytes; view = encoder.view;
      }`,
  );
  return compileFunction(
    `return (encoder, object) => { encoder.room(${maxBytes}); let { at, bytes, view } = encoder; let v; ${lines.join('\n')} encoder.at = at; }`,
  ) as WriteValues | undefined;
}

export class ReaderShape {
  readonly keys: readonly string[];
  readonly hasNullPrototype: boolean;
  uses = 0;
  read: ReadObject | undefined = undefined;

  constructor(keys: readonly string[], hasNullPrototype: boolean) {
    this.keys = keys;
    this.hasNullPrototype = hasNullPrototype;
  }

  countUse(): void {
    if (++this.uses === COMPILE_AFTER_USES) this.read = compileReader(this.keys, this.hasNullPrototype);
  }
}

/** Generates code that reads numbers and strings in the window itself, and other values through the decoder. */
function compileReader(keys: readonly string[], hasNullPrototype: boolean): ReadObject | undefined {
  const names = keys.map((_, i) => `v${i}`);
  const lines = names.map(
    (name) => `tag = at < end ? bytes[at] : ${UNDEFINED};
      if (tag >= ${SMALL}) { ${name} = tag & 0x7f; at++; }
      else if (tag >= ${SHORT}) {
        from = at + 1;
        at = from + (tag & 0x3f);
        if (from >= decoder.windowStart && at <= decoder.windowEnd && at <= end)
          ${name} = decoder.window.substring(from - decoder.windowStart, at - decoder.windowStart);
        else { decoder.at = from; ${name} = decoder.short(tag & 0x3f); }
      }
      else if (tag === ${INTEGER} && at + 5 <= end) { ${name} = view.getInt32(at + 1, true); at += 5; }
      else if (tag === ${DOUBLE} && at + 9 <= end) { ${name} = view.getFloat64(at + 1, true); at += 9; }
      else { decoder.at = at; ${name} = decoder.value(); at = decoder.at; }`,
  );
  // A computed `__proto__` is an ordinary key and sets no prototype.
  const fields = keys.map((key, i) => `${key === '__proto__' ? '["__proto__"]' : stringify(key)}: v${i}`);
  if (hasNullPrototype) fields.unshift('__proto__: null');
  const locals = ['tag', 'from', ...names].join();
  return compileFunction(
    `return (decoder) => { const { bytes, view, end } = decoder; let { at } = decoder; let ${locals};
      ${lines.join('\n')} decoder.at = at; return { ${fields.join(', ')} }; }`,
  ) as ReadObject | undefined;
}

function compileFunction(source: string): unknown {
  try {
    return (new NativeFunction(`'use strict'; ${source}`) as () => unknown)();
  } catch {
    return undefined;
  }
}
