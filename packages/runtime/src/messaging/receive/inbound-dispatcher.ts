// Handles the messages that a worker takes from others: queues calls for their actors, creates spawned actors, settles
// the eventuals that await an outcome, and performs the runtime's own messages. A message for an actor that does not
// exist yet is held. A message for an actor that is gone is answered with the reason. Runs between turns, for one
// message at a time, in the order in which each worker sent them.

import {
  ActorCell,
  displayId,
  ANY_EPOCH,
  ORDINALS_PER_EPOCH,
  createBrokenActor,
  type MailboxOptions,
} from '../../actors/actor-cell.ts';
import type { Eventual } from '@turntable/core';
import type { OrderedTimer } from '@turntable/heap';
import { FarReference, type FarReferenceClass, type FarReferenceClasses } from '../../references/far-reference.ts';
import type { ActorConstructor, SchedulerHost } from '../../scheduler-host.ts';
import type { Ingests } from '../../trace/ingests.ts';
import type { TurnObserver } from '../../turn-observer.ts';
import type { Pressure } from '../pressure.ts';
import type { ActorWatcher } from '../../actors/termination.ts';
import { addAskedFrame } from '../answer/stack-frames.ts';
import type { Link } from '../link.ts';
import { FULFIL, REJECT, STOP, WIRE } from '../message-kinds.ts';
import { argumentList, NO_ARGS, type MessageQueue } from '../message-queue.ts';
import type { AnswerSender } from '../answer/answer-sender.ts';
import type { TakeMessage } from '../../transport/wire.ts';
import { referenceKey, type References, workerOf } from '../../references/references.ts';
import { ActorLostError, RuntimeError } from '../../runtime-error.ts';
import type { InFlightMessage } from '../../snapshot/worker-snapshot.ts';
import { RESPAWN_FLAG, RESTORE, UNSUPERVISED, policyOf } from '../../actors/supervision-policy.ts';
import type { Supervision } from '../../actors/supervision.ts';
import type { MessageOrigins } from '../../trace/message-origins.ts';
import { RemoteTrail, TrackedCall, DeadlineTrail, type DeadlineTrails } from '../answer/deadline-trail.ts';
import type {
  EarlyMessage,
  KnownActor,
  PendingActors,
  RevivableActor,
  SpawnAnnouncement,
} from '../../actors/pending-actors.ts';

/** The part of this worker's snapshots that records its links. */
export interface LinkSnapshots {
  /** Adds a message that has arrived and was sent in the earlier phase `sentIn`. */
  messageInFlight(sentIn: number, message: InFlightMessage): void;
  /** Notes that all further messages of another worker are sent in `phase` or later. */
  markerReceived(worker: number, phase: number): void;
}

export interface InboundDispatcherDeps {
  readonly ownWorker: number;
  readonly main: ActorCell;
  readonly host: SchedulerHost;
  readonly queue: MessageQueue<ActorCell>;
  readonly classes: FarReferenceClasses;
  readonly answers: AnswerSender;
  readonly ingests: Ingests;
  currentPhase(): number;
  /** Starts a phase, unless this worker has already entered it. */
  enterPhase(phase: number): void;
  observer(): TurnObserver | undefined;
  snapshots(): LinkSnapshots | undefined;
  readonly pressure: Pressure;
  readonly trails: DeadlineTrails;
  watchActor(actor: ActorCell, watcher: ActorWatcher): void;
  /** Called before an actor is created. */
  onCreating(actor: ActorCell): void;
  /** Restarts a restored actor's timers, and rejects the native promises that it awaited. */
  rejoin(timers: readonly OrderedTimer[], waiting: readonly object[]): void;
}

