// Numbers of the asynchronous contexts in which the program has called the host, and may be called back. The identity
// of Node's contexts depends on history that no snapshot keeps, so a number covers all contexts with the same home and
// the same values. A replay that starts from a snapshot therefore assigns the same numbers.
//
// A context whose values are all objects is found while these objects exist. Of contexts with primitive values, only
// the latest few are found, and an older one gets a new number. The limit is a count, because the time of a
// garbage collection must not decide.
import { createHiddenField, ROOT_HOME, type ContextData } from '@turntable/core';

export interface NumberedContext {
  readonly number: number;
  /** One of the contexts with the number. */
  readonly context: object;
}

interface ContextEntry extends NumberedContext {
  readonly contextKey: ContextKey | undefined;
  isCurrent: boolean;
}

/** Key of all contexts with equal home and values. */
interface ContextKey {
  readonly node: ContextNode;
  /** The primitive values in order, as text; empty if there is none. */
  readonly primitives: string;
}

/** Tree of contexts by home, then by storages and their object values in the order of the storages. */
class ContextNode {
  readonly #children: WeakMap<WeakKey, ContextNode> = new WeakMap();
  entry: ContextEntry | undefined;
  /** Entries of contexts that also have primitive values, by the text of these values. */
  readonly byPrimitives: Map<string, ContextEntry> = new Map();

  childAt(key: WeakKey): ContextNode {
    let node = this.#children.get(key);
    if (node === undefined) this.#children.set(key, (node = new ContextNode()));
    return node;
  }
}

/** Key that represents any primitive. */
const PRIMITIVE_KEY = {};

/** Maximum number of contexts with primitive values that are found again. */
const MAX_PRIMITIVE_CONTEXTS = 16;

export class ContextNumbers {
  count = 0;
  readonly #readContext: (context: object) => ContextData;
  readonly #marks = createHiddenField<ContextEntry>();
  readonly #root = new ContextNode();
  /** Entries of contexts with primitive values, in ascending order of numbers. */
  readonly #recentPrimitive: ContextEntry[] = [];
  #lastContext: object | undefined;

  constructor(readContext: (context: object) => ContextData) {
    this.#readContext = readContext;
    this.#root.childAt(ROOT_HOME).entry = { number: 0, context: ROOT_HOME, contextKey: undefined, isCurrent: true };
  }

  /** Numbers a context in which the program calls the host. Returns the number if it is new. */
  assign(context: object): NumberedContext | undefined {
    if (context === this.#lastContext) return undefined;
    this.#lastContext = context;
    if (this.#marks.get(context)?.isCurrent === true) return undefined;
    const contextKey = this.#keyOf(context);
    const knownEntry = entryAt(contextKey);
    if (knownEntry === undefined) return this.#add(++this.count, context, contextKey);
    this.#marks.set(context, knownEntry);
    return undefined;
  }

  /** Returns 0 if the program has not called the host in an equal context, or for the main program's empty context. */
  numberOf(context: object): number {
    const markedEntry = this.#marks.get(context);
    if (markedEntry !== undefined) return markedEntry.number;
    const knownEntry = entryAt(this.#keyOf(context));
    if (knownEntry !== undefined) this.#marks.set(context, knownEntry);
    return knownEntry?.number ?? 0;
  }

  /** Restores a number from a snapshot. */
  restore(number: number, context: object): void {
    const contextKey = this.#keyOf(context);
    const knownEntry = entryAt(contextKey);
    if (knownEntry === undefined) this.#add(number, context, contextKey);
    else if (knownEntry.number < number) {
      this.#drop(knownEntry);
      this.#add(number, context, contextKey);
    }
  }

  #keyOf(context: object): ContextKey {
    const { home, entries } = this.#readContext(context);
    let node = this.#root.childAt(home);
    let primitives = '';
    for (const [storage, value] of entries) {
      const isKey = canBeHeldWeakly(value);
      node = node.childAt(storage).childAt(isKey ? value : PRIMITIVE_KEY);
      if (!isKey) primitives += JSON.stringify([typeof value, Object.is(value, -0) ? '-0' : String(value)]);
    }
    return { node, primitives };
  }

  #add(number: number, context: object, contextKey: ContextKey): ContextEntry {
    const entry: ContextEntry = { number, context, contextKey, isCurrent: true };
    this.#marks.set(context, entry);
    const { node, primitives } = contextKey;
    if (primitives === '') {
      node.entry = entry;
      return entry;
    }
    node.byPrimitives.set(primitives, entry);
    let index = this.#recentPrimitive.length;
    while (index > 0 && (this.#recentPrimitive[index - 1] as ContextEntry).number > number) index--;
    this.#recentPrimitive.splice(index, 0, entry);
    if (this.#recentPrimitive.length > MAX_PRIMITIVE_CONTEXTS) this.#drop(this.#recentPrimitive[0] as ContextEntry);
    return entry;
  }

  #drop(entry: ContextEntry): void {
    entry.isCurrent = false;
    const { contextKey } = entry;
    if (contextKey === undefined || contextKey.primitives === '') return;
    contextKey.node.byPrimitives.delete(contextKey.primitives);
    this.#recentPrimitive.splice(this.#recentPrimitive.indexOf(entry), 1);
  }
}

function entryAt({ node, primitives }: ContextKey): ContextEntry | undefined {
  return primitives === '' ? node.entry : node.byPrimitives.get(primitives);
}

function canBeHeldWeakly(value: unknown): value is WeakKey {
  if (typeof value === 'symbol') return Symbol.keyFor(value) === undefined;
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
