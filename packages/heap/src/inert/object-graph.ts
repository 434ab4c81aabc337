// Graph of the objects in inert graphs, with a short path to each and its retained size (the sum over the objects that
// it dominates). Nodes are numbered breadth first, for short paths: the root, then holders, then objects.

import { dominatorTree, type DominatorTree } from './dominators.ts';
import { BuiltIn, classOfPrototype, weakKindOf } from './stand-ins.ts';
import type { ObjectSizes } from './object-sizes.ts';
import type { TypeChecks } from '../ports.ts';

/** Holder of objects that is not an object: an actor or a module. */
export interface Holder {
  /** Start of paths. */
  readonly name: string;
  /** Held values with the path step to each. */
  readonly references: readonly (readonly [step: string, value: unknown])[];
  /** Stand-in for the holder in the graph. */
  readonly standIn?: object;
}

/** The needed part of `util.types`. */
type GraphTypes = Pick<TypeChecks, 'isMap' | 'isSet'>;

/** Visits a referenced object. `form` and `key` become text only when a path is requested. */
type EdgeVisitor = (value: object, form: EdgeForm, key: unknown) => void;
type EdgeForm = 'step' | 'property' | 'key' | 'value' | 'entry' | 'member';

const { getPrototypeOf, ownKeys } = Reflect;

export class ObjectGraph {
  readonly #types: GraphTypes;
  readonly #holders: readonly Holder[];
  readonly #sizes: ObjectSizes;
  readonly #objects: object[] = [];
  /** Nodes by object number; 0 for none. */
  readonly #nodeByNumber: number[] = [];
  /** First parent of each node. */
  readonly #parents: number[] = [];
  readonly #edgeOffsets: number[] = [];
  readonly #edgeTargets: number[] = [];
  #dominatorTree: DominatorTree | undefined;
  #retainedSizes: Float64Array | undefined;

  constructor(holders: readonly Holder[], sizes: ObjectSizes, types: GraphTypes) {
    this.#holders = holders;
    this.#sizes = sizes;
    this.#types = types;
    for (let i = 0; i < sizes.bytesByNumber.length; i++) this.#nodeByNumber[i] = 0;
    this.#edgeOffsets.push(0);
    this.#parents.push(0);
    holders.forEach(({ standIn }, i) => {
      if (standIn !== undefined) this.#nodeByNumber[sizes.numberOf(standIn)] = i + 1;
      this.#edgeTargets.push(i + 1);
      this.#parents.push(0);
    });
    let node = 1;
    const visitEdge: EdgeVisitor = (value) => void this.#edgeTargets.push(this.#nodeFor(value, node));
    for (; node <= holders.length + this.#objects.length; node++) {
      this.#edgeOffsets.push(this.#edgeTargets.length);
      this.#visitEdges(node, visitEdge);
    }
    this.#edgeOffsets.push(this.#edgeTargets.length);
  }

  /** All objects, the nearest to the holders first. */
  get objects(): readonly object[] {
    return this.#objects;
  }

  #nodeFor(object: object, parent: number): number {
    const number = this.#sizes.numberOf(object);
    let node = this.#nodeByNumber[number] ?? 0;
    if (node === 0) {
      node = this.#holders.length + this.#objects.push(object);
      this.#nodeByNumber[number] = node;
      this.#parents.push(parent);
    }
    return node;
  }

  #nodeOf(object: object): number | undefined {
    return this.#nodeByNumber[this.#sizes.numberByObject.get(object) ?? 0] || undefined;
  }

  #visitEdges(node: number, visit: EdgeVisitor): void {
    const holder = this.#holders[node - 1];
    if (holder === undefined)
      return visitObjectEdges(this.#types, this.#objects[node - 1 - this.#holders.length] as object, visit);
    for (const [step, value] of holder.references) if (isOwnedObject(value)) visit(value, 'step', step);
  }

  /** Returns a short path to an object, like `Cart#12.items[3]`. */
  pathTo(object: object): string | undefined {
    let path = '';
    for (let node = this.#nodeOf(object); node !== undefined;) {
      const parent = this.#parents[node] as number;
      if (parent === 0) return `${this.#holders[node - 1]?.name ?? ''}${path}`;
      path = `${this.#stepBetween(parent, node)}${path}`;
      node = parent;
    }
    return undefined;
  }

  #stepBetween(from: number, to: number): string {
    let step: string | undefined;
    this.#visitEdges(from, (value, form, key) => {
      if (step === undefined && this.#nodeOf(value) === to) step = formatStep(form, key);
    });
    return step ?? '';
  }

  /** Returns the number of bytes that the object and everything it dominates take. */
  retainedSize(object: object): number {
    return this.#getRetainedSizes()[this.#nodeOf(object) ?? -1] ?? 0;
  }

  /** Returns the retained sizes of the holders, in order. */
  retainedSizesOfHolders(): Float64Array {
    return this.#getRetainedSizes().subarray(1, this.#holders.length + 1);
  }

  /**
   * Sums the retained sizes of sets without counting an object twice.
   * @param setOf set of each object, of `count` sets
   */
  retainedSizesOfSets(setOf: Uint32Array, count: number): Float64Array {
    const retainedSizes = this.#getRetainedSizes();
    const { immediateDominators, depthFirstOrder: order } = this.#getDominatorTree();
    const firstObjectNode = this.#holders.length + 1;
    // Children of each node as a linked list.
    const firstChild = new Int32Array(immediateDominators.length).fill(-1);
    const nextSibling = new Int32Array(immediateDominators.length).fill(-1);
    for (let i = order.length - 1; i > 0; i--) {
      const node = order[i] as number;
      nextSibling[node] = firstChild[immediateDominators[node] as number] as number;
      firstChild[immediateDominators[node] as number] = node;
    }
    const sizeBySet = new Float64Array(count);
    /** Number of objects of each set on the current path. */
    const openCounts = new Uint32Array(count);
    const path: number[] = [0];
    for (let node = firstChild[0] as number; path.length > 0;) {
      if (node === -1) {
        const closedNode = path.pop() as number;
        if (closedNode >= firstObjectNode)
          openCounts[setOf[closedNode - firstObjectNode] as number] =
            (openCounts[setOf[closedNode - firstObjectNode] as number] as number) - 1;
        node = nextSibling[closedNode] as number;
        continue;
      }
      if (node >= firstObjectNode) {
        const set = setOf[node - firstObjectNode] as number;
        if (openCounts[set] === 0) sizeBySet[set] = (sizeBySet[set] as number) + (retainedSizes[node] as number);
        openCounts[set] = (openCounts[set] as number) + 1;
      }
      path.push(node);
      node = firstChild[node] as number;
    }
    return sizeBySet;
  }

  #getDominatorTree(): DominatorTree {
    return (this.#dominatorTree ??= dominatorTree({
      offsets: Uint32Array.from(this.#edgeOffsets),
      targets: Uint32Array.from(this.#edgeTargets),
    }));
  }

  #getRetainedSizes(): Float64Array {
    if (this.#retainedSizes !== undefined) return this.#retainedSizes;
    const { immediateDominators, depthFirstOrder: order } = this.#getDominatorTree();
    const retainedSizes = new Float64Array(immediateDominators.length);
    const { bytesByNumber: bytes } = this.#sizes;
    this.#nodeByNumber.forEach((node, number) => {
      if (node > this.#holders.length) retainedSizes[node] = bytes[number] as number;
    });
    for (let i = order.length - 1; i > 0; i--) {
      const node = order[i] as number;
      const dominator = immediateDominators[node] as number;
      retainedSizes[dominator] = (retainedSizes[dominator] as number) + (retainedSizes[node] as number);
    }
    return (this.#retainedSizes = retainedSizes);
  }
}

