// The links of one worker to all others, and the protocol between workers apart from messages of actors: spawns,
// references, supervision, phase markers, losses. `Link` is the connection to one worker, `MessageIngest` decides when
// messages are taken, `InboundDispatcher` handles them. The scheduler creates one instance, which its parts share.
//
// * A lost worker keeps its closed link until a successor (the same index, the next epoch) connects. Messages and
//   references of a lost epoch must never reach the successor.
// * Other workers see messages only after `publish`, which commits the trace first: a worker that crashes must never
//   have sent a message that its trace does not repeat.
// * A loss is an ingest. It is processed between turns, after all messages of the lost worker, and in a replay at the
//   same position.

import type { Eventual, Realm } from '@turntable/core';
import type { SchedulerEvent } from '@turntable/recording';
import { type ActorCell, ANY_EPOCH, ORDINALS_PER_EPOCH, type MailboxOptions } from '../actors/actor-cell.ts';
import { InboundDispatcher, type InboundDispatcherDeps } from './receive/inbound-dispatcher.ts';
import type { InboundLinks, LinkSnapshots } from './receive/inbound-dispatcher.ts';
import { FarReference, type FarReferenceClass } from '../references/far-reference.ts';
import type { EventualForwarder } from './answer/eventual-forwarder.ts';
import type { ActorConstructor, RoundLimits } from '../scheduler-host.ts';
import type { Link, LinkOwner, LinkState, PendingReply } from './link.ts';
import { FULFIL, REJECT, WIRE } from './message-kinds.ts';
import type { OutgoingCalls } from './send/outgoing-calls.ts';
import { References, type ReferencesState } from '../references/references.ts';
import { ActorLostError, RuntimeError } from '../runtime-error.ts';
import { ExpectedActors } from '../snapshot/expected-actors.ts';
import type { InFlightMessage } from '../snapshot/worker-snapshot.ts';
import { RESPAWN_FLAG, UNSUPERVISED } from '../actors/supervision-policy.ts';
import { Supervision, type SupervisedActor } from '../actors/supervision.ts';
import { MessageIngest } from './receive/message-ingest.ts';
import type { MessageOrigins } from '../trace/message-origins.ts';
import { type KnownActor, PendingActors, type PendingActorsState } from '../actors/pending-actors.ts';

export interface WorkerLinksDeps extends InboundDispatcherDeps {
  readonly realm: Realm;
  readonly limits: RoundLimits;
  readonly outgoing: OutgoingCalls;
  readonly forwarder: EventualForwarder;
  snapshots(): WorkerLinkSnapshots | undefined;
  /** Ordinal of the last actor that this worker spawned. */
  lastSpawned(): number;
  referenceTo(value: object): FarReference | undefined;
  wake(): void;
}

interface WorkerLinkSnapshots extends LinkSnapshots {
  /** Notes that no more messages of a worker will arrive. */
  workerLost(worker: number): void;
}

/** State of a worker's links, references and supervision in a snapshot. */
export interface WorkerLinksState {
  readonly epoch: number;
  readonly links: readonly LinkState[];
  readonly references: ReferencesState;
  readonly pendingActors: PendingActorsState;
  readonly supervised: readonly SupervisedActor[];
}

/** Successor of a lost worker: a worker with the same index in the next epoch. */
export interface Successor {
  /** `lossReason`: the reason for the loss of the predecessor, if the caller knows it. */
  readonly createLink: (owner: LinkOwner, lossReason?: string) => Link;
  /** Whether the successor is restored from a snapshot of the lost worker. */
  readonly isRestored: boolean;
}

