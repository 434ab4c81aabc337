// Actors of this worker that other workers may know before they exist. A spawner may pass on the reference, so that a
// third worker's message overtakes the spawn, and the creation may wait until the class is loaded. All messages to a
// pending actor, even from this worker, are held until it is created. Creators assign ids in order, so an actor up
// to its creator's last known ordinal exists or is gone unless it is pending. A pending actor has failed if its creator
// is lost, or if it was spawned for this worker's predecessor.

import type { Eventual } from '@turntable/core';
import type { OrderedTimer } from '@turntable/heap';
import { ActorCell, creatorOf, displayId, type MailboxOptions, ordinalOf } from './actor-cell.ts';
import type { FarReference, FarReferenceClass } from '../references/far-reference.ts';
import type { ActorConstructor } from '../scheduler-host.ts';
import type { Link } from '../messaging/link.ts';
import { CONSTRUCT_PENDING } from '../messaging/message-kinds.ts';
import type { MessageQueue } from '../messaging/message-queue.ts';
import { ActorLostError, type RuntimeError } from '../runtime-error.ts';
import { RESTORE, policyOf } from './supervision-policy.ts';
import type { TrackedCall } from '../messaging/answer/deadline-trail.ts';

/** Target of the message that creates an actor; `spec` is set when the class is loaded. */
export interface ActorCreation {
  spec: { readonly type: ActorConstructor; readonly ref: FarReference; readonly args: readonly unknown[] } | undefined;
  /** Whether the actor existed before, on a lost worker. */
  isRespawn: boolean;
}

/** Contents of a spawn message whose class is not loaded yet. */
export interface SpawnAnnouncement {
  readonly classAddress: string;
  readonly args: readonly unknown[];
  /** Supervision policy and flags, as on the wire. */
  readonly policyFlags: number;
  /** Incarnation of the spawning worker. */
  readonly creatorIncarnation: number;
}

/** A message for an actor that does not exist yet, as it arrived from another worker. */
export interface EarlyMessage {
  readonly link: Link;
  readonly kind: number;
  readonly exportId: number;
  readonly replyTo: number;
  readonly call: string | TrackedCall | undefined;
  readonly args: readonly unknown[];
}

/** State of an actor in a snapshot of this worker's predecessor. */
export interface RevivableActor {
  /** Root object; undefined if the actor was still to be constructed. */
  readonly root: object | undefined;
  readonly creation: { readonly type: ActorConstructor; readonly args: readonly unknown[] } | undefined;
  readonly ref: FarReference;
  readonly exportCount: number;
  readonly turns: number;
  readonly timers: readonly OrderedTimer[];
  /** Objects that awaited native promises. */
  readonly nativeWaiters: readonly object[];
  /** Eventuals that waited for messages of other workers. */
  readonly eventuals: readonly Eventual[];
  /** The spawner, if it was on the same worker: the two are restored together. */
  readonly spawner: ActorCell | undefined;
}

/** An actor of this worker that other workers know, with its state if it can be restored. */
export interface KnownActor {
  readonly actor: ActorCell;
  readonly ref: FarReference | undefined;
  readonly revivable?: RevivableActor | undefined;
}

export interface PendingActorsState {
  readonly actors: readonly PendingActorState[];
  /** Last known ordinal of each creator. */
  readonly lastOrdinals: readonly (readonly [creator: number, ordinal: number])[];
  /** Closed ranges: up to `ordinal`, actors that the creator has not announced will never exist, for this reason. */
  readonly closedRanges: readonly (readonly [creator: number, ordinal: number, reason: string])[];
  /** Failures of actors that could not be created. */
  readonly failed: readonly (readonly [id: number, failure: RuntimeError])[];
}

/** State of an actor that does not exist yet. */
export interface PendingActorState {
  readonly actor: ActorCell;
  readonly creation: ActorCreation;
  readonly ref: FarReference | undefined;
  readonly announcement: SpawnAnnouncement | undefined;
  readonly messages: readonly EarlyMessage[];
}

interface PendingActor {
  readonly actor: ActorCell;
  readonly creation: ActorCreation;
  ref: FarReference | undefined;
  /** Contents of the spawn message; undefined until it arrives. */
  announcement: SpawnAnnouncement | undefined;
  /** State to restore if the supervisor requests it. No snapshot begins while an actor has such a state. */
  revivable: RevivableActor | undefined;
  readonly messages: EarlyMessage[];
}