/** Returns whether a value is an object and no builtin, which has no owner. */
function isOwnedObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof BuiltIn);
}

/** Visits the references of an inert object. Reading its properties runs no code. */
function visitObjectEdges({ isMap, isSet }: GraphTypes, object: object, visit: EdgeVisitor): void {
  let keys: PropertyKey[] | undefined;
  if (isMap(object)) visitMapEdges(object as Map<unknown, unknown>, visit);
  else if (isSet(object)) visitSetEdges(object as Set<unknown>, visit);
  else if (Array.isArray(object)) keys = visitElementEdges(object, visit);
  else if (ArrayBuffer.isView(object)) {
    visit(object.buffer, 'property', 'buffer');
    // Elements of a typed array are numbers and refer to nothing.
    if (!(object instanceof DataView)) keys = [];
  }
  keys ??= ownKeys(object);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const value = (object as Record<string, unknown>)[key];
    if (isOwnedObject(value)) visit(value, 'property', key);
  }
  // An object also refers to its class. Edges from properties come first, because they give better paths.
  const prototype = getPrototypeOf(object);
  const type = prototype === null ? undefined : classOfPrototype(prototype);
  if (type !== undefined) visit(type, 'property', 'constructor');
}

function visitMapEdges(map: Map<unknown, unknown>, visit: EdgeVisitor): void {
  const isWeak = weakKindOf(map) !== undefined;
  let index = 0;
  for (const [key, value] of Map.prototype.entries.call(map) as Iterable<[unknown, unknown]>) {
    if (isOwnedObject(key) && !isWeak) visit(key, 'key', index);
    if (isOwnedObject(value))
      visit(value, typeof key === 'string' ? 'entry' : 'value', typeof key === 'string' ? key : index);
    index++;
  }
}

function visitSetEdges(set: Set<unknown>, visit: EdgeVisitor): void {
  let index = 0;
  for (const value of Set.prototype.values.call(set) as Iterable<unknown>) {
    if (isOwnedObject(value)) visit(value, 'member', index);
    index++;
  }
}

/** Visits elements and returns the other keys, which `length` precedes. */
function visitElementEdges(array: readonly unknown[], visit: EdgeVisitor): PropertyKey[] {
  const keys = ownKeys(array);
  const count = keys.lastIndexOf('length');
  const isDense = count === array.length;
  for (let i = 0; i < count; i++) {
    const index = isDense ? i : Number(keys[i]);
    const value = array[index];
    if (isOwnedObject(value)) visit(value, 'property', index);
  }
  return keys.slice(count + 1);
}

function formatStep(form: EdgeForm, key: unknown): string {
  switch (form) {
    case 'step':
      return key as string;
    case 'entry':
      return `.get(${JSON.stringify(key)})`;
    case 'property':
      return formatProperty(key as PropertyKey);
    default:
      return ` ${form} #${key as number}`;
  }
}

function formatProperty(key: PropertyKey): string {
  if (typeof key === 'symbol') return `[Symbol(${key.description ?? ''})]`;
  const name = String(key);
  if (/^#?[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return `.${name}`;
  return /^\d+$/.test(name) ? `[${name}]` : `[${JSON.stringify(name)}]`;
}
