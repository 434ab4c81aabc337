// Objects that have been met, with their positions in the order of their first bytes. Small sets of objects that occur
// together are faster than one large set: V8 hashes objects at random, so a large set misses the caches, and its growth
// visits all members. So each shape has a set, and each family one for its other objects. A graph written in pieces
// changes in between, so a written object must be found by identity alone, in one set for all. For disjoint groups,
// objects of the first piece and of adapters are in one set and the others in one per group; so a piece does not pay
// for other groups when sets grow or the capture ends. The bytes do not depend on the sets. Hot path: guarded by
// bench/heap.

import { SafeMap, SafeSet } from './intrinsics.ts';
import type { ByteWriter } from './byte-writer.ts';

export interface IdentitySet {
  members: SafeSet<object>;
  /** Positions of the members after the first `knownCount`. Empty in a single set, whose order gives the positions. */
  readonly positions: number[];
  knownCount: number;
  /** Whether a member was met twice. */
  isShared: boolean;
}

/** Sharing of objects: one root (`single`), pieces sharing anything (`shared`), or disjoint groups (`disjoint`). */
export type RootPartition = 'single' | 'shared' | 'disjoint';

/** A group of pieces that may share objects. */
interface SharingGroup {
  readonly members: SafeSet<object>;
  /** Numbers of the members that were met again. */
  readonly sharedNumbers: SafeMap<object, number>;
  /** For each piece, alternating: the number of members before the piece, and the position of its first member. */
  readonly runs: number[];
  /** Number of shared members that are already settled (see `settleGroup`), and the first unsettled number. */
  settledCount: number;
  firstUnsettled: number;
}

/** Number of members above which a group of several pieces is settled only at the end of the capture. */
const LARGE_GROUP = 1000;

export class IdentityTable {
  private readonly partition: RootPartition;
  private readonly sets: IdentitySet[] = [];
  readonly singleSet: IdentitySet | undefined;
  /** For disjoint groups: the set of the first piece, after that piece has ended. */
  private firstPieceSet: IdentitySet | undefined;
  /** Groups that may get more pieces, and the current one. */
  private readonly groups = new SafeMap<object, SharingGroup>();
  private currentGroup: SharingGroup | undefined;
  /** Difference between the position and the index of members of this piece. */
  private offset = 0;
  /** Positions, in order, of the objects of later pieces that were passed to `keepForLaterPieces`. */
  private readonly kept = new SafeMap<object, number>();
  /**
   * Numbers of known objects, and of shared objects of the first piece or in `kept`. `groupNumbers` contains the
   * numbers of shared objects of the current group.
   */
  private readonly sharedNumbers = new SafeMap<object, number>();
  private groupNumbers: SafeMap<object, number> = this.sharedNumbers;
  private enteredCount = 0;
  /** Objects met since listing was turned on. Used only with a single set. */
  private newObjects: object[] = [];
  private isListing = false;
  private sharedCount = 0;
  private knownCount = 0;
  /** Pairs of position and number of shared objects, by position: of groups of one piece, and of all other groups. */
  private readonly settledPairs: number[] = [];
  private readonly latePairs: (readonly number[])[] = [];
  /** Large groups of several pieces, which are settled only at the end. */
  private readonly unsettledGroups = new SafeSet<SharingGroup>();

  constructor(partition: RootPartition) {
    this.partition = partition;
    this.singleSet = partition === 'single' ? undefined : this.createSet();
  }

  /** Number of objects met so far; with a single set, of objects met since listing was turned on. */
  get metCount(): number {
    return this.singleSet === undefined ? this.enteredCount : this.newObjects.length;
  }

  createSet(): IdentitySet {
    if (this.singleSet !== undefined) return this.singleSet;
    const created: IdentitySet = { members: new SafeSet<object>(), positions: [], knownCount: 0, isShared: false };
    this.sets[this.sets.length] = created;
    return created;
  }

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

  /** Appends to `pairs` the position and number of each member that was first met again after the last settlement. */
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

  /** Enters an object. Returns false if it was already met. */
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

  /** Lets all later pieces refer to the object, which must be the last entered one. */
  keepForLaterPieces(object: object): void {
    if (this.firstPieceSet !== undefined)
      this.kept.set(object, this.offset + (this.singleSet as IdentitySet).members.size - 1);
  }

  /** Removes the last entered object, which will enter another set. */
  withdraw({ members, positions }: IdentitySet, object: object): void {
    members.delete(object);
    if (this.singleSet === undefined) {
      positions.length--;
      this.enteredCount--;
    } else if (this.isListing) this.newObjects.length--;
  }

  /** Returns whether the object has been met. Only for a table with a single set. */
  isMet(object: object): boolean {
    return this.singleSet?.members.has(object) === true || this.isFromEarlierPiece(object);
  }

  /** Turns the listing of new objects for `forEachNew` on or off. */
  setListing(isListing: boolean): void {
    this.isListing = isListing;
    this.newObjects = [];
  }

  /** Enters a known object as met, before all others, so that it needs no lookup. */
  enterKnown(identitySet: IdentitySet, object: object): void {
    identitySet.members.add(object);
    identitySet.knownCount = identitySet.members.size;
  }

  /** Returns the number of a shared object, or -1 minus the number of a known one; undefined if it has no number. */
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

  /** Visits the objects met since listing was turned on; all objects if it is off. */
  forEachNew(visit: (object: object) => void): void {
    if (!this.isListing) return this.forEach(visit);
    for (let i = 0; i < this.newObjects.length; i++) visit(this.newObjects[i] as object);
  }

  /** Visits all objects that can be referenced, except known ones, by position. */
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

  /** Writes the positions of the shared objects. */
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
    // Numbers plus one, by position.
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

/** Visits all members except known ones, with their indices. */
function forEachMember({ members, knownCount }: IdentitySet, visit: (object: object, index: number) => void): void {
  let index = -knownCount;
  members.forEach((object) => {
    if (index >= 0) visit(object, index);
    index++;
  });
}

const PLACEHOLDER = {};

/** Merges two lists of position and number, sorted by position. */
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
