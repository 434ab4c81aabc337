// Asynchronous contexts by number: in one of them the program has asked something, and from there the outside may call it. Node's own come and go by
// history: who shares one with whom depends on what ran just before, and a snapshot does not keep it. So a number is that of all with the same
// home and the same values, and when one is given depends on nothing else: a run that goes on from a snapshot gives the same ones.
//
// Those whose values are objects are found again as long as the objects are there, which nobody can have otherwise. With primitives
// among them only the latest few are, by count, since the collector's time is no matter of the program's: after that there is a new number.
import { createMarks, ROOT_HOME, type ContextData } from '@turntable/core';

export interface NumberedContext {
  readonly number: number;
  /** One of those that it is the number of. */
  readonly context: object;
}

interface Numbered extends NumberedContext {
  readonly place: Place | undefined;
  isFound: boolean;
}

/** Where those of the same home and the same values are found. */
interface Place {
  readonly node: Node;
  /** Of the primitives among them, in their order; empty if there is none. */
  readonly text: string;
}

/** By home, storages and those of their values that are no primitives, in the order of the storages. */
class Node {
  readonly #next: WeakMap<WeakKey, Node> = new WeakMap();
  own: Numbered | undefined;
  /** By the primitives. */
  readonly byText: Map<string, Numbered> = new Map();

  at(key: WeakKey): Node {
    let node = this.#next.get(key);
    if (node === undefined) this.#next.set(key, (node = new Node()));
    return node;
  }
}

/** In the place of a primitive. */
const PRIMITIVE = {};

/** With primitives, so many are found again. */
const MOST_FOUND = 16;

export class ContextNumbers {
  count = 0;
  readonly #read: (context: object) => ContextData;
  readonly #marks = createMarks<Numbered>();
  readonly #root = new Node();
  /** By number. */
  readonly #found: Numbered[] = [];
  #last: object | undefined;

  constructor(read: (context: object) => ContextData) {
    this.#read = read;
    this.#root.at(ROOT_HOME).own = { number: 0, context: ROOT_HOME, place: undefined, isFound: true };
  }

  /** Something is asked there. Answers a number that had to be given. */
  ask(context: object): NumberedContext | undefined {
    if (context === this.#last) return undefined;
    this.#last = context;
    if (this.#marks.of(context)?.isFound === true) return undefined;
    const place = this.#placeOf(context);
    const known = found(place);
    if (known === undefined) return this.#put(++this.count, context, place);
    this.#marks.put(context, known);
    return undefined;
  }

  /** 0: nothing was asked there, or it is the main program's without values. */
  numberOf(context: object): number {
    const marked = this.#marks.of(context);
    if (marked !== undefined) return marked.number;
    const known = found(this.#placeOf(context));
    if (known !== undefined) this.#marks.put(context, known);
    return known?.number ?? 0;
  }

  /** Of a snapshot that this run goes on from. */
  give(number: number, context: object): void {
    const place = this.#placeOf(context);
    const known = found(place);
    if (known === undefined) this.#put(number, context, place);
    else if (known.number < number) {
      this.#lose(known);
      this.#put(number, context, place);
    }
  }

  #placeOf(context: object): Place {
    const { home, entries } = this.#read(context);
    let node = this.#root.at(home);
    let text = '';
    for (const [storage, value] of entries) {
      const isKey = canBeHeldWeakly(value);
      node = node.at(storage).at(isKey ? value : PRIMITIVE);
      if (!isKey) text += JSON.stringify([typeof value, Object.is(value, -0) ? '-0' : String(value)]);
    }
    return { node, text };
  }

  #put(number: number, context: object, place: Place): Numbered {
    const numbered: Numbered = { number, context, place, isFound: true };
    this.#marks.put(context, numbered);
    const { node, text } = place;
    if (text === '') {
      node.own = numbered;
      return numbered;
    }
    node.byText.set(text, numbered);
    let at = this.#found.length;
    while (at > 0 && (this.#found[at - 1] as Numbered).number > number) at--;
    this.#found.splice(at, 0, numbered);
    if (this.#found.length > MOST_FOUND) this.#lose(this.#found[0] as Numbered);
    return numbered;
  }

  #lose(numbered: Numbered): void {
    numbered.isFound = false;
    const { place } = numbered;
    if (place === undefined || place.text === '') return;
    place.node.byText.delete(place.text);
    this.#found.splice(this.#found.indexOf(numbered), 1);
  }
}

function found({ node, text }: Place): Numbered | undefined {
  return text === '' ? node.own : node.byText.get(text);
}

function canBeHeldWeakly(value: unknown): value is WeakKey {
  if (typeof value === 'symbol') return Symbol.keyFor(value) === undefined;
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
