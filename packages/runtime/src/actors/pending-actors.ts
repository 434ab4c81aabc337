// Actors that others have heard of before they are here: who has spawned one may have told a third worker, whose message is faster, and the
// class of one may have to be loaded first. What is sent to it waits, behind the message that it begins with: from here, from those who were given its
// reference, as well as from elsewhere. Ids are given in order, so one that should be here and is not has been and is gone. If its creator has
// ended, or another worker was here when its creator spawned it, nobody waits for it any longer: it is lost.

import type { Eventual } from '@turntable/core';
import type { OrderedTimer } from '@turntable/heap';
import { ActorCell, creatorOf, displayId, ordinalOf } from './actor-cell.ts';
import type { FarReference, FarReferenceClass } from '../references/far-reference.ts';
import type { ActorConstructor } from '../scheduler-host.ts';
import type { Link } from '../messaging/link.ts';
import { CONSTRUCT_PENDING } from '../messaging/message-kinds.ts';
import type { MessageQueue } from '../messaging/message-queue.ts';
import { ActorLostError, type RuntimeError } from '../runtime-error.ts';
import { RESTORE, policyOf } from './supervision-policy.ts';
import type { TrackedCall } from '../messaging/answer/deadline-trail.ts';

/** What an actor begins with, once it is known. */
export interface ActorCreation {
  spec: { readonly type: ActorConstructor; readonly ref: FarReference; readonly args: readonly unknown[] } | undefined;
  /** Whether it has lived before, on a worker that was lost. */
  isRespawn: boolean;
}

/** What its creator has said of an actor whose class is to be found. */
export interface SpawnAnnouncement {
  /** Of its class. */
  readonly classAddress: string;
  readonly args: readonly unknown[];
  /** How its creator supervises it, as on the wire. */
  readonly policyFlags: number;
  /** Of who has said so: which life of which worker. */
  readonly creatorIncarnation: number;
}

/** A message of another worker that cannot be heeded yet; as it came. */
export interface EarlyMessage {
  readonly link: Link;
  readonly kind: number;
  readonly exportId: number;
  readonly replyTo: number;
  readonly call: string | TrackedCall | undefined;
  readonly args: readonly unknown[];
}

/** An actor as it was. */
export interface RevivableActor {
  /** Unless it was still to be made. */
  readonly root: object | undefined;
  readonly creation: { readonly type: ActorConstructor; readonly args: readonly unknown[] } | undefined;
  readonly ref: FarReference;
  readonly exportCount: number;
  readonly turns: number;
  readonly timers: readonly OrderedTimer[];
  /** What waited for native promises. */
  readonly nativeWaiters: readonly object[];
  /** What messages of others would have settled. */
  readonly eventuals: readonly Eventual[];
  /** Who has spawned it, if that was on this worker: it is what it was if that one is. */
  readonly spawner: ActorCell | undefined;
}

/** An actor of this worker, the reference to it, and what it was. */
export interface KnownActor {
  readonly actor: ActorCell;
  readonly ref: FarReference | undefined;
  readonly revivable?: RevivableActor | undefined;
}

export interface PendingActorsState {
  readonly actors: readonly PendingActorState[];
  /** How far each creator has come. */
  readonly lastOrdinals: readonly (readonly [creator: number, ordinal: number])[];
  /** Up to which ordinal of a creator's those that are not here never will be, and why. */
  readonly closedRanges: readonly (readonly [creator: number, ordinal: number, reason: string])[];
  /** Others that will never be here. */
  readonly failed: readonly (readonly [id: number, failure: RuntimeError])[];
}

/** An actor that is still to come. */
export interface PendingActorState {
  readonly actor: ActorCell;
  /** The target of the message that it begins with. */
  readonly creation: ActorCreation;
  readonly ref: FarReference | undefined;
  readonly announcement: SpawnAnnouncement | undefined;
  readonly messages: readonly EarlyMessage[];
}

