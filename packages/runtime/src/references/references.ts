// Distributed reference counts: the objects of this worker that other workers reference, and the references that this
// worker holds to objects of other workers. An exported object stays while another worker has a reference to it or one
// is in flight. A worker that passes on a foreign reference pins it until the receiver drops it. When a worker is lost,
// the objects that it referenced stay until every other worker has claimed the references that came from the lost one.
// Cycles of references between workers are not collected: `stop` ends them.

import { ActorCell, displayId, MAX_WORKERS } from '../actors/actor-cell.ts';
import { FarReference, type FarReferenceClass } from './far-reference.ts';
import type { Ingests } from '../trace/ingests.ts';

/** Number of times that a reference was passed to one worker, minus the times that the worker dropped it. */
interface Pin {
  /** Undefined if the object was gone when the worker claimed it. Such a claim is also counted. */
  ref: FarReference | undefined;
  count: number;
}

/** A reference held here, with receipt counts by incarnation of the sender. Created again if it was collected. */
interface HeldReference {
  readonly actor: ActorCell;
  readonly exportId: number;
  readonly counts: number[];
  weak: Pick<WeakRef<FarReference>, 'deref'>;
}

const COLLECTED = { deref: (): undefined => undefined };

/** Pins of a lost worker, and the workers that have still to claim the references that came from the lost one. */
interface OrphanedPins {
  pins: Map<ReferenceKey, Pin> | undefined;
  unclaimedBy: Set<number>;
  readonly claimedBy: Set<number>;
}

interface RemoteActor {
  readonly actor: ActorCell;
  readonly held: Map<number, HeldReference>;
}

export interface ReferencesState {
  /** Number of times that each reference was passed to each worker. */
  readonly pins: readonly (readonly [worker: number, ref: FarReference, count: number])[];
  /** Claims of objects that were gone. */
  readonly unmatchedClaims: readonly (readonly [worker: number, key: ReferenceKey, count: number])[];
  /** Exported objects, with the number of workers that pin them, lost workers with unclaimed pins included. */
  readonly exported: readonly (readonly [ref: FarReference, workers: number])[];
  /** Actors of other workers, with the references to their objects. */
  readonly remoteActors: readonly { readonly actor: ActorCell; readonly held: readonly HeldReferenceState[] }[];
  readonly epochs: readonly (readonly [worker: number, epoch: number])[];
  readonly orphans: readonly {
    readonly incarnation: number;
    /** Undefined until this worker learns of the loss. */
    readonly pins: readonly (readonly [ref: FarReference, count: number])[] | undefined;
    readonly unclaimedBy: readonly number[];
    readonly claimedBy: readonly number[];
  }[];
}

export interface HeldReferenceState {
  readonly exportId: number;
  /** Number of times that the reference was received, by incarnation of the sender. */
  readonly counts: readonly (readonly [incarnation: number, count: number])[];
  /** Undefined if the reference was collected, and its drop is still to be processed. */
  readonly ref: FarReference | undefined;
}

/** Tells a worker that `count` references received from it are held no longer. */
export type DropReferences = (worker: number, actor: ActorCell, exportId: number, count: number) => void;

export class References {
  readonly #ownWorker: number;
  readonly #pins: Map<ReferenceKey, Pin>[] = [];
  readonly #exported = new Map<ReferenceKey, { readonly ref: FarReference; pins: number }>();
  readonly #remoteActors = new Map<number, RemoteActor>();
  readonly #epochs: number[] = [];
  /** Orphaned pins by incarnation of the lost worker. An entry precedes the loss if others' claims arrive first. */
  readonly #orphans = new Map<number, OrphanedPins>();
  readonly #dropReferences: DropReferences;
  readonly #ingests: Ingests;
  readonly #finalizers: FinalizationRegistry<HeldReference>;

  readonly #touch: (actor: ActorCell) => void;
  readonly #onForgotten: (actor: ActorCell) => void;

  /**
   * @param touch called before the exports of an actor change
   * @param onForgotten called when the last reference to an actor of another worker was dropped
   */
  constructor(
    ownWorker: number,
    dropReferences: DropReferences,
    ingests: Ingests,
    touch: (actor: ActorCell) => void,
    onForgotten: (actor: ActorCell) => void,
  ) {
    this.#touch = touch;
    this.#onForgotten = onForgotten;
    this.#ownWorker = ownWorker;
    this.#dropReferences = dropReferences;
    this.#ingests = ingests;
    this.#finalizers = new FinalizationRegistry((held) => this.#onCollected(held));
  }

