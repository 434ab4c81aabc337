// Who has been met: sets of objects, and the place of each among all objects in the order of their first bytes. Sets of objects that come
// up together are faster than one of all: V8 hashes objects at random, so a question of a big set misses the caches, and whenever it
// grows it visits all its members. So each shape has a set of its own, and each family one for all else.
// But a graph that is written in pieces goes on changing between them: what has been written may have got other keys and another
// prototype since, and must be found by its identity alone. There all are in one set; or, if groups of pieces have nothing in common but
// what the first leads to and what adapters take, in the first one's set and in one for each group, so that no piece pays for those of others, neither
// when a set grows, which visits all its members, nor when the capture ends. Which set an object is in never shows. Hot path: guarded by bench/heap.

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

/** How a graph is written: all at once; in pieces that share anything (`together`); or that share with the first, their group, and kept objects (`apart`). */
export type Division = 'whole' | 'together' | 'apart';

/** Objects of pieces that may have them in common. */
interface Group {
  readonly members: SafeSet<object>;
  /** Of those that are shared. */
  readonly numbers: SafeMap<object, number>;
  /** For each piece, how many members there were before it and the place of its first one. */
  readonly runs: number[];
  /** How many of the numbers, and up to which, have been settled. */
  settled: number;
  below: number;
}

/** Members of a group. */
const LARGE = 1000;

export class Mentions {
  private readonly division: Division;
  private readonly all: Identities[] = [];
  /** The set of all objects, if they are in one. */
  readonly one: Identities | undefined;
  /** Of the first piece, where pieces are apart and it is over. */
  private first: Identities | undefined;
  /** Those that may go on, and the one that is being written. */
  private readonly groups = new SafeMap<object, Group>();
  private group: Group | undefined;
  /** The place of a member of this piece, less its index. */
  private offset = 0;
  /** The places of objects of later ones that last, in order. */
  private readonly lasting = new SafeMap<object, number>();
  /** Of shared and known objects; where pieces are apart, of those of the first and that last, and the others of this group. */
  private readonly numbers = new SafeMap<object, number>();
  private ownNumbers: SafeMap<object, number> = this.numbers;
  private count = 0;
  /** Where all are in one and somebody wants to know: those that were met since the last time. */
  private fresh: object[] = [];
  private isListing = false;
  private shared = 0;
  private knowns = 0;
  /** Of pieces that are over, but for the first: place and number of each shared object, by place; then those of groups that have gone on. */
  private readonly settled: number[] = [];
  private readonly late: (readonly number[])[] = [];
  /** Large ones that have gone on, whose members are not gone through each time. */
  private readonly unsettled = new SafeSet<Group>();

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

  /** Another piece begins; those of a group may have anything in common. */
  begin(key?: object): void {
    const { one } = this;
    if (this.division !== 'apart' || one === undefined) return;
    if (this.first === undefined) {
      this.first = { ...one };
      this.count = one.members.size - one.base;
    } else this.settle();
    let group = key === undefined ? undefined : this.groups.get(key);
    if (group === undefined) {
      group = { members: new SafeSet(), numbers: new SafeMap(), runs: [], settled: 0, below: 0 };
      if (key !== undefined) this.groups.set(key, group);
    }
    const { members, numbers, runs } = group;
    runs[runs.length] = members.size;
    runs[runs.length] = this.count;
    this.group = group;
    this.offset = this.count - members.size;
    one.members = members;
    one.base = 0;
    this.ownNumbers = numbers;
  }

  /** The piece is over. */
  private settle(): void {
    const group = this.group as Group;
    this.count = this.offset + group.members.size;
    if (group.runs.length === 2) this.settleGroup(group, this.settled);
    else if (group.members.size > LARGE) this.unsettled.add(group);
    else this.settleLate(group);
  }

  private settleLate(group: Group): void {
    const late: number[] = [];
    this.settleGroup(group, late);
    if (late.length > 0) this.late[this.late.length] = late;
  }

  /** Notes members that have become shared. */
  private settleGroup(group: Group, settled: number[]): void {
    const { members, numbers, runs, below } = group;
    if (numbers.size === group.settled) return;
    group.settled = numbers.size;
    group.below = this.shared;
    let index = 0;
    let run = 0;
    members.forEach((object) => {
      while (index === runs[run + 2]) run += 2;
      const number = numbers.get(object);
      if (number !== undefined && number >= below) {
        settled[settled.length] = index - (runs[run] as number) + (runs[run + 1] as number);
        settled[settled.length] = number;
      }
      index++;
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
    if (this.first !== undefined) this.lasting.set(object, this.offset + (this.one as Identities).members.size - 1);
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
    this.settle();
    const lasting: number[] = [];
    this.lasting.forEach((place, object) => {
      const number = numbers.get(object);
      if (number === undefined) return;
      lasting[lasting.length] = place;
      lasting[lasting.length] = number;
    });
    this.unsettled.forEach((group) => this.settleLate(group));
    const all = merged(merged(settled, lasting), allMerged(this.late, 0, this.late.length));
    for (let i = 0; i < all.length; i += 2) put(all[i] as number, all[i + 1] as number);
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

/** Places and numbers in turn, by place, of both. */
function merged(one: readonly number[], other: readonly number[]): readonly number[] {
  if (other.length === 0) return one;
  const both: number[] = [];
  let next = 0;
  for (let i = 0; i < one.length; i += 2) {
    for (; next < other.length && (other[next] as number) < (one[i] as number); next += 2) append(both, other, next);
    append(both, one, i);
  }
  for (; next < other.length; next += 2) append(both, other, next);
  return both;
}

function allMerged(lists: readonly (readonly number[])[], from: number, to: number): readonly number[] {
  if (to - from < 2) return from < to ? (lists[from] as readonly number[]) : [];
  const middle = (from + to) >> 1;
  return merged(allMerged(lists, from, middle), allMerged(lists, middle, to));
}

function append(to: number[], from: readonly number[], at: number): void {
  to[to.length] = from[at] as number;
  to[to.length] = from[at + 1] as number;
}