interface PendingActor {
  readonly actor: ActorCell;
  readonly creation: ActorCreation;
  ref: FarReference | undefined;
  /** Once its creator has said what it is. */
  announcement: SpawnAnnouncement | undefined;
  /** What it was in a snapshot, if it may be that again. Never in one itself: none begins while there is any. */
  revivable: RevivableActor | undefined;
  readonly messages: EarlyMessage[];
}

export class PendingActors {
  readonly #ownWorker: number;
  readonly #queue: MessageQueue<ActorCell>;
  readonly #phase: () => number;
  readonly #pending = new Map<number, PendingActor>();
  /** How far each creator has come. */
  readonly #lastOrdinals: number[] = [];
  /** Up to which ordinal of a creator's those that are not here never will be, and why. */
  readonly #closedRanges: { readonly ordinal: number; readonly reason: string }[] = [];
  /** Others that will never be here. */
  readonly #failed = new Map<number, RuntimeError>();
  readonly #deliver: (id: number, message: EarlyMessage) => void;

  /** `heed`: a message has waited long enough for the actor. */
  constructor(
    ownWorker: number,
    queue: MessageQueue<ActorCell>,
    currentPhase: () => number,
    deliver: (id: number, message: EarlyMessage) => void,
  ) {
    this.#ownWorker = ownWorker;
    this.#phase = currentPhase;
    this.#queue = queue;
    this.#deliver = deliver;
  }

