// Graph of the objects of a thread's program, for heap snapshots: from the variables of its files, its actors, and the
// variables of the paused stack, along properties, private fields, entries of collections and captured variables. No
// code of the program runs. Objects that only Node, a timer or a waiting message keeps are not in it.
import { types } from 'node:util';
import type { HeapGraph, HeapNodeType, HeapReferenceType } from '@turntable/time-machine/replay-process';
import type { Loader } from '../thread/loader.ts';
import { programRecords, topScopeOf, topVariableValue } from './top-scope.ts';
import type { Variables } from './variables.ts';
import { className, innerValues, keyText, listLength, type ObjectDetails } from '../replay/thread/value-inspector.ts';

const { getOwnPropertyDescriptor, hasOwn } = Object;
const { ownKeys } = Reflect;
const { isArray } = Array;

/** Maximum number of objects; the others are left out. */
const MAX_NODES = 2_000_000;
/** Maximum number of characters of a text that is shown. */
const MAX_TEXT_CHARS = 1000;
/** Estimated bytes of a header, and of each reference, in V8 with compressed pointers off. */
const HEADER_BYTES = 24;
const REFERENCE_BYTES = 8;

/** Something that keeps values: a file, an actor, a stack frame. */
export interface HeapRoot {
  readonly name: string;
  readonly values: readonly (readonly [name: string, value: unknown])[];
}

export function variablesRoot(name: string, variables: Variables): HeapRoot {
  return { name, values: Array.from(variables, ([variable, holder]) => [variable, holder?.value] as const) };
}

export function actorRoot(name: string, actor: unknown): HeapRoot {
  return { name: `actor ${name}`, values: [['actor', actor]] };
}

/** The files of the program and its packages, with their top-level variables. */
export function fileRoots(loader: Loader): HeapRoot[] {
  const { program } = loader;
  const files = new Set(programRecords(program).map((record) => program.table.runNameOf(record)));
  return Array.from(files, (file) => ({
    name: file,
    values: [...topScopeOf(loader, file)].flatMap(([name, variable]) => {
      const found = variable.isImported ? undefined : topVariableValue(variable);
      return found === undefined ? [] : [[name, found.value] as const];
    }),
  }));
}

export interface HeapGraphDeps {
  readonly details: ObjectDetails;
  /** The values that a function of the program has captured; undefined for functions that are not the program's. */
  capturesOf(fn: object): readonly unknown[] | undefined;
}

export function heapGraphOf(roots: readonly HeapRoot[], deps: HeapGraphDeps): HeapGraph {
  const builder = new HeapGraphBuilder(deps);
  return builder.build(roots);
}

class HeapGraphBuilder {
  readonly #deps: HeapGraphDeps;
  readonly #nodes: [type: HeapNodeType, name: string, bytes: number, referenceCount: number][] = [];
  readonly #references: [type: HeapReferenceType, name: string | number, node: number][] = [];
  readonly #numbers = new Map<unknown, number>();
  /** Objects whose references are not yet listed, in the order of their nodes. */
  readonly #queue: unknown[] = [];

  constructor(deps: HeapGraphDeps) {
    this.#deps = deps;
  }

