// Who has been met: sets of objects, and the place of each among all objects in the order of their first bytes. Sets of objects that come
// up together are faster than one of all: V8 hashes objects at random, so a question of a big set misses the caches, and whenever it
// grows it visits all its members. So each shape has a set of its own, and each family one for all else.
// But a graph that is written in pieces goes on changing between them: what has been written may have got other keys and another
// prototype since, and must be found by its identity alone. There all are in one set; or, if pieces have nothing in common but what
// the first leads to and what adapters take, in the first one's set and in one that is new with each piece, so that none of them pays
// for those before it. Which set an object is in never shows. Hot path: guarded by bench/heap.

import { SafeMap, SafeSet } from './intrinsics.ts';
import type { Sink } from './sink.ts';

export interface Identities {
  members: SafeSet<object>;
  /** The places of the members, but for the first `base`, which are known by name. Nothing where all are in one: they are in order. */
  readonly places: number[];
  base: number;
  /** Whether one of them was met twice. */
  isShared: boolean;
}

/**
 * How a graph is written: all at once; in pieces, `together`, in which anything may stand again; or in pieces, `apart`, in which nothing
 * does but what the first has and what was said to last.
 */
export type Division = 'whole' | 'together' | 'apart';

export class Mentions {
  private readonly division: Division;
  private readonly all: Identities[] = [];
  /** The set of all objects, if they are in one. */
  readonly one: Identities | undefined;
  /** Of the first piece, where pieces are apart and it is over. */
  private first: Identities | undefined;
  /** The places of objects of later ones that last, in order. */
  private readonly lasting = new SafeMap<object, number>();
  /** Of shared and known objects; where pieces are apart, of those of the first and that last, and the others of this piece. */
  private readonly numbers = new SafeMap<object, number>();
  private ownNumbers: SafeMap<object, number> = this.numbers;
  private count = 0;
  /** Where all are in one and somebody wants to know: those that were met since the last time. */
  private fresh: object[] = [];
  private isListing = false;
  private shared = 0;
  private knowns = 0;
  /** Of pieces that are over, but for the first: place and number of each shared object, by place. */
  private readonly settled: number[] = [];