export interface PendingActorsDeps {
  readonly ownWorker: number;
  readonly queue: MessageQueue<ActorCell>;
  currentPhase(): number;
  /** Called before an actor changes. */
  touch(actor: ActorCell): void;
  /** Handles a held message when its actor exists or has failed. */
  deliver(id: number, message: EarlyMessage): void;
}

export class PendingActors {
  readonly #deps: PendingActorsDeps;
  readonly #pending = new Map<number, PendingActor>();
  /** Last known ordinal, by creator. */
  readonly #lastOrdinals: number[] = [];
  /** Closed range of each creator: up to `ordinal`, actors that are not announced will never exist. */
  readonly #closedRanges: { readonly ordinal: number; readonly reason: string }[] = [];
  /** Failures of actors that could not be created, by id. */
  readonly #failed = new Map<number, RuntimeError>();

  constructor(deps: PendingActorsDeps) {
    this.#deps = deps;
  }

  /** Reason for the loss of this worker's predecessor. */
  get predecessorEndReason(): string {
    return this.#closedRanges[this.#deps.ownWorker]?.reason ?? 'its worker has ended';
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Whether the actor may still be created. */
  has(id: number): boolean {
    if (this.#pending.has(id)) return true;
    const creator = creatorOf(id);
    return creator !== this.#deps.ownWorker && ordinalOf(id) > (this.#lastOrdinals[creator] ?? 0);
  }

  failure(id: number): RuntimeError | undefined {
    const failure = this.#failed.get(id);
    if (failure !== undefined) return failure;
    const over = this.#closedRanges[creatorOf(id)];
    // Ordinal 0 is the main program of a worker, which always exists.
    if (over === undefined || ordinalOf(id) === 0 || ordinalOf(id) > over.ordinal) return undefined;
    return new ActorLostError(`actor ${displayId(id)} is lost: ${over.reason}`);
  }

  /** Fails the creator's unannounced actors up to an ordinal: their spawn messages will never arrive. */
  closeRange(creator: number, ordinal: number, reason: string): void {
    this.#closedRanges[creator] = { ordinal, reason };
    this.#lastOrdinals[creator] = Math.max(this.#lastOrdinals[creator] ?? 0, ordinal);
    for (const [id, pending] of this.#pending) {
      if (pending.announcement !== undefined || creatorOf(id) !== creator || ordinalOf(id) > ordinal) continue;
      this.#fail(id, pending, this.failure(id));
    }
  }

  /** Returns the spawn message of an actor that is not created yet; undefined if it has not arrived. */
  announcementOf(id: number): SpawnAnnouncement | undefined {
    return this.#pending.get(id)?.announcement;
  }

  /** Returns the cell of an actor that is not created yet. */
  actorFor(id: number): ActorCell {
    return this.#getOrExpect(id).actor;
  }

  /** Adds an actor of a snapshot as pending. */
  expectKnown(actor: ActorCell, ref: FarReference | undefined, revivable?: RevivableActor): void {
    if (this.#pending.has(actor.id)) return;
    const pending = this.#getOrExpect(actor.id, actor);
    pending.ref = ref;
    pending.revivable = revivable;
  }

  /** Whether the supervisor of any actor has still to decide whether it is restored. */
  get hasRevivable(): boolean {
    for (const { revivable } of this.#pending.values()) if (revivable !== undefined) return true;
    return false;
  }

  revivableFor(id: number): RevivableActor | undefined {
    return this.#pending.get(id)?.revivable;
  }

  /** Restorable actors that were spawned on this worker. */
  get spawnedHere(): { readonly actor: ActorCell; readonly spawner: ActorCell }[] {
    return [...this.#pending.values()].flatMap(({ actor, revivable }) =>
      revivable?.spawner === undefined ? [] : [{ actor, spawner: revivable.spawner }],
    );
  }

  /** Fails an actor that is not restored. */
  giveUp(id: number): void {
    this.#fail(id, this.#getOrExpect(id), this.failure(id));
  }

  /** Returns the reference that the actor will have. */
  referenceFor(id: number, type: FarReferenceClass): FarReference {
    const pending = this.#getOrExpect(id);
    return (pending.ref ??= new type(pending.actor, 0, undefined));
  }

  /** Holds a message until the actor exists or has failed. */
  hold(id: number, message: EarlyMessage): void {
    this.#getOrExpect(id).messages.push(message);
  }

  /** Registers a spawn message. Further messages are held until `create` or `fail`. */
  announce(
    id: number,
    announcement: SpawnAnnouncement,
    { name, mailbox }: { readonly name: string; readonly mailbox: MailboxOptions | undefined },
  ): ActorCell {
    const creator = creatorOf(id);
    const pending = this.#getOrExpect(id);
    this.#deps.touch(pending.actor);
    pending.actor.name = name;
    if (mailbox !== undefined) pending.actor.setMailbox(mailbox);
    pending.announcement = announcement;
    if (policyOf(announcement.policyFlags) !== RESTORE) pending.revivable = undefined;
    this.#lastOrdinals[creator] = Math.max(this.#lastOrdinals[creator] ?? 0, ordinalOf(id));
    return pending.actor;
  }

  /** Calls `restore` with an actor's saved state, then delivers its messages. Returns false if no state was saved. */
  revive(id: number, restore: (revivable: RevivableActor) => void): boolean {
    const pending = this.#getOrExpect(id);
    const { revivable } = pending;
    if (revivable === undefined) return false;
    restore(revivable);
    this.#release(id, pending);
    return true;
  }

  /** Creates an actor whose class is loaded. `onReference` receives its reference before messages are delivered. */
  create(
    id: number,
    refClass: FarReferenceClass,
    type: ActorConstructor,
    args: readonly unknown[],
    isRespawn: boolean,
    onReference: (ref: FarReference) => void,
  ): void {
    const ref = this.referenceFor(id, refClass);
    const pending = this.#getOrExpect(id);
    pending.creation.spec = { type, ref, args };
    pending.creation.isRespawn = isRespawn;
    onReference(ref);
    this.#release(id, pending);
  }

  fail(id: number, failure: RuntimeError): void {
    this.#failed.set(id, failure);
    this.#fail(id, this.#getOrExpect(id), failure);
  }

  getState(): PendingActorsState {
    const lastOrdinals: [number, number][] = [];
    const closedRanges: [number, number, string][] = [];
    this.#lastOrdinals.forEach((ordinal, creator) => lastOrdinals.push([creator, ordinal]));
    this.#closedRanges.forEach(({ ordinal, reason }, creator) => closedRanges.push([creator, ordinal, reason]));
    return {
      actors: [...this.#pending.values()].map(({ actor, creation, ref, announcement, messages }) => ({
        actor,
        creation,
        ref,
        announcement,
        messages: [...messages],
      })),
      lastOrdinals,
      closedRanges,
      failed: [...this.#failed],
    };
  }

  /** Replaces the state. The caller must load the classes of announced actors. */
  setState({ actors, lastOrdinals, closedRanges, failed }: PendingActorsState): void {
    this.#pending.clear();
    this.#failed.clear();
    this.#lastOrdinals.length = this.#closedRanges.length = 0;
    for (const { actor, creation, ref, announcement: savedAnnouncement, messages } of actors) {
      // A copy, so that the result of an earlier class search is not applied to the announcement.
      const announcement = savedAnnouncement === undefined ? undefined : { ...savedAnnouncement };
      const revivable = undefined;
      this.#pending.set(actor.id, { actor, creation, ref, announcement, revivable, messages: [...messages] });
    }
    for (const [creator, ordinal] of lastOrdinals) this.#lastOrdinals[creator] = ordinal;
    for (const [creator, ordinal, reason] of closedRanges) this.#closedRanges[creator] = { ordinal, reason };
    for (const [id, failure] of failed) this.#failed.set(id, failure);
  }

  #fail(id: number, pending: PendingActor, failure: RuntimeError | undefined): void {
    const { actor } = pending;
    this.#deps.touch(actor);
    actor.failure = failure;
    this.#release(id, pending);
  }

  #release(id: number, { actor, messages }: PendingActor): void {
    this.#pending.delete(id);
    this.#deps.queue.unpark(actor);
    for (const message of messages) this.#deps.deliver(id, message);
  }

  #getOrExpect(id: number, existing?: ActorCell): PendingActor {
    let pending = this.#pending.get(id);
    if (pending === undefined) {
      const actor = existing ?? new ActorCell(id, this.#deps.ownWorker, `actor ${displayId(id)}`);
      // No earlier snapshot contains the actor.
      actor.writtenPhase = this.#deps.currentPhase();
      const creation: ActorCreation = { spec: undefined, isRespawn: false };
      pending = { actor, creation, ref: undefined, announcement: undefined, revivable: undefined, messages: [] };
      this.#pending.set(id, pending);
      this.#deps.queue.addSignal(actor, actor, creation, CONSTRUCT_PENDING);
      this.#deps.queue.park(actor);
    }
    return pending;
  }
}