  build(roots: readonly HeapRoot[]): HeapGraph {
    for (const { name } of roots) {
      this.#nodes.push(['object', name, HEADER_BYTES, 0]);
      this.#queue.push(undefined);
    }
    for (let node = 0; node < this.#nodes.length; node++) {
      const before = this.#references.length;
      const root = roots[node];
      if (root === undefined) this.#listReferences(this.#queue[node]);
      else for (const [name, value] of root.values) this.#refer('property', name, value);
      const entry = this.#nodes[node] as [HeapNodeType, string, number, number];
      entry[3] = this.#references.length - before;
      if (entry[0] !== 'string' && !isBinary(this.#queue[node])) entry[2] = HEADER_BYTES + entry[3] * REFERENCE_BYTES;
    }
    return { nodes: this.#nodes, references: this.#references, rootCount: roots.length };
  }

  #listReferences(value: unknown): void {
    if (typeof value !== 'object' && typeof value !== 'function') return;
    const object = value as object;
    if (types.isProxy(object)) return;
    if (typeof object === 'function')
      for (const [index, captured] of (this.#deps.capturesOf(object) ?? []).entries())
        this.#refer('context', `captured ${index + 1}`, captured);
    for (const [name, part] of innerValues(object, this.#deps.details)) {
      if (name === 'state' || name === 'awaited') continue;
      if (name === 'prototype') this.#referToPrototype(part as object);
      else this.#refer(name.startsWith('#') ? 'property' : 'internal', name, part);
    }
    if (types.isMap(object)) for (const key of mapKeys(object)) this.#refer('internal', 'key', key);
    if (types.isTypedArray(object)) return;
    for (const key of ownKeys(object)) {
      const property = getOwnPropertyDescriptor(object, key);
      if (property === undefined || !('value' in property)) continue;
      const isElement = isArray(object) && typeof key === 'string' && /^\d+$/.test(key);
      this.#refer(isElement ? 'element' : 'property', isElement ? Number(key) : keyText(key), property.value);
    }
  }

  /** Prototypes of the language lead to nothing of the program. */
  #referToPrototype(prototype: object): void {
    if (types.isProxy(prototype)) return;
    const constructor: unknown = hasOwn(prototype, 'constructor')
      ? getOwnPropertyDescriptor(prototype, 'constructor')?.value
      : undefined;
    if (typeof constructor === 'function' && !isNative(constructor)) this.#refer('property', '__proto__', prototype);
  }

  #refer(type: HeapReferenceType, name: string | number, value: unknown): void {
    const node = this.#nodeFor(value);
    if (node !== undefined) this.#references.push([type, name, node]);
  }

  /** The node of an object or text; undefined for other values, which have no identity. */
  #nodeFor(value: unknown): number | undefined {
    const isText = typeof value === 'string';
    if (!isText && (value === null || (typeof value !== 'object' && typeof value !== 'function'))) return undefined;
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    if (this.#nodes.length >= MAX_NODES) return undefined;
    const number = this.#nodes.length;
    this.#numbers.set(value, number);
    this.#queue.push(value);
    this.#nodes.push(isText ? describeText(value) : describeObject(value as object));
    return number;
  }
}

function describeText(text: string): [HeapNodeType, string, number, number] {
  const shown = text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
  return ['string', shown, HEADER_BYTES + text.length, 0];
}

function describeObject(object: object): [HeapNodeType, string, number, number] {
  if (types.isProxy(object)) return ['object', 'Proxy', HEADER_BYTES, 0];
  if (typeof object === 'function') {
    const name: unknown = getOwnPropertyDescriptor(object, 'name')?.value;
    return ['closure', typeof name === 'string' ? name : '', HEADER_BYTES, 0];
  }
  if (types.isTypedArray(object)) return ['object', className(object), HEADER_BYTES + object.byteLength, 0];
  if (types.isArrayBuffer(object)) return ['object', 'ArrayBuffer', HEADER_BYTES + object.byteLength, 0];
  if (types.isRegExp(object)) return ['regexp', className(object), HEADER_BYTES, 0];
  const name = className(object) || 'Object';
  const prototypeName = nameOfPrototype(object);
  if (prototypeName !== undefined) return ['object', prototypeName, HEADER_BYTES, 0];
  return ['object', name, HEADER_BYTES + (isArray(object) ? listLength(object) : 0), 0];
}

/** The name of an object that is the prototype of a class or function. */
function nameOfPrototype(object: object): string | undefined {
  const constructor: unknown = getOwnPropertyDescriptor(object, 'constructor')?.value;
  if (typeof constructor !== 'function' || types.isProxy(constructor)) return undefined;
  if (getOwnPropertyDescriptor(constructor, 'prototype')?.value !== object) return undefined;
  return `${String(getOwnPropertyDescriptor(constructor, 'name')?.value)}.prototype`;
}

function isBinary(value: unknown): boolean {
  return types.isTypedArray(value) || types.isArrayBuffer(value);
}

function isNative(fn: object): boolean {
  return Function.prototype.toString.call(fn).endsWith('{ [native code] }');
}

function mapKeys(map: object): unknown[] {
  return [...Map.prototype.keys.call(map as Map<unknown, unknown>)];
}
