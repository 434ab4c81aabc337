// The other workers, as one of them has them: what leads to each, what is sent and published, who is joined and who has ended.

import type { Eventual, Realm } from '@turntable/core';
import type { SchedulerEvent } from '@turntable/recording';
import { type ActorCell, ANY_EPOCH, ORDINALS_PER_EPOCH, type MailboxOptions } from '../actors/actor-cell.ts';
import {
  InboundDispatcher,
  type InboundLinks,
  type InboundDispatcherDeps,
  type LinkSnapshots,
} from './receive/inbound-dispatcher.ts';
import { FarReference, type FarReferenceClasses } from '../references/far-reference.ts';
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
  /** The ordinal of the actor that was spawned last. */
  lastSpawned(): number;
  referenceTo(value: object): FarReference | undefined;
  wake(): void;
}

interface WorkerLinkSnapshots extends LinkSnapshots {
  /** A worker has ended, and nothing more comes from it. */
  workerLost(worker: number): void;
}

/** What is kept in mind of other workers, and of what lives there or is to come from there. */
export interface WorkerLinksState {
  readonly epoch: number;
  readonly links: readonly LinkState[];
  readonly references: ReferencesState;
  readonly pendingActors: PendingActorsState;
  readonly supervised: readonly SupervisedActor[];
}

/** Who takes the place of a worker that has ended. */
export interface Successor {
  /** `before`: why the life before has ended, if somebody knows better. */
  readonly createLink: (owner: LinkOwner, lossReason?: string) => Link;
  /** It knows what was known there in a snapshot. */
  readonly isRestored: boolean;
}

export class WorkerLinks implements InboundLinks {
  readonly references: References;
  readonly #deps: WorkerLinksDeps;
  readonly #links: (Link | undefined)[] = [];
  /** With messages that nobody sees yet. */
  #unpublished: Link[] = [];
  readonly #pendingActors: PendingActors;
  readonly #supervision = new Supervision();
  readonly #dispatcher: InboundDispatcher;
  readonly messageIngest: MessageIngest;
  #epoch = 0;
  /** Is told when a worker has ended, before anybody else is, and whether another one has its place. */
  onWorkerLost: ((worker: number, isReplaced: boolean) => void) | undefined;
  onRestorableActor: (() => void) | undefined;
  /** In a run again that is indexed. */
  messageOrigins: MessageOrigins | undefined;
  /** Why actors here are not what they were in a snapshot, though they are to be. */
  notRestoredReason = 'this worker has not been restored';

