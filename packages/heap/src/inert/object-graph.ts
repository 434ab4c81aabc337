// The objects of inert graphs and what they hold: which there are, by which way each is reached, and what would be gone if one were (its
// retained size: the sum over what it dominates). Nodes are numbered breadth first, so that ways are short: the root, then holders, then objects.

import { dominatorTree, type DominatorTree } from './dominators.ts';
import { BuiltIn, classOfPrototype, weakKindOf } from './stand-ins.ts';
import type { ObjectSizes } from './object-sizes.ts';
import type { TypeChecks } from '../ports.ts';

/** Something that holds objects and is none of them: an actor, a module. */
export interface Holder {
  /** What ways begin with. */
  readonly name: string;
  /** What it holds: by which step, and what. */
  readonly holds: readonly (readonly [step: string, value: unknown])[];
  /** What stands for it among the objects. */
  readonly self?: object;
}

/** Part of `util.types`. */
type GraphTypes = Pick<TypeChecks, 'isMap' | 'isSet'>;

/** What an object holds, and by which key; texts are made of these only where a way is told. */
type Edge = (value: object, form: Form, key: unknown) => void;
type Form = 'step' | 'property' | 'key' | 'value' | 'entry' | 'member';

const { getPrototypeOf, ownKeys } = Reflect;

export class ObjectGraph {
  readonly #types: GraphTypes;
  readonly #holders: readonly Holder[];
  readonly #sizes: ObjectSizes;
  readonly #objects: object[] = [];
  /** By the numbers of objects, their nodes; 0 is none. */
  readonly #nodes: number[] = [];
  /** By nodes, from where they were first reached. */
  readonly #from: number[] = [];
  readonly #offsets: number[] = [];
  readonly #targets: number[] = [];
  #tree: DominatorTree | undefined;
  #retained: Float64Array | undefined;

  constructor(holders: readonly Holder[], sizes: ObjectSizes, checks: GraphTypes) {
    this.#holders = holders;
    this.#sizes = sizes;
    this.#types = checks;
    for (let i = 0; i < sizes.bytes.length; i++) this.#nodes[i] = 0;
    this.#offsets.push(0);
    this.#from.push(0);
    holders.forEach(({ self }, i) => {
      if (self !== undefined) this.#nodes[sizes.numberOf(self)] = i + 1;
      this.#targets.push(i + 1);
      this.#from.push(0);
    });
    let node = 1;
    const edge: Edge = (value) => void this.#targets.push(this.#meet(value, node));
    for (; node <= holders.length + this.#objects.length; node++) {
      this.#offsets.push(this.#targets.length);
      this.#edges(node, edge);
    }
    this.#offsets.push(this.#targets.length);
  }

  /** All objects, those near the holders first. */
  get objects(): readonly object[] {
    return this.#objects;
  }

  #meet(object: object, from: number): number {
    const number = this.#sizes.numberOf(object);
    let node = this.#nodes[number] ?? 0;
    if (node === 0) {
      node = this.#holders.length + this.#objects.push(object);
      this.#nodes[number] = node;
      this.#from.push(from);
    }
    return node;
  }

  #nodeOf(object: object): number | undefined {
    return this.#nodes[this.#sizes.numbers.get(object) ?? 0] || undefined;
  }

  #edges(node: number, edge: Edge): void {
    const holder = this.#holders[node - 1];
    if (holder === undefined)
      return edgesOf(this.#types, this.#objects[node - 1 - this.#holders.length] as object, edge);
    for (const [step, value] of holder.holds) if (isObject(value)) edge(value, 'step', step);
  }

  /** A short way to an object: `Cart#12.items[3]`. */
  pathTo(object: object): string | undefined {
    let path = '';
    for (let node = this.#nodeOf(object); node !== undefined;) {
      const from = this.#from[node] as number;
      if (from === 0) return `${this.#holders[node - 1]?.name ?? ''}${path}`;
      path = `${this.#step(from, node)}${path}`;
      node = from;
    }
    return undefined;
  }

  #step(from: number, to: number): string {
    let found: string | undefined;
    this.#edges(from, (value, form, key) => {
      if (found === undefined && this.#nodeOf(value) === to) found = stepText(form, key);
    });
    return found ?? '';
  }

  /** Bytes that only this object holds, itself among them. */
  retainedBy(object: object): number {
    return this.#sums()[this.#nodeOf(object) ?? -1] ?? 0;
  }

  /** The same of each holder, in their order. */
  retainedByHolders(): Float64Array {
    return this.#sums().subarray(1, this.#holders.length + 1);
  }

  /** What sets of objects retain: each object that no other of its set dominates, with the nodes it dominates. `setOf`: the set of each object, of `count` sets. */
  retainedBySets(setOf: Uint32Array, count: number): Float64Array {
    const sums = this.#sums();
    const { above, order } = this.#dominators();
    const before = this.#holders.length + 1;
    // The children of each node as a list.
    const first = new Int32Array(above.length).fill(-1);
    const next = new Int32Array(above.length).fill(-1);
    for (let i = order.length - 1; i > 0; i--) {
      const node = order[i] as number;
      next[node] = first[above[node] as number] as number;
      first[above[node] as number] = node;
    }
    const retained = new Float64Array(count);
    /** How many of a set are on the way down. */
    const open = new Uint32Array(count);
    const path: number[] = [0];
    for (let node = first[0] as number; path.length > 0;) {
      if (node === -1) {
        const left = path.pop() as number;
        if (left >= before) open[setOf[left - before] as number] = (open[setOf[left - before] as number] as number) - 1;
        node = next[left] as number;
        continue;
      }
      if (node >= before) {
        const set = setOf[node - before] as number;
        if (open[set] === 0) retained[set] = (retained[set] as number) + (sums[node] as number);
        open[set] = (open[set] as number) + 1;
      }
      path.push(node);
      node = first[node] as number;
    }
    return retained;
  }

  #dominators(): DominatorTree {
    return (this.#tree ??= dominatorTree({
      offsets: Uint32Array.from(this.#offsets),
      targets: Uint32Array.from(this.#targets),
    }));
  }

  #sums(): Float64Array {
    if (this.#retained !== undefined) return this.#retained;
    const { above, order } = this.#dominators();
    const sums = new Float64Array(above.length);
    const { bytes } = this.#sizes;
    this.#nodes.forEach((node, number) => {
      if (node > this.#holders.length) sums[node] = bytes[number] as number;
    });
    for (let i = order.length - 1; i > 0; i--) {
      const node = order[i] as number;
      const over = above[node] as number;
      sums[over] = (sums[over] as number) + (sums[node] as number);
    }
    return (this.#retained = sums);
  }
}

