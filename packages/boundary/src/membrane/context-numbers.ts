// Asynchronous contexts by number: in one of them the program has asked something, and from there the outside may call it. Node's own come and go by
// history: who shares one with whom depends on what ran just before, and a snapshot does not keep it. So a number is that of all with the same
// home and the same values, and when one is given depends on nothing else: a run that goes on from a snapshot gives the same ones.
//
// Those whose values are objects are found again as long as the objects are there, which nobody can have otherwise. With primitives
// among them only the latest few are, by count, since the collector's time is no matter of the program's: after that there is a new number.
import { createHiddenField, ROOT_HOME, type ContextData } from '@turntable/core';

export interface NumberedContext {
  readonly number: number;
  /** One of those that it is the number of. */
  readonly context: object;
}

interface ContextEntry extends NumberedContext {
  readonly contextKey: ContextKey | undefined;
  isCurrent: boolean;
}

/** Where those of the same home and the same values are found. */
interface ContextKey {
  readonly node: ContextNode;
  /** Of the primitives among them, in their order; empty if there is none. */
  readonly primitives: string;
}

/** By home, storages and those of their values that are no primitives, in the order of the storages. */
class ContextNode {
  readonly #children: WeakMap<WeakKey, ContextNode> = new WeakMap();
  entry: ContextEntry | undefined;
  /** By the primitives. */
  readonly byPrimitives: Map<string, ContextEntry> = new Map();

  childAt(key: WeakKey): ContextNode {
    let node = this.#children.get(key);
    if (node === undefined) this.#children.set(key, (node = new ContextNode()));
    return node;
  }
}

/** In the place of a primitive. */
const PRIMITIVE_KEY = {};

/** With primitives, so many are found again. */
const MAX_PRIMITIVE_CONTEXTS = 16;

export class ContextNumbers {
  count = 0;
  readonly #readContext: (context: object) => ContextData;
  readonly #marks = createHiddenField<ContextEntry>();
  readonly #root = new ContextNode();
  /** By number. */
  readonly #recentPrimitive: ContextEntry[] = [];
  #lastContext: object | undefined;

  constructor(readContext: (context: object) => ContextData) {
    this.#readContext = readContext;
    this.#root.childAt(ROOT_HOME).entry = { number: 0, context: ROOT_HOME, contextKey: undefined, isCurrent: true };
  }

  /** Something is asked there. Answers a number that had to be given. */
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

  /** 0: nothing was asked there, or it is the main program's without values. */
  numberOf(context: object): number {
    const markedEntry = this.#marks.get(context);
    if (markedEntry !== undefined) return markedEntry.number;
    const knownEntry = entryAt(this.#keyOf(context));
    if (knownEntry !== undefined) this.#marks.set(context, knownEntry);
    return knownEntry?.number ?? 0;
  }

  /** Of a snapshot that this run goes on from. */
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