  constructor(deps: WorkerLinksDeps) {
    this.#deps = deps;
    this.#pendingActors = new PendingActors(
      deps.ownWorker,
      deps.queue,
      () => deps.currentPhase(),
      (id, message) => this.#dispatcher.receiveEarly(id, message),
    );
    this.references = new References(
      deps.ownWorker,
      (worker, actor, exportId, count) => this.#dropReferences(worker, actor, exportId, count),
      deps.ingests,
      (actor) => deps.observer()?.touch?.(actor),
      // That it has caught up would be told of nobody.
      (actor) => deps.pressure.releaseSenders(actor),
    );
    this.#dispatcher = new InboundDispatcher(deps, this, this.references, this.#pendingActors, this.#supervision);
    this.messageIngest = new MessageIngest(this.#links, {
      ingests: deps.ingests,
      batch: deps.limits.messagesPerBatch,
      receiveInFlight: (link, message) => {
        // It does not come by the ring, where all that is taken is counted.
        if (message.kind === WIRE.phase) link.phaseMarkers.taken--;
        const take = (): void => this.#dispatcher.receiveInFlight(link, message);
        if (this.messageOrigins === undefined) take();
        else this.messageOrigins.resume(undefined, take);
      },
    });
  }

  /** Which life of its worker it is: 0 unless it has the place of one that has ended. */
  get epoch(): number {
    return this.#epoch;
  }

  /** It has the place of a worker that has ended. Before it is joined to others. */
  startEpoch(epoch: number, reason: string): void {
    this.#epoch = epoch;
    this.references.addWorker(this.#deps.ownWorker, epoch);
    // What that one has spawned, wherever: nobody can spawn it any more.
    this.#pendingActors.closeRange(this.#deps.ownWorker, epoch * ORDINALS_PER_EPOCH, reason);
  }

  get isAlone(): boolean {
    return this.#links.length === 0;
  }
  /** Bytes under way to others beside those in the rings: they wait for room in one, or are parcels. */
  get spilled(): number {
    return this.#links.reduce(
      (sum, link) => sum + (link?.isOpen === true ? link.outbox.spilled + link.outbox.posted : 0),
      0,
    );
  }

  connect(createLink: (owner: LinkOwner) => Link): void {
    const link = createLink({
      ownWorker: this.#deps.ownWorker,
      epoch: this.#epoch,
      currentPhase: () => this.#deps.currentPhase(),
      classes: this.#deps.classes,
      references: this.references,
      types: this.#deps.host.types,
      engine: this.#deps.realm.parts.host.engine,
      referenceFor: (value) => (this.#deps.forwarder.isEventual(value) ? value : this.#deps.referenceTo(value)),
      createEventual: () => this.#deps.realm.parts.eventuals.create(),
      forward: (eventual, to, eventualId) => this.#deps.answers.forwardToWorker(eventual, to, eventualId),
      expectedReference: (id, eventualId, type) => this.#dispatcher.expectedReference(id, eventualId, type),
      receiverOf: (from) => this.#dispatcher.receiverOf(from),
      markTouched: (to) => this.#markTouched(to),
      onWoken: () => this.#deps.wake(),
      errorClassName: (prototype) => this.#deps.host.errorClassName(prototype),
      errorPrototype: (name) => this.#deps.host.errorPrototype(name),
    });
    this.#links[link.worker] = link;
    this.references.addWorker(link.worker, link.epoch);
    if (this.#deps.currentPhase() > 0) this.#sendMarker(link.worker, this.#deps.currentPhase());
    // Something may have come before there was anybody to be woken.
    this.#deps.wake();
  }

  /** A worker has ended, in a certain life of it: this one learns it between two turns. */
  loseWorker(worker: number, epoch: number, reason: string, successor?: Successor): void {
    const ownLoss = { reason, isReplaced: successor !== undefined, isRestored: successor?.isRestored === true };
    this.#deps.ingests.add(
      'lost',
      `${worker} ${epoch}`,
      (recordedEvent) => {
        // In a run again it has ended because of what it had ended because of.
        const loss = recordedEvent === undefined ? ownLoss : recordedLoss(recordedEvent);
        const nextSuccessor = successor === undefined ? undefined : { ...successor, isRestored: loss.isRestored };
        return this.#handleLoss(worker, epoch, loss.reason, nextSuccessor);
      },
      ownLoss,
    );
  }

  /** The same, in a run again, if nobody has taken its place. */
  replayLoss(event: SchedulerEvent): (() => boolean) | undefined {
    const [worker, epoch] = event.key.split(' ').map(Number) as [number, number];
    const { reason, isReplaced } = recordedLoss(event);
    return isReplaced ? undefined : () => this.#handleLoss(worker, epoch, reason);
  }

  /** Takes what the worker has sent, then settles all that waits for it. A `successor` is first given the actors that this worker supervises. */
  #handleLoss(worker: number, epoch: number, reason: string, successor?: Successor): boolean {
    const link = this.#links[worker];
    if (link === undefined || !link.isOpen || link.epoch !== epoch) return false;
    this.onWorkerLost?.(worker, successor !== undefined);
    this.#deps.snapshots()?.workerLost(worker);
    // In a run again it has been: those stand before this.
    if (!this.#deps.ingests.isReplaying) this.messageIngest.takeAll(link);
    // What was sent there may have been taken, whether other things were looked at in between or not.
    this.publish();
    const watchReplies: PendingReply[] = [];
    for (const pending of link.abandon(reason)) {
      const { eventual, actor, callee, call } = pending;
      if (call === undefined && callee.epoch === ANY_EPOCH && successor !== undefined) {
        watchReplies.push(pending);
        continue;
      }
      const failure = callee === link.peer ? new ActorLostError(reason) : link.lostError(callee);
      const kind = call === undefined ? FULFIL : REJECT;
      this.#deps.queue.addOutcome(link.peer, actor, kind, eventual, failure);
    }
    for (const each of this.references.remoteActorsOf(worker)) {
      this.#deps.pressure.releaseSenders(each);
      each.waiting = 0;
    }
    this.#pendingActors.closeRange(worker, (epoch + 1) * ORDINALS_PER_EPOCH - 1, reason);
    this.#dispatcher.settleSpawnedHere();
    this.#claimAfterLoss(worker, successor?.isRestored === true);
    if (successor === undefined) this.#supervision.removeAllOn(worker);
    else {
      this.connect((owner) => successor.createLink(owner, reason));
      this.#respawnSupervised(worker, watchReplies);
    }
    return true;
  }

  /** Whether it is still to be heard which of the actors are what they were in a snapshot. */
  get hasRevivable(): boolean {
    return this.#pendingActors.hasRevivable;
  }

  /** Restores what an earlier life of this worker knew. `supervised`: by actors here; `waiting`: what the main program waited for. */
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

  /** Nothing more is claimed of what earlier lives of this worker were given, which waits for that if they were to be restored. */
  endClaims(): void {
    const { ownWorker, main } = this.#deps;
    const incarnation = this.references.incarnationOf(ownWorker);
    for (const link of this.links)
      this.sendSignal(link.worker, WIRE.claimsComplete, ownWorker, main.id, 0, incarnation);
  }

  /** What is sent from here on is sent in that phase. */
  sendMarkers(phase: number): void {
    this.#links.forEach((_, worker) => this.#sendMarker(worker, phase));
  }

  #sendMarker(worker: number, phase: number): void {
    const link = this.#links[worker];
    if (link?.isOpen !== true) return;
    link.phaseMarkers.sent++;
    this.sendSignal(worker, WIRE.phase, 0, 0, 0, phase);
  }

  /** `isRestored`: whoever has its place will claim what it had, too. */
  #claimAfterLoss(worker: number, isRestored: boolean): void {
    const { ownWorker, main } = this.#deps;
    const incarnation = this.references.incarnationOf(worker);
    const { openWorkers } = this;
    this.references.removeWorker(worker, isRestored ? [...openWorkers, worker] : openWorkers, (actor, exportId) =>
      this.sendSignal(actor.worker, WIRE.claim, ownWorker, actor.id, exportId, 0),
    );
    for (const other of openWorkers) this.sendSignal(other, WIRE.claimsComplete, ownWorker, main.id, 0, incarnation);
  }

  /** Another worker has the place of one that has ended. */
  #respawnSupervised(worker: number, watchReplies: readonly PendingReply[]): void {
    const { main } = this.#deps;
    const link = this.#links[worker] as Link;
    for (const each of this.#supervision.ofWorker(worker)) {
      this.#sendSpawn(link, main, each, each.policy + RESPAWN_FLAG);
      // As when it was spawned.
      this.references.receiveExisting(worker, each.ref);
    }
    this.sendSignal(worker, WIRE.spawnsSent, main.id, main.id, 0, this.#deps.lastSpawned());
    for (const { eventual, actor, callee } of watchReplies)
      this.sendSignal(
        worker,
        WIRE.watch,
        actor.id,
        callee.id,
        0,
        link.registerCall(eventual, actor, callee, undefined),
      );
  }

  /** In a run again: nothing goes on here, and others may still take what they took. */
  handOverSpilled(): void {
    for (const link of this.#links) if (link?.isOpen === true) link.outbox.handOver();
  }

  /** Other workers are no more. */
  close(): void {
    for (const link of this.#links)
      if (link !== undefined) this.loseWorker(link.worker, link.epoch, 'the app has been closed');
  }

  /** Whether nothing has come that is not taken, and nothing that was sent waits for room. */
  get isQuiet(): boolean {
    return (
      this.#pendingActors.size === 0 && this.#links.every((link) => link === undefined || !link.isOpen || link.isQuiet)
    );
  }

  /** Messages sent to and taken from each other worker, but those that say that a phase begins: while nothing else does, they come for ever. */
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

  #markTouched(link: Link): void {
    if (!link.hasUnpublished) {
      link.hasUnpublished = true;
      this.#unpublished.push(link);
    }
    this.#deps.wake();
  }

  /** Makes visible what was sent: once a turn, or a round of them. Whether there was anything. */
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

  #dropReferences(worker: number, actor: ActorCell, exportId: number, count: number): void {
    // Behind what was sent to the object, which is still to arrive.
    const isOwnHome = worker === actor.worker;
    const kind = isOwnHome ? WIRE.dropReferences : WIRE.dropForwarded;
    this.sendSignal(
      actor.worker,
      kind,
      0,
      actor.id,
      exportId,
      count,
      this.references.incarnationOf(isOwnHome ? this.#deps.ownWorker : worker),
    );
  }

  /** An actor that is to live elsewhere. */
  spawn(
    spawner: ActorCell,
    actor: ActorCell,
    type: ActorConstructor,
    refClass: ReturnType<FarReferenceClasses['ofPrototype']>,
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

  /** An actor is to end: it is not made anew, even if its worker ends before. */
  unsupervise(actor: ActorCell): void {
    this.#supervision.remove(actor.id);
  }

  /** A message of the runtime's own. */
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

  /** A worker is told of a trail, if it still is the one that has asked. */
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

  /** An actor of this worker that is supervised here: until it is stopped, whoever still knows that it has a reference. */
  superviseLocally(actor: ActorCell, ref: FarReference, policy: number, spawner: ActorCell): void {
    this.#dispatcher.supervise(actor, ref, this.#deps.ownWorker, policy, spawner);
  }

  /** One that another worker has supervised is not to be made anew. */
  endSupervision(actor: ActorCell, ref: FarReference, supervisorWorker: number): void {
    const { ownWorker } = this.#deps;
    this.references.unpinOne(ownWorker, ref);
    this.sendSignal(supervisorWorker, WIRE.unsupervise, ownWorker, actor.id, 0, 0);
  }

  /** What leads to the others, those that have ended among them. */
  get links(): Link[] {
    return this.#links.filter((link) => link !== undefined);
  }

  /** Workers that messages come from. */
  get openWorkers(): number[] {
    return this.#links.flatMap((link) => (link?.isOpen === true ? [link.worker] : []));
  }

  /** Actors that are known by others and are not here yet, or not any more. */
  expectKnown(actors: readonly KnownActor[]): void {
    for (const each of actors) this.#dispatcher.expectKnown(each);
  }

  /** A run again goes on from a cut: what was under way comes when it came, and what is not known but by that is known then. */
  replayFromCut(inFlight: readonly InFlightMessage[], actors: readonly KnownActor[]): void {
    const isPending = ({ actor }: KnownActor): boolean => this.#pendingActors.has(actor.id);
    const expectedActors = new ExpectedActors(actors.filter(isPending));
    this.expectKnown(actors.filter((each) => !isPending(each)));
    this.messageIngest.replayInFlight(inFlight, this.#deps.currentPhase(), (message) =>
      this.expectKnown(expectedActors.mentionedBy(message)),
    );
  }

  getState(): WorkerLinksState {
    return {
      epoch: this.#epoch,
      links: this.#links.flatMap((link) => (link === undefined ? [] : [link.getState()])),
      references: this.references.getState(),
      pendingActors: this.#pendingActors.getState(),
      supervised: this.#supervision.getState(),
    };
  }

  /** In the place of all that was kept in mind. Whoever is a worker there has been joined before. */
  setState({ epoch, links, references, pendingActors, supervised }: WorkerLinksState): void {
    this.#epoch = epoch;
    for (const each of links) {
      const link = this.#links[each.worker];
      if (link === undefined || (each.isOpen && link.epoch !== each.epoch))
        throw new RuntimeError(
          'TT_PLACEMENT',
          `worker ${this.#deps.ownWorker} is to go on with worker ${each.worker} in its life ${each.epoch}, and is joined to ${link === undefined ? 'none there' : `its life ${link.epoch}`}; join that one first`,
        );
      link.setState(each);
    }
    this.references.setState(references);
    this.#pendingActors.setState(pendingActors);
    this.#supervision.setState(supervised);
    for (const { actor, announcement } of pendingActors.actors)
      if (announcement !== undefined) this.#dispatcher.resumeFindClass(actor.id);
  }

  linkTo({ worker }: ActorCell): Link {
    return this.#links[worker] as Link;
  }
}

/** As it is noted. */
type RecordedLoss = { readonly reason: string; readonly isReplaced: boolean; readonly isRestored: boolean };

function recordedLoss({ value }: SchedulerEvent): RecordedLoss {
  return value as RecordedLoss;
}
