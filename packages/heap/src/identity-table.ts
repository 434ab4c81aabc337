// Who has been met: sets of objects, and the place of each among all objects in the order of their first bytes. Sets of objects that come
// up together are faster than one of all: V8 hashes objects at random, so a question of a big set misses the caches, and whenever it
// grows it visits all its members. So each shape has a set of its own, and each family one for all else.
// But a graph that is written in pieces goes on changing between them: what has been written may have got other keys and another
// prototype since, and must be found by its identity alone. There all are in one set; or, if groups of pieces have nothing in common but
// what the first leads to and what adapters take, in the first one's set and in one for each group, so that no piece pays for those of others, neither
// when a set grows, which visits all its members, nor when the capture ends. Which set an object is in never shows. Hot path: guarded by bench/heap.

import { SafeMap, SafeSet } from './intrinsics.ts';
import type { ByteWriter } from './byte-writer.ts';

export interface IdentitySet {
  members: SafeSet<object>;
  /** The places of the members, but for the first `knownCount`, which are known by name. Nothing where all are in one: they are in order. */
  readonly positions: number[];
  knownCount: number;
  /** Whether one of them was met twice. */
  isShared: boolean;
}

/** How a graph is written: all at once (`single`); in pieces that share anything (`shared`); or that share with the first, their group, and kept objects (`disjoint`). */
export type RootPartition = 'single' | 'shared' | 'disjoint';

/** Objects of pieces that may have them in common. */
interface SharingGroup {
  readonly members: SafeSet<object>;
  /** Of those that are shared. */
  readonly sharedNumbers: SafeMap<object, number>;
  /** For each piece, how many members there were before it and the place of its first one. */
  readonly runs: number[];
  /** How many of the numbers, and up to which, have been settled. */
  settledCount: number;
  firstUnsettled: number;
}

/** Members of a group. */
const LARGE_GROUP = 1000;

export class IdentityTable {
  private readonly partition: RootPartition;
  private readonly sets: IdentitySet[] = [];
  /** The set of all objects, if they are in one. */
  readonly singleSet: IdentitySet | undefined;
  /** Of the first piece, where pieces are apart and it is over. */
  private firstPieceSet: IdentitySet | undefined;
  /** Those that may go on, and the one that is being written. */
  private readonly groups = new SafeMap<object, SharingGroup>();
  private currentGroup: SharingGroup | undefined;
  /** The place of a member of this piece, less its index. */
  private offset = 0;
  /** The places of objects of later ones that last, in order. */
  private readonly kept = new SafeMap<object, number>();
  /** Of shared and known objects; where pieces are apart, of those of the first and that last, and the others of this group. */
  private readonly sharedNumbers = new SafeMap<object, number>();
  private groupNumbers: SafeMap<object, number> = this.sharedNumbers;
  private enteredCount = 0;
  /** Where all are in one and somebody wants to know: those that were met since the last time. */
  private newObjects: object[] = [];
  private isListing = false;
  private sharedCount = 0;
  private knownCount = 0;
  /** Of pieces that are over, but for the first: place and number of each shared object, by place; then those of groups that have gone on. */
  private readonly settledPairs: number[] = [];
  private readonly latePairs: (readonly number[])[] = [];
  /** Large ones that have gone on, whose members are not gone through each time. */
  private readonly unsettledGroups = new SafeSet<SharingGroup>();

  constructor(partition: RootPartition) {
    this.partition = partition;
    this.singleSet = partition === 'single' ? undefined : this.createSet();
  }

  /** How many objects this piece has met, or all. */
  get metCount(): number {
    return this.singleSet === undefined ? this.enteredCount : this.newObjects.length;
  }

  createSet(): IdentitySet {
    if (this.singleSet !== undefined) return this.singleSet;
    const created: IdentitySet = { members: new SafeSet<object>(), positions: [], knownCount: 0, isShared: false };
    this.sets[this.sets.length] = created;
    return created;
  }

  /** Another piece begins; those of a group may have anything in common. */
  startPiece(groupKey?: object): void {
    const { singleSet } = this;
    if (this.partition !== 'disjoint' || singleSet === undefined) return;
    if (this.firstPieceSet === undefined) {
      this.firstPieceSet = { ...singleSet };
      this.enteredCount = singleSet.members.size - singleSet.knownCount;
    } else this.settlePiece();
    let group = groupKey === undefined ? undefined : this.groups.get(groupKey);
    if (group === undefined) {
      group = { members: new SafeSet(), sharedNumbers: new SafeMap(), runs: [], settledCount: 0, firstUnsettled: 0 };
      if (groupKey !== undefined) this.groups.set(groupKey, group);
    }
    const { members, sharedNumbers, runs } = group;
    runs[runs.length] = members.size;
    runs[runs.length] = this.enteredCount;
    this.currentGroup = group;
    this.offset = this.enteredCount - members.size;
    singleSet.members = members;
    singleSet.knownCount = 0;
    this.groupNumbers = sharedNumbers;
  }

