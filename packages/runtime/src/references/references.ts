// Which objects other workers reach, and which of theirs are reached from here. An object stays while another worker has a reference to it or one is under
// way; a worker that passes a reference on keeps it until the receiver releases it. When a worker ends, objects it had references to stay until all
// others have claimed the references they have from it. Cycles of references between workers are not collected: `stop` ends them.

import { Actor, displayed, MOST_WORKERS } from '../actors/actor.ts';
import { FarRef, type FarRefClass } from './far-ref.ts';
import type { Ingests } from '../trace/ingests.ts';

/** What a worker that has passed references on keeps of one: how many it has given to a worker that has not let go of them. */
interface Pin {
  /** Not there if it was claimed when it was no more: the other end has counted it all the same. */
  ref: FarRef | undefined;
  count: number;
}

/** A reference to an object elsewhere, and how often it has come from each place. It is made again if it comes after it was collected. */
interface Held {
  readonly actor: Actor;
  readonly number: number;
  readonly counts: number[];
  weak: Pick<WeakRef<FarRef>, 'deref'>;
}

const nobody = { deref: (): undefined => undefined };

/** What a worker that has ended was given, and who is still to say what of it is held there. */
interface Orphans {
  pins: Map<Key, Pin> | undefined;
  missing: Set<number>;
  readonly claimed: Set<number>;
}

interface Stranger {
  readonly actor: Actor;
  readonly held: Map<number, Held>;
}

export interface ReferencesState {
  /** How many of which reference each worker was given. */
  readonly pins: readonly (readonly [worker: number, ref: FarRef, count: number])[];
  /** What workers have claimed in vain, and count as given. */
  readonly inVain: readonly (readonly [worker: number, key: Key, count: number])[];
  /** To what lives here: how many workers have it, those included that have ended and were not released. */
  readonly exported: readonly (readonly [ref: FarRef, workers: number])[];
  /** Actors that live elsewhere, and what is held of each. */
  readonly strangers: readonly { readonly actor: Actor; readonly held: readonly HeldState[] }[];
  readonly lives: readonly (readonly [worker: number, life: number])[];
  readonly orphans: readonly {
    readonly place: number;
    /** What was given there; not before it is known here that the worker has ended. */
    readonly pins: readonly (readonly [ref: FarRef, count: number])[] | undefined;
    readonly missing: readonly number[];
    readonly claimed: readonly number[];
  }[];
}

export interface HeldState {
  readonly number: number;
  /** How often it has come, by the place it came from. */
  readonly counts: readonly (readonly [place: number, count: number])[];
  /** Unless the collector has come by, which is still to be looked at. */
  readonly ref: FarRef | undefined;
}

/** Tells a worker that so many of the references it has given are held no longer. */
export type LetGo = (worker: number, actor: Actor, number: number, count: number) => void;

export class References {
  readonly #here: number;
  /** What has been given to each worker. */
  readonly #pins: Map<Key, Pin>[] = [];
  readonly #exported = new Map<Key, { readonly ref: FarRef; pins: number }>();
  readonly #strangers = new Map<number, Stranger>();
  /** Which life each worker has. */
  readonly #lives: number[] = [];
  /** By the places of workers that have ended, or of which others have said so already. */
  readonly #orphans = new Map<number, Orphans>();
  readonly #letGo: LetGo;
  readonly #ingests: Ingests;
  readonly #dropped: FinalizationRegistry<Held>;

  readonly #touch: (actor: Actor) => void;
  readonly #forgotten: (actor: Actor) => void;

  /** `touch`: other workers are about to reach an actor by more or less than before. `forgotten`: an actor that lives elsewhere is not known here any more. */
  constructor(
    here: number,
    letGo: LetGo,
    ingests: Ingests,
    touch: (actor: Actor) => void,
    forgotten: (actor: Actor) => void,
  ) {
    this.#touch = touch;
    this.#forgotten = forgotten;
    this.#here = here;
    this.#letGo = letGo;
    this.#ingests = ingests;
    this.#dropped = new FinalizationRegistry((held) => this.#gone(held));
  }

