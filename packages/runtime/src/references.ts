// Which objects other workers reach, and which of theirs are reached from here. An object that lives here stays as long as another worker has a
// reference to it, or one is on its way; who has passed a reference on keeps it until the receiver has let go of it, so a reference that
// is passed from worker to worker never dies in between. Cycles of references between workers are not collected: `stop` ends them.

import { Actor } from './actor.ts';
import { FarRef, type FarRefClass } from './far-ref.ts';

/** What a worker that has passed references on keeps of one: how many it has given to a worker that has not let go of them. */
interface Pin {
  readonly ref: FarRef;
  count: number;
}

/** A reference to what lives elsewhere: how often it has come, from which worker. */
interface Held {
  readonly actor: Actor;
  readonly number: number;
  readonly counts: number[];
  readonly weak: WeakRef<FarRef>;
}

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
  readonly #dropped: FinalizationRegistry<Held>;

  constructor(here: number, letGo: LetGo) {
    this.#here = here;
    this.#letGo = letGo;
    this.#dropped = new FinalizationRegistry((held) => this.#drop(held));
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
    if (exported === undefined) this.#exported.set(key, { ref, pins: 1 });
    else exported.pins++;
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
    if (exported !== undefined && --exported.pins === 0) this.#exported.delete(key);
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
    const alive = known?.weak.deref();
    if (known !== undefined && alive !== undefined) {
      known.counts[from] = (known.counts[from] ?? 0) + 1;
      return alive;
    }
    return this.#hold(stranger, number, type, from);
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
    const ref = new type(stranger.actor, number, undefined);
    const counts: number[] = [];
    counts[from] = 1;
    const held: Held = { actor: stranger.actor, number, counts, weak: new WeakRef(ref) };
    stranger.held.set(number, held);
    this.#dropped.register(ref, held);
    return ref;
  }

  stranger(id: number): Actor | undefined {
    return this.#strangers.get(id)?.actor;
  }

  /** Actors that live elsewhere, of a worker. */
  strangersOf(worker: number): Actor[] {
    return [...this.#strangers.values()].filter(({ actor }) => actor.worker === worker).map(({ actor }) => actor);
  }

  #drop(held: Held): void {
    const { actor, number, counts } = held;
    const stranger = this.#strangers.get(actor.id);
    if (stranger?.held.get(number) === held) {
      stranger.held.delete(number);
      if (stranger.held.size === 0) this.#strangers.delete(actor.id);
    }
    counts.forEach((count, worker) => {
      if (count > 0) this.#letGo(worker, actor, number, count);
    });
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