  /** The piece is over. */
  private settlePiece(): void {
    const currentGroup = this.currentGroup as SharingGroup;
    this.enteredCount = this.offset + currentGroup.members.size;
    if (currentGroup.runs.length === 2) this.settleGroup(currentGroup, this.settledPairs);
    else if (currentGroup.members.size > LARGE_GROUP) this.unsettledGroups.add(currentGroup);
    else this.settleGroupLate(currentGroup);
  }

  private settleGroupLate(group: SharingGroup): void {
    const pairs: number[] = [];
    this.settleGroup(group, pairs);
    if (pairs.length > 0) this.latePairs[this.latePairs.length] = pairs;
  }

  /** Notes members that have become shared. */
  private settleGroup(group: SharingGroup, pairs: number[]): void {
    const { members, sharedNumbers, runs, firstUnsettled } = group;
    if (sharedNumbers.size === group.settledCount) return;
    group.settledCount = sharedNumbers.size;
    group.firstUnsettled = this.sharedCount;
    let index = 0;
    let run = 0;
    members.forEach((object) => {
      while (index === runs[run + 2]) run += 2;
      const number = sharedNumbers.get(object);
      if (number !== undefined && number >= firstUnsettled) {
        pairs[pairs.length] = index - (runs[run] as number) + (runs[run + 1] as number);
        pairs[pairs.length] = number;
      }
      index++;
    });
  }

  /** False if the object was there before. */
  enter({ members, positions }: IdentitySet, object: object): boolean {
    if (this.singleSet !== undefined) return this.enterSingleSet(members, object);
    const { size } = members;
    members.add(object);
    if (members.size === size) return false;
    positions[positions.length] = this.enteredCount++;
    return true;
  }

  private enterSingleSet(members: SafeSet<object>, object: object): boolean {
    if (this.isFromEarlierPiece(object)) return false;
    const { size } = members;
    members.add(object);
    if (members.size === size) return false;
    if (this.isListing) this.newObjects[this.newObjects.length] = object;
    return true;
  }

  private isFromEarlierPiece(object: object): boolean {
    return this.firstPieceSet !== undefined && (this.firstPieceSet.members.has(object) || this.kept.has(object));
  }

  /** The object that was the last to enter may stand in other pieces too. */
  keepForLaterPieces(object: object): void {
    if (this.firstPieceSet !== undefined)
      this.kept.set(object, this.offset + (this.singleSet as IdentitySet).members.size - 1);
  }

  /** The object that was the last to enter will enter elsewhere. */
  withdraw({ members, positions }: IdentitySet, object: object): void {
    members.delete(object);
    if (this.singleSet === undefined) {
      positions.length--;
      this.enteredCount--;
    } else if (this.isListing) this.newObjects.length--;
  }

  /** Where all are in one, whether this object has been met. */
  isMet(object: object): boolean {
    return this.singleSet?.members.has(object) === true || this.isFromEarlierPiece(object);
  }

  /** Whether `forEachNew` will be asked. */
  setListing(isListing: boolean): void {
    this.isListing = isListing;
    this.newObjects = [];
  }

  /** Objects that are known by name, entered before all others, look as if they had been met: then nobody has to look them up. */
  enterKnown(identitySet: IdentitySet, object: object): void {
    identitySet.members.add(object);
    identitySet.knownCount = identitySet.members.size;
  }

  /** The number of a shared object; below zero, -1 minus that of a known one. */
  numberOf(object: object): number | undefined {
    return (
      this.groupNumbers.get(object) ?? (this.firstPieceSet === undefined ? undefined : this.sharedNumbers.get(object))
    );
  }

  numberShared(identitySet: IdentitySet, object: object): number {
    const isFromEarlierPiece = this.isFromEarlierPiece(object);
    (isFromEarlierPiece ? (this.firstPieceSet as IdentitySet) : identitySet).isShared = true;
    (isFromEarlierPiece ? this.sharedNumbers : this.groupNumbers).set(object, this.sharedCount);
    return this.sharedCount++;
  }

  numberKnown(object: object): number {
    this.sharedNumbers.set(object, -1 - this.knownCount);
    return this.knownCount++;
  }