  #onCollected(held: HeldReference): void {
    this.#ingests.add('dropped', `${held.actor.id} ${held.exportId}`, () => this.#drop(held));
  }

  /** Number of objects of this worker that others reference. */
  get exported(): number {
    return this.#exported.size;
  }
  /** Number of references to objects of other workers. */
  get held(): number {
    let count = 0;
    for (const { held } of this.#remoteActors.values()) count += held.size;
    return count;
  }

  addWorker(worker: number, epoch: number): void {
    this.#epochs[worker] = epoch;
  }

  /** Returns a worker's index and epoch as one number. Counts of an earlier epoch mean nothing to a successor. */
  incarnationOf(worker: number): number {
    return worker + MAX_WORKERS * (this.#epochs[worker] ?? 0);
  }

  isCurrent(incarnation: number): boolean {
    return incarnation === this.incarnationOf(workerOf(incarnation));
  }

  /**
   * Turns the pins of a lost worker into orphans, which stay until `others` have claimed their references.
   * @param others workers that must claim, the lost worker's index included if its successor is restored
   * @param claim called for each reference that came from the lost worker and whose object is on another worker
   */
  removeWorker(worker: number, others: readonly number[], claim: (actor: ActorCell, exportId: number) => void): void {
    const incarnation = this.incarnationOf(worker);
    const isReplaced = others.includes(worker);
    for (const [orphaned, orphans] of this.#orphans)
      if (!isReplaced || workerOf(orphaned) !== worker) orphans.unclaimedBy.delete(worker);
    const orphans = this.#orphansOf(incarnation);
    const pins = this.#pins[worker] ?? new Map<ReferenceKey, Pin>();
    for (const [key, { ref }] of pins) if (ref === undefined) pins.delete(key);
    orphans.pins = pins;
    orphans.unclaimedBy = new Set(others.filter((other) => !orphans.claimedBy.has(other)));
    delete this.#pins[worker];
    for (const { actor, held } of this.#remoteActors.values()) {
      // Objects that are lost themselves cannot be claimed from a successor.
      if (actor.worker === worker || actor.epoch < (this.#epochs[actor.worker] ?? 0)) continue;
      const homeIncarnation = this.incarnationOf(actor.worker);
      for (const [exportId, { counts }] of held) {
        if ((counts[incarnation] ?? 0) === 0) continue;
        counts[incarnation] = 0;
        counts[homeIncarnation] = (counts[homeIncarnation] ?? 0) + 1;
        claim(actor, exportId);
      }
    }
    const epoch = this.#epochs[worker] ?? 0;
    for (const pins of this.#pins) this.#unpinLost(pins, worker, epoch);
    for (const orphaned of this.#orphans.keys()) this.#releaseOrphans(orphaned);
  }

  /** Drops pins of objects that were lost with their worker. */
  #unpinLost(pins: Map<ReferenceKey, Pin> | undefined, worker: number, epoch: number): void {
    for (const [key, { ref }] of pins ?? []) {
      if (ref === undefined) continue;
      const actor = FarReference.actorOf(ref);
      if (actor.worker === worker && actor.epoch <= epoch) pins?.delete(key);
    }
  }

  /** Notes that a worker has claimed all references of a lost one. A successor has, for all its predecessors. */
  claimsComplete(claimant: number, incarnation: number): void {
    if (workerOf(incarnation) === claimant) {
      for (const [incarnation, { unclaimedBy }] of this.#orphans)
        if (workerOf(incarnation) === claimant && unclaimedBy.delete(claimant)) this.#releaseOrphans(incarnation);
      return;
    }
    const orphans = this.#orphansOf(incarnation);
    orphans.claimedBy.add(claimant);
    orphans.unclaimedBy.delete(claimant);
    this.#releaseOrphans(incarnation);
  }

  #orphansOf(incarnation: number): OrphanedPins {
    let orphans = this.#orphans.get(incarnation);
    if (orphans === undefined) {
      orphans = { pins: undefined, unclaimedBy: new Set(), claimedBy: new Set() };
      this.#orphans.set(incarnation, orphans);
    }
    return orphans;
  }

  #releaseOrphans(incarnation: number): void {
    const { pins, unclaimedBy } = this.#orphansOf(incarnation);
    if (pins === undefined || unclaimedBy.size > 0) return;
    this.#orphans.delete(incarnation);
    for (const key of pins.keys()) this.#unexport(key);
  }

  pin(ref: FarReference, worker: number): void {
    const key = keyOf(ref);
    const pins = (this.#pins[worker] ??= new Map());
    const pin = pins.get(key);
    if (pin !== undefined) pin.count++;
    else pins.set(key, { ref, count: 1 });
    if (pin?.ref !== undefined) return;
    if (pin !== undefined) pin.ref = ref;
    if (FarReference.actorOf(ref).worker === this.#ownWorker) this.#export(key, ref);
  }

  #export(key: ReferenceKey, ref: FarReference): void {
    const exported = this.#exported.get(key);
    if (exported !== undefined) exported.pins++;
    else {
      this.#touch(FarReference.actorOf(ref));
      this.#exported.set(key, { ref, pins: 1 });
    }
  }

  /** Counts a reference as passed to a worker that received it in an earlier epoch or from a lost worker. */
  claim(worker: number, actor: number, exportId: number): void {
    const ref = this.find(actor, exportId);
    if (ref !== undefined) return this.pin(ref, worker);
    const key = referenceKey(actor, exportId);
    const pins = (this.#pins[worker] ??= new Map());
    const pin = pins.get(key);
    if (pin === undefined) pins.set(key, { ref: undefined, count: 1 });
    else pin.count++;
  }

  /** Binds earlier claims to a reference: they arrived before its actor existed. */
  bindClaims(ref: FarReference): void {
    const key = keyOf(ref);
    for (const pins of this.#pins) {
      const pin = pins?.get(key);
      if (pin === undefined || pin.ref !== undefined) continue;
      pin.ref = ref;
      this.#export(key, ref);
    }
  }

  unpin(worker: number, key: ReferenceKey, count: number): void {
    const pins = this.#pins[worker];
    const pin = pins?.get(key);
    if (pins === undefined || pin === undefined) return;
    pin.count -= count;
    if (pin.count > 0) return;
    pins.delete(key);
    this.#unexport(key);
  }

  #unexport(key: ReferenceKey): void {
    const exported = this.#exported.get(key);
    if (exported === undefined || --exported.pins > 0) return;
    this.#touch(FarReference.actorOf(exported.ref));
    this.#exported.delete(key);
  }

  unpinOne(worker: number, ref: FarReference): void {
    this.unpin(worker, keyOf(ref), 1);
  }

  find(actor: number, exportId: number): FarReference | undefined {
    return this.#exported.get(referenceKey(actor, exportId))?.ref;
  }

  receive(
    from: number,
    worker: number,
    epoch: number,
    id: number,
    exportId: number,
    type: FarReferenceClass,
  ): FarReference {
    const remote = this.#getOrAddRemote(id, worker, epoch, type);
    // The count must not depend on whether the reference was collected.
    const held = this.#countReceived(remote, exportId, from);
    return held.weak.deref() ?? this.#create(held, type);
  }

  /** Counts a restored reference as received from a worker. */
  receiveExisting(from: number, ref: FarReference): void {
    const actor = FarReference.actorOf(ref);
    const remote = this.#remoteActors.get(actor.id) ?? { actor, held: new Map<number, HeldReference>() };
    this.#remoteActors.set(actor.id, remote);
    const held = this.#countReceived(remote, FarReference.exportIdOf(ref), from);
    if (held.weak === COLLECTED) this.#attach(held, ref);
  }

  /** Adds the reference to an actor that this worker spawned on another worker, which pins the actor by itself. */
  addSpawned(actor: ActorCell, type: FarReferenceClass): FarReference {
    const remote = { actor, held: new Map<number, HeldReference>() };
    this.#remoteActors.set(actor.id, remote);
    return this.#create(this.#countReceived(remote, 0, actor.worker), type);
  }

  #getOrAddRemote(id: number, worker: number, epoch: number, type: FarReferenceClass): RemoteActor {
    let remote = this.#remoteActors.get(id);
    // A worker's main program has the same id in every epoch.
    if (remote === undefined || remote.actor.epoch < epoch) {
      remote = { actor: new ActorCell(id, worker, `${type.interface.name}#${displayId(id)}`), held: new Map() };
      remote.actor.epoch = epoch;
      this.#remoteActors.set(id, remote);
    }
    return remote;
  }

  /** Counts one more reference, and creates the entry if it is the first one. */
  #countReceived(remote: RemoteActor, exportId: number, from: number): HeldReference {
    let held = remote.held.get(exportId);
    if (held === undefined) {
      held = { actor: remote.actor, exportId, counts: [], weak: COLLECTED };
      remote.held.set(exportId, held);
    }
    const incarnation = this.incarnationOf(from);
    held.counts[incarnation] = (held.counts[incarnation] ?? 0) + 1;
    return held;
  }

  #create(held: HeldReference, type: FarReferenceClass): FarReference {
    const ref = new type(held.actor, held.exportId, undefined);
    this.#attach(held, ref);
    return ref;
  }

  #attach(held: HeldReference, ref: FarReference): void {
    // In a replay, a reference is collected when the trace says so.
    if (this.#ingests.isReplaying) held.weak = { deref: () => ref };
    else {
      held.weak = new WeakRef(ref);
      this.#finalizers.register(ref, held);
    }
  }

  remoteActor(id: number): ActorCell | undefined {
    return this.#remoteActors.get(id)?.actor;
  }

  remoteActorsOf(worker: number): ActorCell[] {
    return [...this.#remoteActors.values()].filter(({ actor }) => actor.worker === worker).map(({ actor }) => actor);
  }

  /** In a replay: drops a reference that was collected in the recording. Returns false if the reference is not held. */
  replayDrop(actor: number, exportId: number): boolean {
    const held = this.#remoteActors.get(actor)?.held.get(exportId);
    if (held === undefined) return false;
    held.weak = COLLECTED;
    return this.#drop(held);
  }

  #drop(held: HeldReference): boolean {
    const { actor, exportId, counts, weak } = held;
    const remote = this.#remoteActors.get(actor.id);
    // The reference may have been received again since.
    if (remote?.held.get(exportId) !== held || weak.deref() !== undefined) return false;
    remote.held.delete(exportId);
    if (remote.held.size === 0) {
      this.#remoteActors.delete(actor.id);
      this.#onForgotten(actor);
    }
    counts.forEach((count, incarnation) => {
      if (count > 0 && this.isCurrent(incarnation)) this.#dropReferences(workerOf(incarnation), actor, exportId, count);
    });
    return true;
  }

  getState(): ReferencesState {
    return {
      pins: this.#pins.flatMap((pins, worker) =>
        [...pins.values()].flatMap(({ ref, count }) => (ref === undefined ? [] : [[worker, ref, count] as const])),
      ),
      unmatchedClaims: this.#pins.flatMap((pins, worker) =>
        [...pins].flatMap(([key, { ref, count }]) => (ref === undefined ? [[worker, key, count] as const] : [])),
      ),
      exported: [...this.#exported.values()].map(({ ref, pins }) => [ref, pins]),
      remoteActors: [...this.#remoteActors.values()].map(({ actor, held }) => ({
        actor,
        held: [...held.values()].map(({ exportId, counts, weak }) => ({
          exportId,
          counts: indexedEntries(counts),
          ref: weak.deref(),
        })),
      })),
      epochs: indexedEntries(this.#epochs),
      orphans: [...this.#orphans].map(([incarnation, { pins, unclaimedBy, claimedBy }]) => ({
        incarnation,
        pins: pins && [...pins.values()].map(({ ref, count }) => [ref as FarReference, count] as const),
        unclaimedBy: [...unclaimedBy],
        claimedBy: [...claimedBy],
      })),
    };
  }

  setState({ pins, unmatchedClaims, exported, remoteActors, epochs, orphans }: ReferencesState): void {
    this.#pins.length = this.#epochs.length = 0;
    this.#exported.clear();
    this.#remoteActors.clear();
    this.#orphans.clear();
    for (const [worker, epoch] of epochs) this.#epochs[worker] = epoch;
    for (const [worker, ref, count] of pins) (this.#pins[worker] ??= new Map()).set(keyOf(ref), { ref, count });
    for (const [worker, key, count] of unmatchedClaims)
      (this.#pins[worker] ??= new Map()).set(key, { ref: undefined, count });
    for (const [ref, workers] of exported) this.#exported.set(keyOf(ref), { ref, pins: workers });
    for (const { actor, held } of remoteActors)
      this.#remoteActors.set(actor.id, { actor, held: this.#restoreHeld(actor, held) });
    for (const { incarnation, pins: statePins, unclaimedBy, claimedBy } of orphans) {
      const entries = statePins?.map(([ref, count]) => [keyOf(ref), { ref, count }] as const);
      const orphans = { unclaimedBy: new Set(unclaimedBy), claimedBy: new Set(claimedBy) };
      this.#orphans.set(incarnation, { pins: entries && new Map(entries), ...orphans });
    }
  }

  #restoreHeld(actor: ActorCell, states: readonly HeldReferenceState[]): Map<number, HeldReference> {
    const restored = new Map<number, HeldReference>();
    for (const { exportId, counts, ref } of states) {
      const held: HeldReference = { actor, exportId, counts: [], weak: COLLECTED };
      for (const [incarnation, count] of counts) held.counts[incarnation] = count;
      restored.set(exportId, held);
      if (ref !== undefined) this.#attach(held, ref);
      else this.#onCollected(held);
    }
    return restored;
  }
}

function indexedEntries(numbers: readonly number[]): (readonly [number, number])[] {
  const all: (readonly [number, number])[] = [];
  numbers.forEach((number, i) => all.push([i, number]));
  return all;
}

export function workerOf(incarnation: number): number {
  return incarnation % MAX_WORKERS;
}

/** Key of an exported object: a number for the root of an actor, as most exported objects are. */
export type ReferenceKey = number | string;

export function referenceKey(actor: number, exportId: number): ReferenceKey {
  return exportId === 0 ? actor : `${actor}.${exportId}`;
}

function keyOf(ref: FarReference): ReferenceKey {
  return referenceKey(FarReference.actorOf(ref).id, FarReference.exportIdOf(ref));
}
