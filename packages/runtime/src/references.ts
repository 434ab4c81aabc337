// Which objects other workers reach, and which of theirs are reached from here. An object that lives here stays as long as another worker has a
// reference to it, or one is on its way; who has passed a reference on keeps it until the receiver has let go of it, so a reference that
// is passed from worker to worker never dies in between. Cycles of references between workers are not collected: `stop` ends them.

import { Actor } from './actor.ts';
import { FarRef, type FarRefClass } from './far-ref.ts';
import type { Ingests } from './ingests.ts';

/** What a worker that has passed references on keeps of one: how many it has given to a worker that has not let go of them. */
interface Pin {
  readonly ref: FarRef;
  count: number;
}

/** A reference to what lives elsewhere: how often it has come, from which worker. If it comes when nobody had it any more, it is made anew. */
interface Held {
  readonly actor: Actor;
  readonly number: number;
  readonly counts: number[];
  weak: Pick<WeakRef<FarRef>, 'deref'>;
}

const nobody = { deref: (): undefined => undefined };

interface Stranger {
  readonly actor: Actor;
  readonly held: Map<number, Held>;
}

/** Tells a worker that so many of the references it has given are held no longer. */
export type LetGo = (worker: number, actor: Actor, number: number, count: number) => void;

export class References {
  readonly #here: number;
  /** What has been given to each worker. */
  readonly #pins: Map<Key, Pin>[] = [];
  readonly #exported = new Map<Key, { readonly ref: FarRef; pins: number }>();
  readonly #strangers = new Map<number, Stranger>();
  readonly #letGo: LetGo;
  readonly #ingests: Ingests;
  readonly #dropped: FinalizationRegistry<Held>;

  readonly #touch: (actor: Actor) => void;

  /** `touch`: an actor is about to be reached from elsewhere by what it was not before, or not any more. */
  constructor(here: number, letGo: LetGo, ingests: Ingests, touch: (actor: Actor) => void) {
    this.#touch = touch;
    this.#here = here;
    this.#letGo = letGo;
    this.#ingests = ingests;
    this.#dropped = new FinalizationRegistry((held) =>
      ingests.happened('dropped', `${held.actor.id} ${held.number}`, () => this.#drop(held)),
    );
  }

  /** How many objects of this worker others hold. */
  get exported(): number {
    return this.#exported.size;
  }
  /** How many objects of others are held here. */
  get held(): number {
    let count = 0;
    for (const { held } of this.#strangers.values()) count += held.size;
    return count;
  }

  // ── Given ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A reference goes to a worker. */
  give(ref: FarRef, worker: number): void {
    const key = keyOf(ref);
    const pins = (this.#pins[worker] ??= new Map());
    const pin = pins.get(key);
    if (pin !== undefined) {
      pin.count++;
      return;
    }
    pins.set(key, { ref, count: 1 });
    if (FarRef.actorOf(ref).worker !== this.#here) return;
    const exported = this.#exported.get(key);
    if (exported !== undefined) exported.pins++;
    else {
      this.#touch(FarRef.actorOf(ref));
      this.#exported.set(key, { ref, pins: 1 });
    }
  }

  /** A worker has let go of what it was given. */
  takeBack(worker: number, key: Key, count: number): void {
    const pins = this.#pins[worker];
    const pin = pins?.get(key);
    if (pins === undefined || pin === undefined) return;
    pin.count -= count;
    if (pin.count > 0) return;
    pins.delete(key);
    const exported = this.#exported.get(key);
    if (exported === undefined || --exported.pins > 0) return;
    this.#touch(FarRef.actorOf(exported.ref));
    this.#exported.delete(key);
  }

  takeBackOne(worker: number, ref: FarRef): void {
    this.takeBack(worker, keyOf(ref), 1);
  }

  /** A worker has ended: it holds nothing any more. */
  takeAllBack(worker: number): void {
    for (const [key, { count }] of this.#pins[worker] ?? []) this.takeBack(worker, key, count);
  }

  /** The reference to an object of this worker's that others know. */
  find(actor: number, number: number): FarRef | undefined {
    return this.#exported.get(keyFor(actor, number))?.ref;
  }

  // ── Held ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A reference has come from a worker. */
  take(from: number, worker: number, id: number, number: number, type: FarRefClass): FarRef {
    const stranger = this.#stranger(id, worker, type);
    const known = stranger.held.get(number);
    if (known === undefined) return this.#hold(stranger, number, type, from);
    // What is counted does not depend on whether the collector has come by.
    known.counts[from] = (known.counts[from] ?? 0) + 1;
    return known.weak.deref() ?? this.#make(known, type);
  }

  /** A reference to an actor that has been spawned from here, and that its worker will hold for us. */
  spawned(actor: Actor, type: FarRefClass): FarRef {
    const stranger = { actor, held: new Map<number, Held>() };
    this.#strangers.set(actor.id, stranger);
    return this.#hold(stranger, 0, type, actor.worker);
  }

  #stranger(id: number, worker: number, type: FarRefClass): Stranger {
    let stranger = this.#strangers.get(id);
    if (stranger === undefined) {
      stranger = { actor: new Actor(id, worker, `${type.interface.name}#${id}`), held: new Map() };
      this.#strangers.set(id, stranger);
    }
    return stranger;
  }

  #hold(stranger: Stranger, number: number, type: FarRefClass, from: number): FarRef {
    const counts: number[] = [];
    counts[from] = 1;
    const held: Held = { actor: stranger.actor, number, counts, weak: nobody };
    stranger.held.set(number, held);
    return this.#make(held, type);
  }

  #make(held: Held, type: FarRefClass): FarRef {
    const ref = new type(held.actor, held.number, undefined);
    // In a run again the collector has come by when it had.
    if (this.#ingests.isFollowing) held.weak = { deref: () => ref };
    else {
      held.weak = new WeakRef(ref);
      this.#dropped.register(ref, held);
    }
    return ref;
  }

  stranger(id: number): Actor | undefined {
    return this.#strangers.get(id)?.actor;
  }

  /** Actors that live elsewhere, of a worker. */
  strangersOf(worker: number): Actor[] {
    return [...this.#strangers.values()].filter(({ actor }) => actor.worker === worker).map(({ actor }) => actor);
  }

  /** The collector had come by before, in a run again. */
  dropAgain(actor: number, number: number): boolean {
    const held = this.#strangers.get(actor)?.held.get(number);
    if (held === undefined) return false;
    held.weak = nobody;
    return this.#drop(held);
  }

  #drop(held: Held): boolean {
    const { actor, number, counts, weak } = held;
    const stranger = this.#strangers.get(actor.id);
    // It has come again meanwhile.
    if (stranger?.held.get(number) !== held || weak.deref() !== undefined) return false;
    stranger.held.delete(number);
    if (stranger.held.size === 0) this.#strangers.delete(actor.id);
    counts.forEach((count, worker) => {
      if (count > 0) this.#letGo(worker, actor, number, count);
    });
    return true;
  }
}

/** Of an object that can be referred to; most are roots. */
export type Key = number | string;

export function keyFor(actor: number, number: number): Key {
  return number === 0 ? actor : `${actor}.${number}`;
}

function keyOf(ref: FarRef): Key {
  return keyFor(FarRef.actorOf(ref).id, FarRef.numberOf(ref));
}
