// Which objects other workers reach, and which of theirs are reached from here. An object stays while another worker has a reference to it or one is under
// way; a worker that passes a reference on keeps it until the receiver releases it. When a worker ends, objects it had references to stay until all
// others have claimed the references they have from it. Cycles of references between workers are not collected: `stop` ends them.

import { ActorCell, displayId, MAX_WORKERS } from '../actors/actor-cell.ts';
import { FarReference, type FarReferenceClass } from './far-reference.ts';
import type { Ingests } from '../trace/ingests.ts';

/** What a worker that has passed references on keeps of one: how many it has given to a worker that has not let go of them. */
interface Pin {
  /** Not there if it was claimed when it was no more: the other end has counted it all the same. */
  ref: FarReference | undefined;
  count: number;
}

/** A reference to an object elsewhere, and how often it has come from each place. It is made again if it comes after it was collected. */
interface HeldReference {
  readonly actor: ActorCell;
  readonly exportId: number;
  readonly counts: number[];
  weak: Pick<WeakRef<FarReference>, 'deref'>;
}

const COLLECTED = { deref: (): undefined => undefined };

/** What a worker that has ended was given, and who is still to say what of it is held there. */
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
  /** How many of which reference each worker was given. */
  readonly pins: readonly (readonly [worker: number, ref: FarReference, count: number])[];
  /** What workers have claimed in vain, and count as given. */
  readonly unmatchedClaims: readonly (readonly [worker: number, key: ReferenceKey, count: number])[];
  /** To what lives here: how many workers have it, those included that have ended and were not released. */
  readonly exported: readonly (readonly [ref: FarReference, workers: number])[];
  /** Actors that live elsewhere, and what is held of each. */
  readonly remoteActors: readonly { readonly actor: ActorCell; readonly held: readonly HeldReferenceState[] }[];
  readonly epochs: readonly (readonly [worker: number, epoch: number])[];
  readonly orphans: readonly {
    readonly incarnation: number;
    /** What was given there; not before it is known here that the worker has ended. */
    readonly pins: readonly (readonly [ref: FarReference, count: number])[] | undefined;
    readonly unclaimedBy: readonly number[];
    readonly claimedBy: readonly number[];
  }[];
}

export interface HeldReferenceState {
  readonly exportId: number;
  /** How often it has come, by the place it came from. */
  readonly counts: readonly (readonly [place: number, count: number])[];
  /** Unless the collector has come by, which is still to be looked at. */
  readonly ref: FarReference | undefined;
}

/** Tells a worker that so many of the references it has given are held no longer. */
export type DropReferences = (worker: number, actor: ActorCell, exportId: number, count: number) => void;

export class References {
  readonly #ownWorker: number;
  /** What has been given to each worker. */
  readonly #pins: Map<ReferenceKey, Pin>[] = [];
  readonly #exported = new Map<ReferenceKey, { readonly ref: FarReference; pins: number }>();
  readonly #remoteActors = new Map<number, RemoteActor>();
  /** Which life each worker has. */
  readonly #epochs: number[] = [];
  /** By the places of workers that have ended, or of which others have said so already. */
  readonly #orphans = new Map<number, OrphanedPins>();
  readonly #dropReferences: DropReferences;
  readonly #ingests: Ingests;
  readonly #finalizers: FinalizationRegistry<HeldReference>;

  readonly #touch: (actor: ActorCell) => void;
  readonly #onForgotten: (actor: ActorCell) => void;

  /** `touch`: other workers are about to reach an actor by more or less than before. `forgotten`: an actor that lives elsewhere is not known here any more. */
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