/** What every process has is nobody's. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof BuiltIn);
}

/** What an object of an inert graph holds: looking at its properties runs nothing. */
function edgesOf({ isMap, isSet }: GraphTypes, object: object, edge: Edge): void {
  let keys: PropertyKey[] | undefined;
  if (isMap(object)) mapEdges(object as Map<unknown, unknown>, edge);
  else if (isSet(object)) setEdges(object as Set<unknown>, edge);
  else if (Array.isArray(object)) keys = elementEdges(object, edge);
  else if (ArrayBuffer.isView(object)) {
    edge(object.buffer, 'property', 'buffer');
    // Its elements are numbers.
    if (!(object instanceof DataView)) keys = [];
  }
  keys ??= ownKeys(object);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const value = (object as Record<string, unknown>)[key];
    if (isObject(value)) edge(value, 'property', key);
  }
  // Its class, if nothing else says so.
  const prototype = getPrototypeOf(object);
  const type = prototype === null ? undefined : classOfPrototype(prototype);
  if (type !== undefined) edge(type, 'property', 'constructor');
}

function mapEdges(map: Map<unknown, unknown>, edge: Edge): void {
  const isWeak = weakKindOf(map) !== undefined;
  let index = 0;
  for (const [key, value] of Map.prototype.entries.call(map) as Iterable<[unknown, unknown]>) {
    if (isObject(key) && !isWeak) edge(key, 'key', index);
    if (isObject(value))
      edge(value, typeof key === 'string' ? 'entry' : 'value', typeof key === 'string' ? key : index);
    index++;
  }
}

function setEdges(set: Set<unknown>, edge: Edge): void {
  let index = 0;
  for (const value of Set.prototype.values.call(set) as Iterable<unknown>) {
    if (isObject(value)) edge(value, 'member', index);
    index++;
  }
}

/** Answers the keys that are left. The length stands behind the elements. */
function elementEdges(array: readonly unknown[], edge: Edge): PropertyKey[] {
  const keys = ownKeys(array);
  const count = keys.lastIndexOf('length');
  const isDense = count === array.length;
  for (let i = 0; i < count; i++) {
    const index = isDense ? i : Number(keys[i]);
    const value = array[index];
    if (isObject(value)) edge(value, 'property', index);
  }
  return keys.slice(count + 1);
}

function stepText(form: Form, key: unknown): string {
  switch (form) {
    case 'step':
      return key as string;
    case 'entry':
      return `.get(${JSON.stringify(key)})`;
    case 'property':
      return propertyStep(key as PropertyKey);
    default:
      return ` ${form} #${key as number}`;
  }
}

function propertyStep(key: PropertyKey): string {
  if (typeof key === 'symbol') return `[Symbol(${key.description ?? ''})]`;
  const text = String(key);
  if (/^#?[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text)) return `.${text}`;
  return /^\d+$/.test(text) ? `[${text}]` : `[${JSON.stringify(text)}]`;
}
