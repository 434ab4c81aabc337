// Who has been met: sets of objects, and the place of each among all objects in the order of their first bytes. Sets of objects that come
// up together are faster than one of all: V8 hashes objects at random, so a question of a big set misses the caches, and whenever it
// grows it visits all its members. So each shape has a set of its own, and each family one for all else. But a graph that is written in
// pieces goes on changing between them: what has been written may have got other keys and another prototype since, and must be
// found by its identity alone. There all are in one set. Which set an object is in never shows. Hot path: guarded by bench/heap.

import { SafeMap, SafeSet } from './intrinsics.ts';
import type { Sink } from './sink.ts';

export interface Identities {
  readonly members: SafeSet<object>;
  /** The places of the members, but for the first `base`, which are known by name. Nothing where all are in one: they are in order. */
  readonly places: number[];
  base: number;
  /** Whether one of them was met twice. */
  isShared: boolean;
}

export class Mentions {
  private readonly all: Identities[] = [];
  /** The set of all objects, if they are in one. */
  readonly one: Identities | undefined;
  private readonly numbers = new SafeMap<object, number>();
  private count = 0;
  /** Where all are in one: those that this piece has met, in order. */
  private fresh: object[] = [];
  private shared = 0;
  private knowns = 0;

  constructor(inOne: boolean) {
    this.one = inOne ? this.identities() : undefined;
  }

  /** How many objects this piece has met, or all. */
  get met(): number {
    return this.one === undefined ? this.count : this.fresh.length;
  }

  identities(): Identities {
    if (this.one !== undefined) return this.one;
    const made: Identities = { members: new SafeSet<object>(), places: [], base: 0, isShared: false };
    this.all[this.all.length] = made;
    return made;
  }

  /** False if the object was there before. */
  enter({ members, places }: Identities, object: object): boolean {
    const { size } = members;
    members.add(object);
    if (members.size === size) return false;
    if (this.one === undefined) places[places.length] = this.count++;
    else this.fresh[this.fresh.length] = object;
    return true;
  }

  /** The object that was the last to enter will enter elsewhere. */
  withdraw({ members, places }: Identities, object: object): void {
    members.delete(object);
    if (this.one === undefined) {
      places.length--;
      this.count--;
    } else this.fresh.length--;
  }

  /** Another piece begins. */
  begin(): void {
    this.fresh = [];
  }

  /** Where all are in one, whether this object has been met. */
  isMet(object: object): boolean {
    return this.one?.members.has(object) === true;
  }

  /** How many this piece has met, where that is known. */
  get countOfPiece(): number {
    return this.fresh.length;
  }

  /** Objects that are known by name, entered before all others, look as if they had been met: then nobody has to look them up. */
  enterKnown(identities: Identities, object: object): void {
    identities.members.add(object);
    identities.base = identities.members.size;
  }

  /** The number of a shared object; below zero, -1 minus that of a known one. */
  numberOf(object: object): number | undefined {
    return this.numbers.get(object);
  }

  share(identities: Identities, object: object): number {
    identities.isShared = true;
    this.numbers.set(object, this.shared);
    return this.shared++;
  }

  numberKnown(object: object): number {
    this.numbers.set(object, -1 - this.knowns);
    return this.knowns++;
  }

  /** At least those that this piece has met after its first `from`. */
  forEachSince(from: number, visit: (object: object) => void): void {
    if (this.one === undefined) return this.forEach(visit);
    for (let i = from; i < this.fresh.length; i++) visit(this.fresh[i] as object);
  }

  /** All but known ones, by their places. */
  forEach(visit: (object: object) => void): void {
    if (this.one !== undefined) {
      let index = -this.one.base;
      this.one.members.forEach((object) => {
        if (index++ >= 0) visit(object);
      });
      return;
    }
    const others: object[] = [];
    for (let i = 0; i < this.count; i++) others[i] = PLACE;
    for (let i = 0; i < this.all.length; i++) {
      const { members, places, base } = this.all[i] as Identities;
      let index = -base;
      members.forEach((object) => {
        if (index >= 0) others[places[index] as number] = object;
        index++;
      });
    }
    for (let i = 0; i < others.length; i++) visit(others[i] as object);
  }

  /** Which objects are mentioned again, by their places. */
  write(sink: Sink): void {
    // Their numbers plus one, by place.
    const numbers = new Int32Array(this.one === undefined ? this.count : this.one.members.size - this.one.base);
    for (let i = 0; i < this.all.length; i++) {
      const { members, places, base, isShared } = this.all[i] as Identities;
      if (!isShared) continue;
      let index = -base;
      members.forEach((object) => {
        const number = index < 0 ? undefined : this.numbers.get(object);
        if (number !== undefined && number >= 0)
          numbers[this.one === undefined ? (places[index] as number) : index] = number + 1;
        index++;
      });
    }
    sink.varint(this.shared);
    let last = 0;
    for (let place = 0; place < numbers.length; place++) {
      if (numbers[place] === 0) continue;
      sink.varint(place - last);
      sink.varint((numbers[place] as number) - 1);
      last = place;
    }
  }
}

const PLACE = {};