  constructor(division: Division) {
    this.division = division;
    this.one = division === 'whole' ? undefined : this.identities();
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

  /** Another piece begins. */
  begin(): void {
    const { one } = this;
    if (this.division !== 'apart' || one === undefined) return;
    if (this.first === undefined) {
      this.first = { ...one };
      this.count = one.members.size - one.base;
    } else this.settle(one);
    one.members = new SafeSet<object>();
    one.base = 0;
    one.isShared = false;
    this.ownNumbers = new SafeMap<object, number>();
  }

  /** The piece is over: nobody will mention its objects again. */
  private settle({ members, isShared }: Identities): void {
    let place = this.count;
    this.count += members.size;
    if (!isShared) return;
    members.forEach((object) => {
      const number = this.ownNumbers.get(object);
      if (number !== undefined) {
        this.settled[this.settled.length] = place;
        this.settled[this.settled.length] = number;
      }
      place++;
    });
  }

  /** False if the object was there before. */
  enter({ members, places }: Identities, object: object): boolean {
    if (this.one !== undefined) return this.enterOne(members, object);
    const { size } = members;
    members.add(object);
    if (members.size === size) return false;
    places[places.length] = this.count++;
    return true;
  }

  private enterOne(members: SafeSet<object>, object: object): boolean {
    if (this.isOld(object)) return false;
    const { size } = members;
    members.add(object);
    if (members.size === size) return false;
    if (this.isListing) this.fresh[this.fresh.length] = object;
    return true;
  }

  private isOld(object: object): boolean {
    return this.first !== undefined && (this.first.members.has(object) || this.lasting.has(object));
  }

  /** The object that was the last to enter may stand in other pieces too. */
  keep(object: object): void {
    if (this.first !== undefined) this.lasting.set(object, this.count + (this.one as Identities).members.size - 1);
  }

  /** The object that was the last to enter will enter elsewhere. */
  withdraw({ members, places }: Identities, object: object): void {
    members.delete(object);
    if (this.one === undefined) {
      places.length--;
      this.count--;
    } else if (this.isListing) this.fresh.length--;
  }

  /** Where all are in one, whether this object has been met. */
  isMet(object: object): boolean {
    return this.one?.members.has(object) === true || this.isOld(object);
  }

  /** Whether `forEachNew` will be asked. */
  list(isListing: boolean): void {
    this.isListing = isListing;
    this.fresh = [];
  }

  /** Objects that are known by name, entered before all others, look as if they had been met: then nobody has to look them up. */
  enterKnown(identities: Identities, object: object): void {
    identities.members.add(object);
    identities.base = identities.members.size;
  }

  /** The number of a shared object; below zero, -1 minus that of a known one. */
  numberOf(object: object): number | undefined {
    return this.ownNumbers.get(object) ?? (this.first === undefined ? undefined : this.numbers.get(object));
  }

  share(identities: Identities, object: object): number {
    const isOld = this.isOld(object);
    (isOld ? (this.first as Identities) : identities).isShared = true;
    (isOld ? this.numbers : this.ownNumbers).set(object, this.shared);
    return this.shared++;
  }

  numberKnown(object: object): number {
    this.numbers.set(object, -1 - this.knowns);
    return this.knowns++;
  }

  /** At least those that were met since it was last said that they are to be listed. */
  forEachNew(visit: (object: object) => void): void {
    if (!this.isListing) return this.forEach(visit);
    for (let i = 0; i < this.fresh.length; i++) visit(this.fresh[i] as object);
  }

  /** All that can be mentioned again but known ones, by their places. */
  forEach(visit: (object: object) => void): void {
    if (this.one !== undefined) {
      if (this.first !== undefined) inOrder(this.first, visit);
      return inOrder(this.one, visit);
    }
    const others: object[] = [];
    for (let i = 0; i < this.count; i++) others[i] = PLACE;
    for (let i = 0; i < this.all.length; i++) {
      const { places } = this.all[i] as Identities;
      inOrder(this.all[i] as Identities, (object, index) => (others[places[index] as number] = object));
    }
    for (let i = 0; i < others.length; i++) visit(others[i] as object);
  }

  /** Which objects are mentioned again, by their places. */
  write(sink: Sink): void {
    sink.varint(this.shared);
    let last = 0;
    const put = (place: number, number: number): void => {
      sink.varint(place - last);
      sink.varint(number);
      last = place;
    };
    if (this.one === undefined) return this.writeScattered(put);
    const { first = this.one, numbers, settled } = this;
    if (first.isShared) {
      inOrder(first, (object, place) => {
        const number = numbers.get(object);
        if (number !== undefined && number >= 0) put(place, number);
      });
    }
    if (first === this.one) return;
    this.settle(this.one);
    let next = 0;
    const putSettled = (before: number): void => {
      for (; next < settled.length && (settled[next] as number) < before; next += 2)
        put(settled[next] as number, settled[next + 1] as number);
    };
    this.lasting.forEach((place, object) => {
      const number = numbers.get(object);
      if (number === undefined) return;
      putSettled(place);
      put(place, number);
    });
    putSettled(Infinity);
  }

  private writeScattered(put: (place: number, number: number) => void): void {
    // Their numbers plus one, by place.
    const numbers = new Int32Array(this.count);
    for (let i = 0; i < this.all.length; i++) {
      const { places, isShared } = this.all[i] as Identities;
      if (!isShared) continue;
      inOrder(this.all[i] as Identities, (object, index) => {
        const number = this.numbers.get(object);
        if (number !== undefined && number >= 0) numbers[places[index] as number] = number + 1;
      });
    }
    for (let place = 0; place < numbers.length; place++)
      if (numbers[place] !== 0) put(place, (numbers[place] as number) - 1);
  }
}

/** All members but known ones, with their indices. */
function inOrder({ members, base }: Identities, visit: (object: object, index: number) => void): void {
  let index = -base;
  members.forEach((object) => {
    if (index >= 0) visit(object, index);
    index++;
  });
}

const PLACE = {};