  #gone(held: Held): void {
    this.#ingests.happened('dropped', `${held.actor.id} ${held.number}`, () => this.#drop(held));
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

  /** A worker is joined, for the first time or in the place of one that has ended. */
  joined(worker: number, life: number): void {
    this.#lives[worker] = life;
  }

  /** A worker in its life of now, as one number: what an earlier one was given is nothing to the one in its place. */
  placeOf(worker: number): number {
    return worker + MOST_WORKERS * (this.#lives[worker] ?? 0);
  }

  isNow(place: number): boolean {
    return place === this.placeOf(workerAt(place));
  }

  /**
   * A worker has ended. Objects it had references to stay until `others`, with its successor if that is restored, have claimed theirs.
   * @param claim what it had given here of what lives on others
   */
  lost(worker: number, others: readonly number[], claim: (actor: Actor, number: number) => void): void {
    const place = this.placeOf(worker);
    const goesOn = others.includes(worker);
    for (const [each, orphans] of this.#orphans)
      if (!goesOn || workerAt(each) !== worker) orphans.missing.delete(worker);
    const orphans = this.#orphansOf(place);
    const pins = this.#pins[worker] ?? new Map<Key, Pin>();
    for (const [key, { ref }] of pins) if (ref === undefined) pins.delete(key);
    orphans.pins = pins;
    orphans.missing = new Set(others.filter((other) => !orphans.claimed.has(other)));
    delete this.#pins[worker];
    for (const { actor, held } of this.#strangers.values()) {
      // Of what is lost itself nothing is to be claimed of the one in its worker's place.
      if (actor.worker === worker || actor.life < (this.#lives[actor.worker] ?? 0)) continue;
      const home = this.placeOf(actor.worker);
      for (const [number, { counts }] of held) {
        if ((counts[place] ?? 0) === 0) continue;
        counts[place] = 0;
        counts[home] = (counts[home] ?? 0) + 1;
        claim(actor, number);
      }
    }
    const life = this.#lives[worker] ?? 0;
    for (const pins of this.#pins) this.#forget(pins, worker, life);
    for (const each of this.#orphans.keys()) this.#release(each);
  }

  /** Nobody need keep what belonged to a worker that has ended. */
  #forget(pins: Map<Key, Pin> | undefined, worker: number, life: number): void {
    for (const [key, { ref }] of pins ?? []) {
      if (ref === undefined) continue;
      const actor = FarRef.actorOf(ref);
      if (actor.worker === worker && actor.life <= life) pins?.delete(key);
    }
  }

  /** A worker has claimed what it had from one that has ended, or what those had that have had its place. */
  claimed(by: number, place: number): void {
    if (workerAt(place) === by) {
      for (const [each, { missing }] of this.#orphans)
        if (workerAt(each) === by && missing.delete(by)) this.#release(each);
      return;
    }
    const orphans = this.#orphansOf(place);
    orphans.claimed.add(by);
    orphans.missing.delete(by);
    this.#release(place);
  }

  #orphansOf(place: number): Orphans {
    let orphans = this.#orphans.get(place);
    if (orphans === undefined) {
      orphans = { pins: undefined, missing: new Set(), claimed: new Set() };
      this.#orphans.set(place, orphans);
    }
    return orphans;
  }

  #release(place: number): void {
    const { pins, missing } = this.#orphansOf(place);
    if (pins === undefined || missing.size > 0) return;
    this.#orphans.delete(place);
    for (const key of pins.keys()) this.#unpin(key);
  }

  /** A reference goes to a worker. */
  give(ref: FarRef, worker: number): void {
    const key = keyOf(ref);
    const pins = (this.#pins[worker] ??= new Map());
    const pin = pins.get(key);
    if (pin !== undefined) pin.count++;
    else pins.set(key, { ref, count: 1 });
    if (pin?.ref !== undefined) return;
    if (pin !== undefined) pin.ref = ref;
    if (FarRef.actorOf(ref).worker === this.#here) this.#export(key, ref);
  }

  #export(key: Key, ref: FarRef): void {
    const exported = this.#exported.get(key);
    if (exported !== undefined) exported.pins++;
    else {
      this.#touch(FarRef.actorOf(ref));
      this.#exported.set(key, { ref, pins: 1 });
    }
  }

  /** A worker counts a reference as given that it has from another life, or from somebody who has ended. */
  claim(worker: number, actor: number, number: number): void {
    const ref = this.find(actor, number);
    if (ref !== undefined) return this.give(ref, worker);
    const key = keyFor(actor, number);
    const pins = (this.#pins[worker] ??= new Map());
    const pin = pins.get(key);
    if (pin === undefined) pins.set(key, { ref: undefined, count: 1 });
    else pin.count++;
  }

  /** An actor is here: some may have claimed it before. */
  born(ref: FarRef): void {
    const key = keyOf(ref);
    for (const pins of this.#pins) {
      const pin = pins?.get(key);
      if (pin === undefined || pin.ref !== undefined) continue;
      pin.ref = ref;
      this.#export(key, ref);
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
    this.#unpin(key);
  }

  #unpin(key: Key): void {
    const exported = this.#exported.get(key);
    if (exported === undefined || --exported.pins > 0) return;
    this.#touch(FarRef.actorOf(exported.ref));
    this.#exported.delete(key);
  }

  takeBackOne(worker: number, ref: FarRef): void {
    this.takeBack(worker, keyOf(ref), 1);
  }

  /** The reference to an object of this worker's that others know. */
  find(actor: number, number: number): FarRef | undefined {
    return this.#exported.get(keyFor(actor, number))?.ref;
  }

  /** A reference has come from a worker. */
  take(from: number, worker: number, life: number, id: number, number: number, type: FarRefClass): FarRef {
    const stranger = this.#stranger(id, worker, life, type);
    // What is counted does not depend on whether the collector has come by.
    const held = this.#count(stranger, number, from);
    return held.weak.deref() ?? this.#make(held, type);
  }

  /** A reference that is here again has come from a worker: it was under way when that was written down. */
  takeAgain(from: number, ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    const stranger = this.#strangers.get(actor.id) ?? { actor, held: new Map<number, Held>() };
    this.#strangers.set(actor.id, stranger);
    const held = this.#count(stranger, FarRef.numberOf(ref), from);
    if (held.weak === nobody) this.#attach(held, ref);
  }

  /** A reference to an actor that has been spawned from here, and that its worker will hold for us. */
  spawned(actor: Actor, type: FarRefClass): FarRef {
    const stranger = { actor, held: new Map<number, Held>() };
    this.#strangers.set(actor.id, stranger);
    return this.#make(this.#count(stranger, 0, actor.worker), type);
  }

  #stranger(id: number, worker: number, life: number, type: FarRefClass): Stranger {
    let stranger = this.#strangers.get(id);
    // What a worker is outside of all actors has the same id in all its lives.
    if (stranger === undefined || stranger.actor.life < life) {
      stranger = { actor: new Actor(id, worker, `${type.interface.name}#${displayed(id)}`), held: new Map() };
      stranger.actor.life = life;
      this.#strangers.set(id, stranger);
    }
    return stranger;
  }

  /** One more has come from a worker, the first one perhaps. */
  #count(stranger: Stranger, number: number, from: number): Held {
    let held = stranger.held.get(number);
    if (held === undefined) {
      held = { actor: stranger.actor, number, counts: [], weak: nobody };
      stranger.held.set(number, held);
    }
    const place = this.placeOf(from);
    held.counts[place] = (held.counts[place] ?? 0) + 1;
    return held;
  }

  #make(held: Held, type: FarRefClass): FarRef {
    const ref = new type(held.actor, held.number, undefined);
    this.#attach(held, ref);
    return ref;
  }

  #attach(held: Held, ref: FarRef): void {
    // In a run again the collector has come by when it had.
    if (this.#ingests.isFollowing) held.weak = { deref: () => ref };
    else {
      held.weak = new WeakRef(ref);
      this.#dropped.register(ref, held);
    }
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
    if (stranger.held.size === 0) {
      this.#strangers.delete(actor.id);
      this.#forgotten(actor);
    }
    counts.forEach((count, place) => {
      if (count > 0 && this.isNow(place)) this.#letGo(workerAt(place), actor, number, count);
    });
    return true;
  }

  read(): ReferencesState {
    return {
      pins: this.#pins.flatMap((pins, worker) =>
        [...pins.values()].flatMap(({ ref, count }) => (ref === undefined ? [] : [[worker, ref, count] as const])),
      ),
      inVain: this.#pins.flatMap((pins, worker) =>
        [...pins].flatMap(([key, { ref, count }]) => (ref === undefined ? [[worker, key, count] as const] : [])),
      ),
      exported: [...this.#exported.values()].map(({ ref, pins }) => [ref, pins]),
      strangers: [...this.#strangers.values()].map(({ actor, held }) => ({
        actor,
        held: [...held.values()].map(({ number, counts, weak }) => ({
          number,
          counts: present(counts),
          ref: weak.deref(),
        })),
      })),
      lives: present(this.#lives),
      orphans: [...this.#orphans].map(([place, { pins, missing, claimed }]) => ({
        place,
        pins:
          pins === undefined ? undefined : [...pins.values()].map(({ ref, count }) => [ref as FarRef, count] as const),
        missing: [...missing],
        claimed: [...claimed],
      })),
    };
  }

  /** In the place of all that was known. */
  write({ pins, inVain, exported, strangers, lives, orphans }: ReferencesState): void {
    this.#pins.length = this.#lives.length = 0;
    this.#exported.clear();
    this.#strangers.clear();
    this.#orphans.clear();
    for (const [worker, life] of lives) this.#lives[worker] = life;
    for (const [worker, ref, count] of pins) (this.#pins[worker] ??= new Map()).set(keyOf(ref), { ref, count });
    for (const [worker, key, count] of inVain) (this.#pins[worker] ??= new Map()).set(key, { ref: undefined, count });
    for (const [ref, workers] of exported) this.#exported.set(keyOf(ref), { ref, pins: workers });
    for (const { actor, held } of strangers)
      this.#strangers.set(actor.id, { actor, held: this.#heldAgain(actor, held) });
    for (const { place, pins: given, missing, claimed } of orphans) {
      const known = given?.map(([ref, count]) => [keyOf(ref), { ref, count }] as const);
      const all = known === undefined ? undefined : new Map(known);
      this.#orphans.set(place, { pins: all, missing: new Set(missing), claimed: new Set(claimed) });
    }
  }

  #heldAgain(actor: Actor, all: readonly HeldState[]): Map<number, Held> {
    const known = new Map<number, Held>();
    for (const { number, counts, ref } of all) {
      const held: Held = { actor, number, counts: [], weak: nobody };
      for (const [place, count] of counts) held.counts[place] = count;
      known.set(number, held);
      if (ref !== undefined) this.#attach(held, ref);
      else this.#gone(held);
    }
    return known;
  }
}

/** Of an array with gaps. */
function present(numbers: readonly number[]): (readonly [number, number])[] {
  const all: (readonly [number, number])[] = [];
  numbers.forEach((number, i) => all.push([i, number]));
  return all;
}

/** Of a place. */
export function workerAt(place: number): number {
  return place % MOST_WORKERS;
}

/** Of an object that can be referred to; most are roots. */
export type Key = number | string;

export function keyFor(actor: number, number: number): Key {
  return number === 0 ? actor : `${actor}.${number}`;
}

function keyOf(ref: FarRef): Key {
  return keyFor(FarRef.actorOf(ref).id, FarRef.numberOf(ref));
}