/** The part of `WorkerLinks` that the dispatcher needs. */
export interface InboundLinks {
  readonly epoch: number;
  /** Reason why actors that should be restored from a snapshot are not restored. */
  readonly notRestoredReason: string;
  /** Called when this worker gets an actor that is restored from a snapshot if the worker is lost. */
  readonly onRestorableActor: (() => void) | undefined;
  /** Set in a replay that builds the run index. */
  readonly messageOrigins: MessageOrigins | undefined;
  /** Sends a message of the runtime. */
  sendSignal(
    worker: number,
    kind: number,
    from: number,
    actor: number,
    target: number,
    replyTo: number,
    argument?: unknown,
  ): void;
}

export class InboundDispatcher {
  readonly #deps: InboundDispatcherDeps;
  readonly #links: InboundLinks;
  readonly #references: References;
  readonly #pendingActors: PendingActors;
  readonly #supervision: Supervision;
  readonly #queue: MessageQueue<ActorCell>;
  readonly #answers: AnswerSender;
  /** Names of actors that were respawned and have not been restored as they should have been. */
  #notRestored: string[] = [];
  readonly #revived = new WeakSet<ActorCell>();

  constructor(
    deps: InboundDispatcherDeps,
    links: InboundLinks,
    references: References,
    pendingActors: PendingActors,
    supervision: Supervision,
  ) {
    this.#deps = deps;
    this.#links = links;
    this.#references = references;
    this.#pendingActors = pendingActors;
    this.#supervision = supervision;
    this.#queue = deps.queue;
    this.#answers = deps.answers;
  }

  receiverOf(link: Link): TakeMessage {
    return (kind, _, actor, target, replyTo, call, count, a, b, c, manyArgs) =>
      this.#dispatch(link, kind, actor, target, replyTo, call, count, a, b, c, manyArgs);
  }

  /** Handles a message that was in flight at the cut of a snapshot. */
  receiveInFlight(link: Link, { kind, id, target, replyTo, call, args }: InFlightMessage): void {
    const [a, b, c] = args;
    this.#dispatch(link, kind, id, target, replyTo, call, args.length, a, b, c, args);
  }