  /** At least those that were met since it was last said that they are to be listed. */
  forEachNew(visit: (object: object) => void): void {
    if (!this.isListing) return this.forEach(visit);
    for (let i = 0; i < this.newObjects.length; i++) visit(this.newObjects[i] as object);
  }

  /** All that can be mentioned again but known ones, by their places. */
  forEach(visit: (object: object) => void): void {
    if (this.singleSet !== undefined) {
      if (this.firstPieceSet !== undefined) forEachMember(this.firstPieceSet, visit);
      return forEachMember(this.singleSet, visit);
    }
    const ordered: object[] = [];
    for (let i = 0; i < this.enteredCount; i++) ordered[i] = PLACEHOLDER;
    for (let i = 0; i < this.sets.length; i++) {
      const { positions } = this.sets[i] as IdentitySet;
      forEachMember(this.sets[i] as IdentitySet, (object, index) => (ordered[positions[index] as number] = object));
    }
    for (let i = 0; i < ordered.length; i++) visit(ordered[i] as object);
  }

  /** Which objects are mentioned again, by their places. */
  write(sink: ByteWriter): void {
    sink.varint(this.sharedCount);
    let last = 0;
    const writePair = (position: number, number: number): void => {
      sink.varint(position - last);
      sink.varint(number);
      last = position;
    };
    if (this.singleSet === undefined) return this.writeFromSets(writePair);
    const { firstPieceSet: firstSet = this.singleSet, sharedNumbers, settledPairs } = this;
    if (firstSet.isShared) {
      forEachMember(firstSet, (object, position) => {
        const number = sharedNumbers.get(object);
        if (number !== undefined && number >= 0) writePair(position, number);
      });
    }
    if (firstSet === this.singleSet) return;
    this.settlePiece();
    const keptPairs: number[] = [];
    this.kept.forEach((position, object) => {
      const number = sharedNumbers.get(object);
      if (number === undefined) return;
      keptPairs[keptPairs.length] = position;
      keptPairs[keptPairs.length] = number;
    });
    this.unsettledGroups.forEach((group) => this.settleGroupLate(group));
    const pairs = mergePairs(
      mergePairs(settledPairs, keptPairs),
      mergeAllPairs(this.latePairs, 0, this.latePairs.length),
    );
    for (let i = 0; i < pairs.length; i += 2) writePair(pairs[i] as number, pairs[i + 1] as number);
  }

  private writeFromSets(writePair: (position: number, number: number) => void): void {
    // Their numbers plus one, by place.
    const numberByPosition = new Int32Array(this.enteredCount);
    for (let i = 0; i < this.sets.length; i++) {
      const { positions, isShared } = this.sets[i] as IdentitySet;
      if (!isShared) continue;
      forEachMember(this.sets[i] as IdentitySet, (object, index) => {
        const number = this.sharedNumbers.get(object);
        if (number !== undefined && number >= 0) numberByPosition[positions[index] as number] = number + 1;
      });
    }
    for (let position = 0; position < numberByPosition.length; position++)
      if (numberByPosition[position] !== 0) writePair(position, (numberByPosition[position] as number) - 1);
  }
}

/** All members but known ones, with their indices. */
function forEachMember({ members, knownCount }: IdentitySet, visit: (object: object, index: number) => void): void {
  let index = -knownCount;
  members.forEach((object) => {
    if (index >= 0) visit(object, index);
    index++;
  });
}

const PLACEHOLDER = {};

/** Places and numbers in turn, by place, of both. */
function mergePairs(first: readonly number[], second: readonly number[]): readonly number[] {
  if (second.length === 0) return first;
  const pairs: number[] = [];
  let next = 0;
  for (let i = 0; i < first.length; i += 2) {
    for (; next < second.length && (second[next] as number) < (first[i] as number); next += 2)
      appendPair(pairs, second, next);
    appendPair(pairs, first, i);
  }
  for (; next < second.length; next += 2) appendPair(pairs, second, next);
  return pairs;
}

function mergeAllPairs(lists: readonly (readonly number[])[], from: number, to: number): readonly number[] {
  if (to - from < 2) return from < to ? (lists[from] as readonly number[]) : [];
  const middle = (from + to) >> 1;
  return mergePairs(mergeAllPairs(lists, from, middle), mergeAllPairs(lists, middle, to));
}

function appendPair(target: number[], source: readonly number[], index: number): void {
  target[target.length] = source[index] as number;
  target[target.length] = source[index + 1] as number;
}