  /** Why the worker has ended whose place this one has. */
  get predecessorEndReason(): string {
    return this.#closedRanges[this.#ownWorker]?.reason ?? 'its worker has ended';
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Whether it is still to come. */
  has(id: number): boolean {
    if (this.#pending.has(id)) return true;
    const creator = creatorOf(id);
    return creator !== this.#ownWorker && ordinalOf(id) > (this.#lastOrdinals[creator] ?? 0);
  }

  failure(id: number): RuntimeError | undefined {
    const failure = this.#failed.get(id);
    if (failure !== undefined) return failure;
    const over = this.#closedRanges[creatorOf(id)];
    // What runs on a worker outside of all actors is always there.
    if (over === undefined || ordinalOf(id) === 0 || ordinalOf(id) > over.ordinal) return undefined;
    return new ActorLostError(`actor ${displayId(id)} is lost: ${over.reason}`);
  }

  /** Of what a creator has given ids to, up to an ordinal, nothing will come any more but what it has announced. */
  closeRange(creator: number, ordinal: number, reason: string): void {
    this.#closedRanges[creator] = { ordinal, reason };
    this.#lastOrdinals[creator] = Math.max(this.#lastOrdinals[creator] ?? 0, ordinal);
    for (const [id, pending] of this.#pending) {
      if (pending.announcement !== undefined || creatorOf(id) !== creator || ordinalOf(id) > ordinal) continue;
      pending.actor.failure = this.failure(id);
      this.#release(id, pending);
    }
  }

  /** What its creator has said of it, until it is here. */
  announcementOf(id: number): SpawnAnnouncement | undefined {
    return this.#pending.get(id)?.announcement;
  }

  /** The actor it will be. */
  actorFor(id: number): ActorCell {
    return this.#getOrExpect(id).actor;
  }

  /** An actor that has been made is the one that is expected. */
  expectKnown(actor: ActorCell, ref: FarReference | undefined, revivable?: RevivableActor): void {
    if (this.#pending.has(actor.id)) return;
    const pending = this.#getOrExpect(actor.id, actor);
    pending.ref = ref;
    pending.revivable = revivable;
  }

  /** Whether any may be what they were in a snapshot, and nobody has said whether they are to be. */
  get hasRevivable(): boolean {
    for (const { revivable } of this.#pending.values()) if (revivable !== undefined) return true;
    return false;
  }

  revivableFor(id: number): RevivableActor | undefined {
    return this.#pending.get(id)?.revivable;
  }

  /** Those that are what they were if the ones are that have spawned them. */
  get spawnedHere(): { readonly actor: ActorCell; readonly spawner: ActorCell }[] {
    return [...this.#pending.values()].flatMap(({ actor, revivable }) =>
      revivable?.spawner === undefined ? [] : [{ actor, spawner: revivable.spawner }],
    );
  }

  /** It will never be what it was. */
  giveUp(id: number): void {
    const pending = this.#getOrExpect(id);
    pending.actor.failure = this.failure(id);
    this.#release(id, pending);
  }

  /** The reference it will have. */
  referenceFor(id: number, type: FarReferenceClass): FarReference {
    const pending = this.#getOrExpect(id);
    return (pending.ref ??= new type(pending.actor, 0, undefined));
  }

  /** Until it is here. */
  hold(id: number, message: EarlyMessage): void {
    this.#getOrExpect(id).messages.push(message);
  }

  /** Its creator has said so; until `born` or `fail`, messages still wait. */
  announce(id: number, announcement: SpawnAnnouncement): ActorCell {
    const creator = creatorOf(id);
    const pending = this.#getOrExpect(id);
    pending.announcement = announcement;
    if (policyOf(announcement.policyFlags) !== RESTORE) pending.revivable = undefined;
    this.#lastOrdinals[creator] = Math.max(this.#lastOrdinals[creator] ?? 0, ordinalOf(id));
    return pending.actor;
  }

  /** Its creator has said that it is to be what it was; if that is known, it is here when `begin` has been called with it. */
  revive(id: number, restore: (revivable: RevivableActor) => void): boolean {
    const pending = this.#getOrExpect(id);
    const { revivable } = pending;
    if (revivable === undefined) return false;
    restore(revivable);
    this.#release(id, pending);
    return true;
  }

  /** `known` is given the reference to it, before what waited is sent. */
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
    const pending = this.#getOrExpect(id);
    pending.actor.failure = failure;
    this.#failed.set(id, failure);
    this.#release(id, pending);
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

  /** In the place of all that was expected. Classes that were to be found are not looked for by that. */
  setState({ actors, lastOrdinals, closedRanges, failed }: PendingActorsState): void {
    this.#pending.clear();
    this.#failed.clear();
    this.#lastOrdinals.length = this.#closedRanges.length = 0;
    for (const { actor, creation, ref, announcement: savedAnnouncement, messages } of actors) {
      // Another one: what still comes of the earlier search is not for it.
      const announcement = savedAnnouncement === undefined ? undefined : { ...savedAnnouncement };
      const revivable = undefined;
      this.#pending.set(actor.id, { actor, creation, ref, announcement, revivable, messages: [...messages] });
    }
    for (const [creator, ordinal] of lastOrdinals) this.#lastOrdinals[creator] = ordinal;
    for (const [creator, ordinal, reason] of closedRanges) this.#closedRanges[creator] = { ordinal, reason };
    for (const [id, failure] of failed) this.#failed.set(id, failure);
  }

  #release(id: number, { actor, messages }: PendingActor): void {
    this.#pending.delete(id);
    this.#queue.unpark(actor);
    for (const message of messages) this.#deliver(id, message);
  }

  #getOrExpect(id: number, existing?: ActorCell): PendingActor {
    let pending = this.#pending.get(id);
    if (pending === undefined) {
      const actor = existing ?? new ActorCell(id, this.#ownWorker, `actor ${displayId(id)}`);
      // It is in no snapshot before.
      actor.writtenPhase = this.#phase();
      const creation: ActorCreation = { spec: undefined, isRespawn: false };
      pending = { actor, creation, ref: undefined, announcement: undefined, revivable: undefined, messages: [] };
      this.#pending.set(id, pending);
      this.#queue.addSignal(actor, actor, creation, CONSTRUCT_PENDING);
      this.#queue.park(actor);
    }
    return pending;
  }
}