export class WorkerLinks implements InboundLinks {
  readonly #deps: WorkerLinksDeps;
  /** Links by worker; empty at this worker's own index. */
  readonly #links: (Link | undefined)[] = [];
  /** Links with messages that are not published yet. */
  #unpublished: Link[] = [];
  #epoch = 0;
  readonly references: References;
  /** Actors of this worker that other workers may know and that do not exist yet. */
  readonly #pendingActors: PendingActors;
  /** Actors of other workers that this worker supervises. */
  readonly #supervision = new Supervision();
  readonly #dispatcher: InboundDispatcher;
  readonly messageIngest: MessageIngest;
  /** Called when a worker is lost, before anything else. `isReplaced`: whether the worker has a successor. */
  onWorkerLost: ((worker: number, isReplaced: boolean) => void) | undefined;
  onRestorableActor: (() => void) | undefined;
  /** Set in a replay that builds the run index. */
  messageOrigins: MessageOrigins | undefined;
  /** Reason why actors that should be restored from a snapshot are not restored. */
  notRestoredReason = 'this worker has not been restored';

  constructor(deps: WorkerLinksDeps) {
    this.#deps = deps;
    const touch = (actor: ActorCell): void => deps.observer()?.touch?.(actor);
    this.#pendingActors = new PendingActors({
      ownWorker: deps.ownWorker,
      queue: deps.queue,
      currentPhase: () => deps.currentPhase(),
      touch,
      deliver: (id, message) => this.#dispatcher.receiveEarly(id, message),
    });
    this.references = new References(
      deps.ownWorker,
      (worker, actor, exportId, count) => this.#dropReferences(worker, actor, exportId, count),
      deps.ingests,
      touch,
      // A forgotten actor can no longer report that it has handled enough messages.
      (actor) => deps.pressure.releaseSenders(actor),
    );
    this.#dispatcher = new InboundDispatcher(deps, this, this.references, this.#pendingActors, this.#supervision);
    this.messageIngest = new MessageIngest(this.#links, {
      ingests: deps.ingests,
      batch: deps.limits.messagesPerBatch,
      receiveInFlight: (link, message) => this.#receiveInFlight(link, message),
    });
  }

  /** Number of workers that had this worker's index before. */
  get epoch(): number {
    return this.#epoch;
  }

  /** All links, including links to lost workers. */
  get links(): Link[] {
    return this.#links.filter((link) => link !== undefined);
  }

  get openWorkers(): number[] {
    return this.#links.flatMap((link) => (link?.isOpen === true ? [link.worker] : []));
  }

  linkTo({ worker }: ActorCell): Link {
    return this.#links[worker] as Link;
  }

  /** Whether no other worker was ever connected. */
  get isAlone(): boolean {
    return this.#links.length === 0;
  }

  /** Whether every message that arrived was taken, and every message that was sent has left. */
  get isQuiet(): boolean {
    const isIdle = (link: Link | undefined): boolean => link === undefined || !link.isOpen || link.isQuiet;
    return this.#pendingActors.size === 0 && this.#links.every(isIdle);
  }

  /** Number of bytes sent outside the rings, in parcels or in messages that wait for room. */
  get spilled(): number {
    const bytesOf = ({ outbox }: Link): number => outbox.spilled + outbox.posted;
    return this.#links.reduce((sum, link) => sum + (link?.isOpen === true ? bytesOf(link) : 0), 0);
  }

  /** Numbers of messages sent and taken on open links, except phase markers, which idle workers send, too. */
  get traffic(): { readonly sent: number; readonly taken: number } {
    let sent = 0;
    let taken = 0;
    for (const link of this.#links) {
      if (link === undefined || !link.isOpen) continue;
      sent += link.outbox.sent - link.phaseMarkers.sent;
      taken += link.inbox.taken - link.phaseMarkers.taken;
    }
    return { sent, taken };
  }

  connect(createLink: (owner: LinkOwner) => Link): void {
    const { realm, host, classes, forwarder, answers } = this.#deps;
    const link = createLink({
      ownWorker: this.#deps.ownWorker,
      epoch: this.#epoch,
      currentPhase: () => this.#deps.currentPhase(),
      classes,
      references: this.references,
      types: host.types,
      engine: realm.parts.host.engine,
      referenceFor: (value) => (forwarder.isEventual(value) ? value : this.#deps.referenceTo(value)),
      createEventual: () => realm.parts.eventuals.create(),
      forward: (eventual, to, eventualId) => answers.forwardToWorker(eventual, to, eventualId),
      expectedReference: (id, exportId, type) => this.#dispatcher.expectedReference(id, exportId, type),
      receiverOf: (from) => this.#dispatcher.receiverOf(from),
      markTouched: (to) => this.#markTouched(to),
      onWoken: () => this.#deps.wake(),
      errorClassName: (prototype) => host.errorClassName(prototype),
      errorPrototype: (name) => host.errorPrototype(name),
    });
    this.#links[link.worker] = link;
    this.references.addWorker(link.worker, link.epoch);
    if (this.#deps.currentPhase() > 0) this.#sendMarker(link.worker, this.#deps.currentPhase());
    // Messages may have arrived before the link existed, without waking this worker.
    this.#deps.wake();
  }

  /** Closes all links. */
  close(): void {
    for (const { worker, epoch } of this.links) this.loseWorker(worker, epoch, 'the app has been closed');
  }

  // Sending

  /** Sends a message of the runtime, if the worker is connected. */
  sendSignal(
    worker: number,
    kind: number,
    from: number,
    actor: number,
    target: number,
    replyTo: number,
    argument?: unknown,
  ): void {
    const link = this.#links[worker];
    if (link?.isOpen === true) link.addSignal(kind, from, actor, target, replyTo, argument);
  }

  #markTouched(link: Link): void {
    if (!link.hasUnpublished) {
      link.hasUnpublished = true;
      this.#unpublished.push(link);
    }
    this.#deps.wake();
  }

  /** Makes sent messages visible to their receivers, once per round. Returns whether there were any. */
  publish(): boolean {
    const unpublished = this.#unpublished;
    if (unpublished.length === 0) return false;
    this.#unpublished = [];
    this.#deps.ingests.commit();
    for (const link of unpublished) {
      link.hasUnpublished = false;
      if (link.isOpen && link.outbox.publish()) link.outbox.wakeReceiver();
    }
    return true;
  }

  /** In a replay that stops: sends messages that wait for room to the workers that took them in the recorded run. */
  handOverSpilled(): void {
    for (const link of this.#links) if (link?.isOpen === true) link.outbox.handOver();
  }

  /** Announces to all workers that further messages are sent in `phase`. */
  sendMarkers(phase: number): void {
    this.#links.forEach((_, worker) => this.#sendMarker(worker, phase));
  }

  #sendMarker(worker: number, phase: number): void {
    const link = this.#links[worker];
    if (link?.isOpen !== true) return;
    link.phaseMarkers.sent++;
    this.sendSignal(worker, WIRE.phase, 0, 0, 0, phase);
  }

  /** Reports a step of a deadline's trail to the worker that tracks it, unless that worker has been lost. */
  reportTrail(
    worker: number,
    epoch: number,
    kind: number,
    parent: number,
    trailNumber: number,
    callId: number,
    label?: string,
  ): void {
    if (this.#links[worker]?.epoch === epoch) this.sendSignal(worker, kind, 0, parent, trailNumber, callId, label);
  }

  /** Drops `count` references that came from `worker`. Sent to the object's worker, after all messages to it. */
  #dropReferences(worker: number, actor: ActorCell, exportId: number, count: number): void {
    const isFromHome = worker === actor.worker;
    const kind = isFromHome ? WIRE.dropReferences : WIRE.dropForwarded;
    const incarnation = this.references.incarnationOf(isFromHome ? this.#deps.ownWorker : worker);
    this.sendSignal(actor.worker, kind, 0, actor.id, exportId, count, incarnation);
  }

  // Spawns and supervision

  /** Spawns an actor on another worker. */
  spawn(
    spawner: ActorCell,
    actor: ActorCell,
    type: ActorConstructor,
    refClass: FarReferenceClass,
    args: readonly unknown[],
    mailbox: MailboxOptions | undefined,
    policy: number,
  ): FarReference {
    const link = this.#links[actor.worker];
    if (link === undefined) throw new RuntimeError('TT_PLACEMENT', `there is no worker ${actor.worker}`);
    if (!link.isOpen) throw link.lostError(actor);
    const isSupervised = policy !== UNSUPERVISED;
    actor.epoch = isSupervised ? ANY_EPOCH : link.epoch;
    const keptArgs = isSupervised ? this.#deps.outgoing.copyForRespawn(args, type.name) : args;
    this.#sendSpawn(link, spawner, { actor, type, args: keptArgs, mailbox }, policy);
    const ref = this.references.addSpawned(actor, refClass);
    if (isSupervised) this.#supervision.add({ actor, type, args: keptArgs, mailbox, policy, ref });
    return ref;
  }

  #sendSpawn(
    link: Link,
    spawner: ActorCell,
    { actor, type, args, mailbox }: Omit<SupervisedActor, 'ref' | 'policy'>,
    policyFlags: number,
  ): void {
    const address = this.#deps.host.classes.addressOf(type);
    const name = (argIndex: number): string => `args[${argIndex - 2}] of new ${type.name}`;
    const values = [actor.name, mailbox, ...args];
    const [a, b, c] = values;
    link.add(WIRE.spawn, spawner.id, actor.id, 0, policyFlags, address, values.length, a, b, c, values, name);
  }

  /** Supervises an actor of this worker whose spawner is also on this worker. */
  superviseLocally(actor: ActorCell, ref: FarReference, policy: number, spawner: ActorCell): void {
    this.#dispatcher.supervise(actor, ref, this.#deps.ownWorker, policy, spawner);
  }

  /** Ends the supervision of a remote actor before `stop` is sent, so that a loss of its worker cannot respawn it. */
  unsupervise(actor: ActorCell): void {
    this.#supervision.remove(actor.id);
  }

  /** Tells the supervisor of an actor of this worker that the actor has ended. */
  endSupervision(actor: ActorCell, ref: FarReference, supervisorWorker: number): void {
    const { ownWorker } = this.#deps;
    this.references.unpinOne(ownWorker, ref);
    this.sendSignal(supervisorWorker, WIRE.unsupervise, ownWorker, actor.id, 0, 0);
  }

  // Loss of another worker

  /** Records that a worker was lost in this epoch. Takes effect between two turns. */
  loseWorker(worker: number, epoch: number, reason: string, successor?: Successor): void {
    const ownLoss = { reason, isReplaced: successor !== undefined, isRestored: successor?.isRestored === true };
    const apply = (recorded?: SchedulerEvent): boolean => {
      const loss = recorded === undefined ? ownLoss : recordedLoss(recorded);
      const replayedSuccessor = successor && { ...successor, isRestored: loss.isRestored };
      return this.#handleLoss(worker, epoch, loss.reason, replayedSuccessor);
    };
    this.#deps.ingests.add('lost', `${worker} ${epoch}`, apply, ownLoss);
  }

  /** In a replay: returns the effect of a recorded loss without a successor. `loseWorker` handles other losses. */
  replayLoss(event: SchedulerEvent): (() => boolean) | undefined {
    const [worker, epoch] = event.key.split(' ').map(Number) as [number, number];
    const { reason, isReplaced } = recordedLoss(event);
    return isReplaced ? undefined : () => this.#handleLoss(worker, epoch, reason);
  }

  /** Handles the loss of a worker. Returns false if the worker was not connected in that epoch. */
  #handleLoss(worker: number, epoch: number, reason: string, successor?: Successor): boolean {
    const link = this.#links[worker];
    if (link === undefined || !link.isOpen || link.epoch !== epoch) return false;
    this.onWorkerLost?.(worker, successor !== undefined);
    this.#deps.snapshots()?.workerLost(worker);
    // In a replay the trace has these messages before the loss.
    if (!this.#deps.ingests.isReplaying) this.messageIngest.takeAll(link);
    // In the recorded run, the lost worker may have taken these messages, so a replay must publish them, too.
    this.publish();
    const watches = this.#settleLostReplies(link, reason, successor !== undefined);
    for (const actor of this.references.remoteActorsOf(worker)) {
      this.#deps.pressure.releaseSenders(actor);
      actor.waiting = 0;
    }
    this.#pendingActors.closeRange(worker, (epoch + 1) * ORDINALS_PER_EPOCH - 1, reason);
    this.#dispatcher.settleSpawnedHere();
    this.#claimAfterLoss(worker, successor?.isRestored === true);
    if (successor === undefined) this.#supervision.removeAllOn(worker);
    else {
      this.connect((owner) => successor.createLink(owner, reason));
      this.#respawnSupervised(worker, watches);
    }
    return true;
  }

  /** Closes a link and settles the eventuals that await it. Returns the watches of actors that a successor respawns. */
  #settleLostReplies(link: Link, reason: string, isReplaced: boolean): PendingReply[] {
    const watches: PendingReply[] = [];
    for (const pending of link.abandon(reason)) {
      const { eventual, actor, callee, call } = pending;
      if (call === undefined && callee.epoch === ANY_EPOCH && isReplaced) {
        watches.push(pending);
        continue;
      }
      const failure = callee === link.peer ? new ActorLostError(reason) : link.lostError(callee);
      // A watch awaits the end of its actor, so the loss fulfils it.
      this.#deps.queue.addOutcome(link.peer, actor, call === undefined ? FULFIL : REJECT, eventual, failure);
    }
    return watches;
  }

  /** Claims the references that came from the lost worker, from the workers of their objects. */
  #claimAfterLoss(worker: number, isRestored: boolean): void {
    const { ownWorker, main } = this.#deps;
    const incarnation = this.references.incarnationOf(worker);
    const { openWorkers } = this;
    // A restored successor also claims its predecessor's references.
    this.references.removeWorker(worker, isRestored ? [...openWorkers, worker] : openWorkers, (actor, exportId) =>
      this.sendSignal(actor.worker, WIRE.claim, ownWorker, actor.id, exportId, 0),
    );
    for (const other of openWorkers) this.sendSignal(other, WIRE.claimsComplete, ownWorker, main.id, 0, incarnation);
  }

  /** Spawns the supervised actors of a lost worker on its successor, and watches them again. */
  #respawnSupervised(worker: number, watches: readonly PendingReply[]): void {
    const { main } = this.#deps;
    const link = this.#links[worker] as Link;
    for (const each of this.#supervision.ofWorker(worker)) {
      this.#sendSpawn(link, main, each, each.policy + RESPAWN_FLAG);
      // Counts the reference, as `addSpawned` did for the first spawn.
      this.references.receiveExisting(worker, each.ref);
    }
    this.sendSignal(worker, WIRE.spawnsSent, main.id, main.id, 0, this.#deps.lastSpawned());
    for (const { eventual, actor, callee } of watches) {
      const callId = link.registerCall(eventual, actor, callee, undefined);
      this.sendSignal(worker, WIRE.watch, actor.id, callee.id, 0, callId);
    }
  }

  // This worker as a successor

  /** Makes this worker a successor. Called before the first link is connected. */
  startEpoch(epoch: number, reason: string): void {
    this.#epoch = epoch;
    this.references.addWorker(this.#deps.ownWorker, epoch);
    // Actors that the predecessor had still to spawn, on any worker, will never exist.
    this.#pendingActors.closeRange(this.#deps.ownWorker, epoch * ORDINALS_PER_EPOCH, reason);
  }

  /** Whether actors from a snapshot still wait for their supervisors to restore them. */
  get hasRevivable(): boolean {
    return this.#pendingActors.hasRevivable;
  }

  /**
   * Restores from a snapshot the predecessor's references, actors and supervision.
   * @param supervised actors that the predecessor's actors supervised
   * @param mainEventuals eventuals that the predecessor's main program awaited, which are rejected
   */
  revive(
    foreign: readonly FarReference[],
    actors: readonly KnownActor[],
    supervised: readonly SupervisedActor[],
    mainEventuals: readonly Eventual[],
  ): void {
    for (const ref of foreign) this.#reclaim(ref);
    for (const each of supervised) if (this.#links[each.actor.worker]?.isOpen === true) this.#supervision.add(each);
    for (const knownActor of actors) this.#dispatcher.expectKnown(knownActor);
    this.#dispatcher.settleSpawnedHere();
    this.#dispatcher.rejectLostAnswers(this.#deps.main, mainEventuals);
  }

  #reclaim(ref: FarReference): void {
    const actor = FarReference.actorOf(ref);
    if (this.linkTo(actor)?.hasLostActor(actor) !== false) return;
    this.references.receiveExisting(actor.worker, ref);
    this.sendSignal(actor.worker, WIRE.claim, this.#deps.ownWorker, actor.id, FarReference.exportIdOf(ref), 0);
  }

  /** Notifies all workers that this worker claims no more references, so that they can drop its predecessors' pins. */
  endClaims(): void {
    const { ownWorker, main } = this.#deps;
    const incarnation = this.references.incarnationOf(ownWorker);
    for (const { worker } of this.links)
      this.sendSignal(worker, WIRE.claimsComplete, ownWorker, main.id, 0, incarnation);
  }

  // Snapshots

  /** Adds actors as pending that other workers know and that have no state in a snapshot. */
  expectKnown(actors: readonly KnownActor[]): void {
    for (const each of actors) this.#dispatcher.expectKnown(each);
  }

  /** Prepares a replay from a cut. Each in-flight message is taken as recorded, and its actors are expected then. */
  replayFromCut(inFlight: readonly InFlightMessage[], actors: readonly KnownActor[]): void {
    const isPending = ({ actor }: KnownActor): boolean => this.#pendingActors.has(actor.id);
    const expectedActors = new ExpectedActors(actors.filter(isPending));
    this.expectKnown(actors.filter((each) => !isPending(each)));
    const onInFlight = (message: InFlightMessage): void => this.expectKnown(expectedActors.mentionedBy(message));
    this.messageIngest.replayInFlight(inFlight, this.#deps.currentPhase(), onInFlight);
  }

  #receiveInFlight(link: Link, message: InFlightMessage): void {
    // An in-flight marker is in no ring, so the inbox has not counted it among its messages.
    if (message.kind === WIRE.phase) link.phaseMarkers.taken--;
    const receive = (): void => this.#dispatcher.receiveInFlight(link, message);
    if (this.messageOrigins === undefined) receive();
    else this.messageOrigins.resume(undefined, receive);
  }

  getState(): WorkerLinksState {
    return {
      epoch: this.#epoch,
      links: this.links.map((link) => link.getState()),
      references: this.references.getState(),
      pendingActors: this.#pendingActors.getState(),
      supervised: this.#supervision.getState(),
    };
  }

  /** Replaces the whole state. The workers of its open links must be connected. */
  setState({ epoch, links, references, pendingActors, supervised }: WorkerLinksState): void {
    this.#epoch = epoch;
    for (const state of links) {
      const link = this.#links[state.worker];
      if (link === undefined || (state.isOpen && link.epoch !== state.epoch))
        throw new RuntimeError(
          'TT_PLACEMENT',
          `worker ${this.#deps.ownWorker} needs a link to epoch ${state.epoch} of worker ${state.worker} and has ${link === undefined ? 'none' : `one to epoch ${link.epoch}`}; connect it first`,
        );
      link.setState(state);
    }
    this.references.setState(references);
    this.#pendingActors.setState(pendingActors);
    this.#supervision.setState(supervised);
    for (const { actor, announcement } of pendingActors.actors)
      if (announcement !== undefined) this.#dispatcher.resumeFindClass(actor.id);
  }
}

/** The value of a recorded `lost` event. */
type RecordedLoss = { readonly reason: string; readonly isReplaced: boolean; readonly isRestored: boolean };

function recordedLoss({ value }: SchedulerEvent): RecordedLoss {
  return value as RecordedLoss;
}