  #dispatch(
    link: Link,
    kind: number,
    id: number,
    target: number,
    replyTo: number,
    call: string | undefined,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    manyArgs: readonly unknown[],
  ): void {
    if (kind !== WIRE.phase) this.#deps.observer()?.messageTaken?.(link.worker, link.phase);
    if (kind !== WIRE.phase && link.phase < this.#deps.currentPhase()) {
      const received = link.takeReceived();
      const args = argumentList(count, a, b, c, manyArgs);
      const message = { worker: link.worker, kind, id, target, replyTo, call, args, ...received };
      this.#deps.snapshots()?.messageInFlight(link.phase, message);
    }
    switch (kind) {
      case WIRE.call:
        return this.#receiveCall(link, id, target, replyTo, call as string, count, a, b, c, manyArgs);
      case WIRE.trackedCall: {
        const trail = new DeadlineTrail('', new RemoteTrail(link.worker, link.epoch, replyTo));
        const tracked = new TrackedCall(call as string, trail);
        return this.#receiveCall(link, id, target, replyTo, tracked, count, a, b, c, manyArgs);
      }
      case WIRE.trailStep: {
        const trail = link.trailOfCall(replyTo);
        return trail === undefined ? undefined : this.#deps.trails.extendReported(trail, id, a as string, target);
      }
      case WIRE.trailEnd: {
        const trail = link.trailOfCall(replyTo);
        return trail === undefined ? undefined : this.#deps.trails.endReported(trail, target);
      }
      case WIRE.spawn:
        return this.#receiveSpawn(link, id, call as string, replyTo, argumentList(count, a, b, c, manyArgs));
      case WIRE.answer:
      case WIRE.failure:
        return this.#receiveOutcome(link, link.takeCall(replyTo), kind === WIRE.answer, a);
      case WIRE.eventualFulfilled:
      case WIRE.eventualRejected:
        return this.#receiveOutcome(link, link.takeEventual(replyTo), kind === WIRE.eventualFulfilled, a);
      case WIRE.stop:
      case WIRE.watch:
        return this.#receiveSignal(link, kind, id, replyTo);
      case WIRE.dropReferences:
        if (!this.#references.isCurrent(a as number)) return;
        return this.#references.unpin(workerOf(a as number), referenceKey(id, target), replyTo);
      case WIRE.dropForwarded:
        if (!this.#references.isCurrent(a as number)) return;
        return this.#forwardDrop(link, workerOf(a as number), id, target, replyTo);
      case WIRE.spawnsSent:
        this.#warnNotRestored();
        this.#pendingActors.closeRange(link.worker, replyTo, this.#pendingActors.predecessorEndReason);
        return this.settleSpawnedHere();
      case WIRE.claim:
        this.#references.claim(link.worker, id, target);
        // The claiming worker may supervise the actor without knowing of its end.
        if (target === 0 && this.#hasEnded(id))
          this.#links.sendSignal(link.worker, WIRE.unsupervise, this.#deps.ownWorker, id, 0, 0);
        return;
      case WIRE.claimsComplete:
        return this.#references.claimsComplete(link.worker, replyTo);
      case WIRE.unsupervise:
        return this.#supervision.remove(id);
      case WIRE.pressure: {
        const remote = this.#references.remoteActor(id);
        if (remote === undefined) return;
        remote.waiting = replyTo === 1 ? remote.mark : 0;
        return replyTo === 1 ? undefined : this.#deps.pressure.releaseSenders(remote);
      }
      case WIRE.phase:
        link.phaseMarkers.taken++;
        // A marker of an earlier phase is in flight, too, since the restored sender does not send it again. (A replay
        // ignores markers of a phase that has begun.)
        if (replyTo > link.phase && replyTo < this.#deps.currentPhase()) {
          const message = { worker: link.worker, kind, id, target, replyTo, call, args: [], ...link.takeReceived() };
          this.#deps.snapshots()?.messageInFlight(replyTo, message);
        }
        link.phase = replyTo;
        this.#deps.enterPhase(replyTo);
        return this.#deps.snapshots()?.markerReceived(link.worker, replyTo);
      default:
        throw new RuntimeError(
          'TT_DAMAGED_MESSAGE',
          `${link.peer.name} has sent a message of an unknown kind, ${kind}; this is a bug in Turntable, please report it`,
        );
    }
  }

  /** Makes `worker` unpin references that it passed on, after the worker of `link` has dropped them. */
  #forwardDrop(link: Link, worker: number, id: number, exportId: number, count: number): void {
    const incarnation = this.#references.incarnationOf(link.worker);
    this.#links.sendSignal(worker, WIRE.dropReferences, 0, id, exportId, count, incarnation);
  }

  #receiveCall(
    link: Link,
    id: number,
    exportId: number,
    replyTo: number,
    call: string | TrackedCall,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    manyArgs: readonly unknown[],
  ): void {
    const ref = this.#references.find(id, exportId);
    const callId = replyTo === 0 ? undefined : replyTo;
    if (ref !== undefined) {
      const actor = FarReference.actorOf(ref);
      link.assignEventuals(actor);
      if (actor.waiting >= actor.mark) {
        const refusal = this.#deps.pressure.checkRemoteSend(link.worker, actor);
        if (refusal !== undefined) return this.#answers.fail(actor, link.peer, callId, refusal, '');
      }
      if (count > 3) this.#queue.addMany(link.peer, actor, ref, call, callId, manyArgs);
      else this.#queue.add(link.peer, actor, ref, call, callId, count, a, b, c);
      return;
    }
    // Exports are known only after their actor exists. Exports of an earlier epoch never become known.
    if (this.#pendingActors.has(id)) {
      link.assignEventuals(this.#pendingActors.actorFor(id));
      const args = argumentList(count, a, b, c, manyArgs);
      return this.#holdEarly(id, { link, kind: WIRE.call, exportId, replyTo, call, args });
    }
    link.assignEventuals(this.#deps.main);
    const actor = this.#absentActor(id);
    this.#answers.fail(actor, link.peer, callId, this.#absenceError(actor, exportId), '');
  }

  /** Handles a message to an actor itself, without arguments: `stop` or `watch`. */
  #receiveSignal(link: Link, kind: number, id: number, replyTo: number): void {
    const ref = this.#references.find(id, 0);
    if (ref === undefined && this.#pendingActors.has(id))
      return this.#holdEarly(id, { link, kind, exportId: 0, replyTo, call: undefined, args: NO_ARGS });
    const actor = ref === undefined ? this.#absentActor(id) : FarReference.actorOf(ref);
    if (ref === undefined) actor.failure = this.#absenceError(actor, 0);
    if (kind === WIRE.watch) this.#deps.watchActor(actor, { kind: 'reply', asker: link.peer, replyTo });
    else this.#queue.addSignal(link.peer, actor, undefined, STOP);
  }

  #holdEarly(id: number, message: EarlyMessage): void {
    this.#links.messageOrigins?.holdEarly(message);
    this.#pendingActors.hold(id, message);
  }

  /** Handles a message that was held for an actor which now exists or will never exist. */
  receiveEarly(id: number, message: EarlyMessage): void {
    const { messageOrigins } = this.#links;
    if (messageOrigins === undefined) return this.#receiveHeld(id, message);
    return messageOrigins.resume(message, () => this.#receiveHeld(id, message));
  }

  #receiveHeld(id: number, { link, kind, exportId, replyTo, call, args }: EarlyMessage): void {
    if (kind !== WIRE.call) return this.#receiveSignal(link, kind, id, replyTo);
    const [a, b, c] = args;
    this.#receiveCall(link, id, exportId, replyTo, call as string | TrackedCall, args.length, a, b, c, args);
  }

  /** Adds a known actor as pending, as a reference to it would. If its spawn can no longer arrive, it has failed. */
  expectKnown({ actor, ref, revivable }: KnownActor): void {
    if (revivable?.spawner !== undefined || this.#pendingActors.has(actor.id))
      this.#pendingActors.expectKnown(actor, ref, revivable);
    else actor.failure = this.#absenceError(actor, 0);
  }

  #hasEnded(id: number): boolean {
    const root = this.#references.find(id, 0);
    return root === undefined ? !this.#pendingActors.has(id) : FarReference.actorOf(root).failure !== undefined;
  }

  /** Returns the reference to an object that is not exported. If the object is gone, calls fail with the reason. */
  expectedReference(id: number, exportId: number, type: FarReferenceClass): FarReference {
    // Exports are known only after their actor exists.
    if (exportId === 0 && this.#pendingActors.has(id)) return this.#pendingActors.referenceFor(id, type);
    const actor = this.#absentActor(id);
    return new type(createBrokenActor(id, actor.worker, this.#absenceError(actor, exportId)), exportId, undefined);
  }

  #absentActor(id: number): ActorCell {
    return new ActorCell(id, this.#deps.ownWorker, `actor ${displayId(id)}`);
  }

  /** Returns the reason why an object that another worker refers to does not exist here. */
  #absenceError(actor: ActorCell, exportId: number): RuntimeError {
    const failure = this.#pendingActors.failure(actor.id);
    const root = this.#references.find(actor.id, 0);
    if (
      exportId === 0 ||
      exportId > this.#links.epoch * ORDINALS_PER_EPOCH ||
      (failure !== undefined && root === undefined)
    )
      return failure ?? actorGoneError(actor);
    const { name } = root === undefined ? actor : FarReference.actorOf(root);
    return new ActorLostError(
      `this object belonged to an earlier epoch of ${name}: ${this.#pendingActors.predecessorEndReason}`,
    );
  }

  #receiveSpawn(link: Link, id: number, classAddress: string, policyFlags: number, values: readonly unknown[]): void {
    const [name, mailbox, ...args] = values;
    const creatorIncarnation = this.#references.incarnationOf(link.worker);
    const announcement = { classAddress, args, policyFlags, creatorIncarnation };
    const options = { name: name as string, mailbox: mailbox as MailboxOptions | undefined };
    const actor = this.#pendingActors.announce(id, announcement, options);
    link.assignEventuals(actor);
    if (policyFlags === RESTORE + RESPAWN_FLAG) {
      if (this.#pendingActors.revive(id, (revivable) => this.#revive(actor, revivable, link.worker)))
        return this.settleSpawnedHere();
      this.#notRestored.push(actor.name);
    }
    this.findClass(id);
    this.settleSpawnedHere();
  }

  /** Restores actors whose spawner, an actor of this worker, is restored. Other spawned actors are lost. */
  settleSpawnedHere(): void {
    const { main } = this.#deps;
    for (let isDone = false; !isDone;) {
      isDone = true;
      for (const { actor, spawner } of this.#pendingActors.spawnedHere) {
        if (this.#pendingActors.revivableFor(spawner.id) !== undefined) continue;
        isDone = false;
        if (spawner === main || this.#revived.has(spawner)) this.#restoreSpawnedHere(actor);
        else this.#pendingActors.giveUp(actor.id);
      }
    }
  }

  /** Restores an actor together with its spawner, even if the actor was not constructed yet. */
  #restoreSpawnedHere(actor: ActorCell): void {
    const { main, classes } = this.#deps;
    const { ref, creation, spawner } = this.#pendingActors.revivableFor(actor.id) as RevivableActor;
    if (creation === undefined) {
      this.#pendingActors.revive(actor.id, (revivable) => this.#revive(actor, revivable, main.worker));
      return;
    }
    const { type, args } = creation;
    this.#pendingActors.create(actor.id, classes.ofPrototype(type.prototype as object), type, args, true, () => {
      this.#references.bindClaims(ref);
      this.supervise(actor, ref, main.worker, RESTORE, spawner);
    });
  }

  /** Restores the state of an actor from the snapshot, and rejects the eventuals that await other workers. */
  #revive(actor: ActorCell, revivable: RevivableActor, supervisorWorker: number): void {
    const { root, ref, exportCount, turns, eventuals, timers, nativeWaiters, spawner } = revivable;
    Object.assign(actor, { root, rootRef: ref, exportCount, turns } satisfies Partial<ActorCell>);
    FarReference.bindObject(ref, root as object);
    this.#revived.add(actor);
    this.#deps.onCreating(actor);
    if (spawner === undefined) this.#references.pin(ref, supervisorWorker);
    this.#references.bindClaims(ref);
    this.supervise(actor, ref, supervisorWorker, RESTORE, spawner);
    this.rejectLostAnswers(actor, eventuals);
    this.#deps.rejoin(timers, nativeWaiters);
  }

  /** Rejects eventuals that an actor awaited in an earlier epoch, because their answers will never arrive. */
  rejectLostAnswers(actor: ActorCell, eventuals: readonly Eventual[]): void {
    for (const eventual of eventuals) {
      const failure = new ActorLostError(
        `${actor.name} was restored, and calls that it awaited before that are not answered: ${this.#pendingActors.predecessorEndReason}`,
      );
      this.#queue.addOutcome(actor, actor, REJECT, eventual, failure);
    }
  }

  /** Warns of actors that should have been restored and were respawned instead. */
  #warnNotRestored(): void {
    const names = this.#notRestored;
    if (names.length === 0) return;
    this.#notRestored = [];
    this.#deps.host.warnNotRestored?.(names, this.#links.notRestoredReason);
  }

  /** Creates an announced actor when its class is loaded. */
  findClass(id: number): void {
    this.#findClass(id, (action) => action());
  }

  /** Like `findClass`, for an actor of a snapshot. In a replay, the class is found when the recorded run found it. */
  resumeFindClass(id: number): void {
    if (this.#deps.ingests.isReplaying) this.#findClass(id, (action) => this.#addClassIngest(id, action));
    else this.findClass(id);
  }

  #addClassIngest(id: number, action: () => boolean): void {
    this.#deps.ingests.add('class', String(id), action);
  }

  /** Finds a class and then creates its actor. `runNow` applies the result if the class is already loaded. */
  #findClass(id: number, runNow: (action: () => boolean) => void): void {
    const announcement = this.#pendingActors.announcementOf(id);
    if (announcement === undefined) return;
    try {
      const type = this.#deps.host.classes.find(announcement.classAddress);
      if (typeof type === 'function') return runNow(() => this.#onClassFound(id, announcement, type));
      type.then(
        (loaded) => this.#addClassIngest(id, () => this.#onClassFound(id, announcement, loaded)),
        (error: unknown) => this.#addClassIngest(id, () => this.#onClassFailed(id, announcement, error)),
      );
    } catch (error) {
      runNow(() => this.#onClassFailed(id, announcement, error));
    }
  }

  #onClassFound(id: number, announcement: SpawnAnnouncement, type: ActorConstructor): boolean {
    if (this.#pendingActors.announcementOf(id) !== announcement) return false;
    const { args, policyFlags, creatorIncarnation } = announcement;
    const refClass = this.#deps.classes.ofPrototype(type.prototype as object);
    this.#pendingActors.create(id, refClass, type, args, (policyFlags & RESPAWN_FLAG) !== 0, (ref) => {
      // If the creator is lost, the workers that received a reference from it have claimed the reference.
      if (this.#references.isCurrent(creatorIncarnation)) this.#references.pin(ref, workerOf(creatorIncarnation));
      this.#references.bindClaims(ref);
      const policy = policyOf(policyFlags);
      if (policy !== UNSUPERVISED) this.supervise(FarReference.actorOf(ref), ref, workerOf(creatorIncarnation), policy);
    });
    return true;
  }

  #onClassFailed(id: number, announcement: SpawnAnnouncement, cause: unknown): boolean {
    if (this.#pendingActors.announcementOf(id) !== announcement) return false;
    const { policyFlags, creatorIncarnation } = announcement;
    const { ownWorker, host, main } = this.#deps;
    const { name } = this.#pendingActors.actorFor(id);
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `${name} could not be created on ${main.name}: ${reason}`;
    const failure = new RuntimeError('TT_ACTOR_FAILED', message, { cause });
    this.#pendingActors.fail(id, failure);
    if (policyFlags !== UNSUPERVISED)
      this.#links.sendSignal(workerOf(creatorIncarnation), WIRE.unsupervise, ownWorker, id, 0, 0);
    if ((policyFlags & RESPAWN_FLAG) !== 0) host.report(name, failure);
    return true;
  }

  /** Supervises an actor. The actor exists until it is stopped, even without references to it. */
  supervise(actor: ActorCell, ref: FarReference, supervisorWorker: number, policy: number, spawner?: ActorCell): void {
    actor.epoch = ANY_EPOCH;
    if (policy === RESTORE) this.#links.onRestorableActor?.();
    this.#references.pin(ref, this.#deps.ownWorker);
    this.#deps.watchActor(actor, { kind: 'supervisor', ref, supervisorWorker, policy, spawner });
  }

  #receiveOutcome(link: Link, pending: ReturnType<Link['takeCall']>, isFulfilled: boolean, value: unknown): void {
    link.assignEventuals(pending?.actor ?? this.#deps.main);
    if (pending === undefined) return;
    const { callee, call } = pending;
    const kind = isFulfilled ? FULFIL : REJECT;
    if (!isFulfilled && callee !== link.peer && call !== undefined) addAskedFrame(value, callee, call);
    this.#queue.addOutcome(link.peer, pending.actor, kind, pending.eventual, value);
  }
}

function actorGoneError(actor: ActorCell): RuntimeError {
  return new RuntimeError(
    'TT_ACTOR_STOPPED',
    `${actor.name} has ended: it was stopped, or no reference to it was left`,
  );
}