  /** How many objects of this worker others hold. */
  get exported(): number {
    return this.#exported.size;
  }
  /** How many objects of others are held here. */
  get held(): number {
    let count = 0;
    for (const { held } of this.#remoteActors.values()) count += held.size;
    return count;
  }

  /** A worker is joined, for the first time or in the place of one that has ended. */
  addWorker(worker: number, epoch: number): void {
    this.#epochs[worker] = epoch;
  }

  /** A worker in its life of now, as one number: what an earlier one was given is nothing to the one in its place. */
  incarnationOf(worker: number): number {
    return worker + MAX_WORKERS * (this.#epochs[worker] ?? 0);
  }

  isCurrent(incarnation: number): boolean {
    return incarnation === this.incarnationOf(workerOf(incarnation));
  }

  /**
   * A worker has ended. Objects it had references to stay until `others`, with its successor if that is restored, have claimed theirs.
   * @param claim what it had given here of what lives on others
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
      // Of what is lost itself nothing is to be claimed of the one in its worker's place.
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

  /** Nobody need keep what belonged to a worker that has ended. */
  #unpinLost(pins: Map<ReferenceKey, Pin> | undefined, worker: number, epoch: number): void {
    for (const [key, { ref }] of pins ?? []) {
      if (ref === undefined) continue;
      const actor = FarReference.actorOf(ref);
      if (actor.worker === worker && actor.epoch <= epoch) pins?.delete(key);
    }
  }

  /** A worker has claimed what it had from one that has ended, or what those had that have had its place. */
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

  /** A reference goes to a worker. */
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

  /** A worker counts a reference as given that it has from another life, or from somebody who has ended. */
  claim(worker: number, actor: number, exportId: number): void {
    const ref = this.find(actor, exportId);
    if (ref !== undefined) return this.pin(ref, worker);
    const key = referenceKey(actor, exportId);
    const pins = (this.#pins[worker] ??= new Map());
    const pin = pins.get(key);
    if (pin === undefined) pins.set(key, { ref: undefined, count: 1 });
    else pin.count++;
  }

  /** An actor is here: some may have claimed it before. */
  bindClaims(ref: FarReference): void {
    const key = keyOf(ref);
    for (const pins of this.#pins) {
      const pin = pins?.get(key);
      if (pin === undefined || pin.ref !== undefined) continue;
      pin.ref = ref;
      this.#export(key, ref);
    }
  }

  /** A worker has let go of what it was given. */
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

  /** The reference to an object of this worker's that others know. */
  find(actor: number, exportId: number): FarReference | undefined {
    return this.#exported.get(referenceKey(actor, exportId))?.ref;
  }

  /** A reference has come from a worker. */
  receive(
    from: number,
    worker: number,
    epoch: number,
    id: number,
    exportId: number,
    type: FarReferenceClass,
  ): FarReference {
    const remote = this.#getOrAddRemote(id, worker, epoch, type);
    // What is counted does not depend on whether the collector has come by.
    const held = this.#countReceived(remote, exportId, from);
    return held.weak.deref() ?? this.#create(held, type);
  }

  /** A reference that is here again has come from a worker: it was under way when that was written down. */
  receiveExisting(from: number, ref: FarReference): void {
    const actor = FarReference.actorOf(ref);
    const remote = this.#remoteActors.get(actor.id) ?? { actor, held: new Map<number, HeldReference>() };
    this.#remoteActors.set(actor.id, remote);
    const held = this.#countReceived(remote, FarReference.exportIdOf(ref), from);
    if (held.weak === COLLECTED) this.#attach(held, ref);
  }

  /** A reference to an actor that has been spawned from here, and that its worker will hold for us. */
  addSpawned(actor: ActorCell, type: FarReferenceClass): FarReference {
    const remote = { actor, held: new Map<number, HeldReference>() };
    this.#remoteActors.set(actor.id, remote);
    return this.#create(this.#countReceived(remote, 0, actor.worker), type);
  }

  #getOrAddRemote(id: number, worker: number, epoch: number, type: FarReferenceClass): RemoteActor {
    let remote = this.#remoteActors.get(id);
    // What a worker is outside of all actors has the same id in all its lives.
    if (remote === undefined || remote.actor.epoch < epoch) {
      remote = { actor: new ActorCell(id, worker, `${type.interface.name}#${displayId(id)}`), held: new Map() };
      remote.actor.epoch = epoch;
      this.#remoteActors.set(id, remote);
    }
    return remote;
  }

  /** One more has come from a worker, the first one perhaps. */
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
    // In a run again the collector has come by when it had.
    if (this.#ingests.isReplaying) held.weak = { deref: () => ref };
    else {
      held.weak = new WeakRef(ref);
      this.#finalizers.register(ref, held);
    }
  }

  remoteActor(id: number): ActorCell | undefined {
    return this.#remoteActors.get(id)?.actor;
  }

  /** Actors that live elsewhere, of a worker. */
  remoteActorsOf(worker: number): ActorCell[] {
    return [...this.#remoteActors.values()].filter(({ actor }) => actor.worker === worker).map(({ actor }) => actor);
  }

  /** The collector had come by before, in a run again. */
  replayDrop(actor: number, exportId: number): boolean {
    const held = this.#remoteActors.get(actor)?.held.get(exportId);
    if (held === undefined) return false;
    held.weak = COLLECTED;
    return this.#drop(held);
  }

  #drop(held: HeldReference): boolean {
    const { actor, exportId, counts, weak } = held;
    const remote = this.#remoteActors.get(actor.id);
    // It has come again meanwhile.
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
        pins:
          pins === undefined
            ? undefined
            : [...pins.values()].map(({ ref, count }) => [ref as FarReference, count] as const),
        unclaimedBy: [...unclaimedBy],
        claimedBy: [...claimedBy],
      })),
    };
  }

  /** In the place of all that was known. */
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
      const orphanedPins = entries === undefined ? undefined : new Map(entries);
      this.#orphans.set(incarnation, {
        pins: orphanedPins,
        unclaimedBy: new Set(unclaimedBy),
        claimedBy: new Set(claimedBy),
      });
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

/** Of an array with gaps. */
function indexedEntries(numbers: readonly number[]): (readonly [number, number])[] {
  const all: (readonly [number, number])[] = [];
  numbers.forEach((number, i) => all.push([i, number]));
  return all;
}

/** Of a place. */
export function workerOf(place: number): number {
  return place % MAX_WORKERS;
}

/** Of an object that can be referred to; most are roots. */
export type ReferenceKey = number | string;

export function referenceKey(actor: number, exportId: number): ReferenceKey {
  return exportId === 0 ? actor : `${actor}.${exportId}`;
}

function keyOf(ref: FarReference): ReferenceKey {
  return referenceKey(FarReference.actorOf(ref).id, FarReference.exportIdOf(ref));
}
