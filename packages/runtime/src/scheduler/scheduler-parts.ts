// Construction of a scheduler from its parts. Each part gets the parts that it may use. Some parts use each other, so
// parts that are created later are reached through closures.

import { hostClock, ROOT_CONTEXT, type Realm } from '@turntable/core';
import type { OrderedTimer } from '@turntable/heap';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { ActorCell } from '../actors/actor-cell.ts';
import { ActorFactory } from '../actors/actor-factory.ts';
import { Census } from '../actors/census.ts';
import { Termination } from '../actors/termination.ts';
import { ActorApi } from '../actors/actor-api.ts';
import { AnswerSender } from '../messaging/answer/answer-sender.ts';
import { AnswerSettler } from '../messaging/answer/answer-settler.ts';
import { Deadlines } from '../messaging/answer/deadlines.ts';
import { EventualForwarder } from '../messaging/answer/eventual-forwarder.ts';
import { DeadlineTrails } from '../messaging/answer/deadline-trail.ts';
import { REJECT, WIRE } from '../messaging/message-kinds.ts';
import { MessageQueue, type Pump } from '../messaging/message-queue.ts';
import { WorkerLinks } from '../messaging/worker-links.ts';
import { Pressure } from '../messaging/pressure.ts';
import { MessageCopier } from '../messaging/send/message-copier.ts';
import { OutgoingCalls } from '../messaging/send/outgoing-calls.ts';
import { FarReferenceClasses } from '../references/far-reference.ts';
import { TurnObservers } from './turn-observers.ts';
import type { RoundLimits, SchedulerHost } from '../scheduler-host.ts';
import { Ingests, type IngestsDeps } from '../trace/ingests.ts';
import { Phases } from './phases.ts';
import { AppRequests } from './app-requests.ts';
import { TurnLoop } from './turn-loop.ts';
import { TurnDelivery, Turns } from './turns.ts';

export interface SchedulerHooks {
  /** Returns the effect of a replayed event that no part has expected. */
  readonly actionForUnexpected: IngestsDeps['actionForUnexpected'];
  /** Restarts restored timers and rejects eventuals that awaited native promises. */
  rejoin(timers: readonly OrderedTimer[], waiting: readonly object[]): void;
}

export type SchedulerParts = Readonly<ReturnType<typeof schedulerParts>>;

export function schedulerParts(
  realm: Realm,
  host: SchedulerHost,
  index: number,
  limits: RoundLimits,
  hooks: SchedulerHooks,
) {
  const main = new ActorCell(index, index, index === 0 ? 'the main program' : `worker ${index}`, ROOT_CONTEXT);
  const census = new Census();
  const report = (actor: ActorCell, reason: unknown): void => host.report(actor.name, reason);
  const wake = (): void => turnLoop.wake();
  const onCreating = (actor: ActorCell): void => {
    turnObservers.enableHostCallbacks();
    census.actorCreated(actor);
  };
  const date = (): number => currentDate(realm);
  const turnObservers: TurnObservers = new TurnObservers(realm, host, main, () => turns.count);
  const delivery = new TurnDelivery();
  const queue: MessageQueue<ActorCell> = new MessageQueue(delivery);
  const actorFactory: ActorFactory = new ActorFactory({
    onCreating,
    onFailed: (actor, failure) => termination.end(actor, failure),
    report,
  });
  const termination: Termination = new Termination({
    touch: (actor) => turnObservers.observer?.touch?.(actor),
    clearTimers: (actors) => host.hostCallbacks?.clearTimersOf(actors),
    answer: (actor, to, replyTo, failure) => answers.answer(actor, to, replyTo, 'whenBroken', failure),
    endSupervision: (actor, ref, supervisorWorker) => workerLinks.endSupervision(actor, ref, supervisorWorker),
  });
  const trails: DeadlineTrails = new DeadlineTrails({
    notifyWorker: (worker, epoch, kind, parent, number, callId, label) =>
      workerLinks.reportTrail(worker, epoch, kind, parent, number, callId, label),
    onDeadlineAnswered: (deadline) => deadlines.remove(deadline),
  });
  const pressure: Pressure = new Pressure(queue, main, (worker, actor, isOn) =>
    workerLinks.sendSignal(worker, WIRE.pressure, 0, actor.id, 0, isOn ? 1 : 0),
  );
  const pump: Pump = { isAwake: false };
  const currentActor = (): ActorCell => actorApi.currentActor();
  const settler: AnswerSettler = new AnswerSettler({
    realm,
    types: host.types,
    trails,
    awaitingFrames: (eventual) => host.awaitingFrames(eventual),
  });
  const forwarder: EventualForwarder = new EventualForwarder(realm);
  const copier: MessageCopier = new MessageCopier({
    realm,
    types: host.types,
    forwarder,
    currentActor,
    referenceTo: (value) => actorApi.referenceTo(value),
  });
  const sendingDeps = {
    realm,
    ownWorker: index,
    queue,
    pump,
    copier,
    forwarder,
    linkTo: (actor: ActorCell) => workerLinks.linkTo(actor),
    wake,
    report,
  };
  const outgoing: OutgoingCalls = new OutgoingCalls({ ...sendingDeps, main, pressure, trails, settler });
  const answers: AnswerSender = new AnswerSender({
    ...sendingDeps,
    currentActor,
    sendLater: (message, target, isRejected) => outgoing.sendLater(message, target, isRejected),
  });
  realm.parts.rejections.interceptRejections((home, reason) => {
    if (!(home instanceof ActorCell)) return false;
    report(home, reason);
    return true;
  });
  const { tape } = realm.parts.host;
  const ingests: Ingests = new Ingests(
    {
      position: () => ({ round: turnLoop.roundCount, turns: turns.count }),
      wake,
      takeMessages: (worker, count) => workerLinks.messageIngest.takeRecorded(worker, count),
      haveArrived: (worker, count) => workerLinks.messageIngest.haveArrived(worker, count),
      canTake: (worker, count) => workerLinks.messageIngest.canTake(worker, count),
      actionForUnexpected: (event) => hooks.actionForUnexpected(event),
    },
    tape,
  );
  const deadlines: Deadlines = new Deadlines({
    ingests,
    date,
    setTimer: (milliseconds, callback) => host.setTimer(milliseconds, callback),
    reject: (actor, replyTo, reason) => queue.addOutcome(actor, actor, REJECT, replyTo, reason),
  });
  const classes: FarReferenceClasses = new FarReferenceClasses(outgoing, (prototype) => host.classes.keyOf(prototype));
  const workerLinks: WorkerLinks = new WorkerLinks({
    ownWorker: index,
    main,
    realm,
    host,
    limits,
    queue,
    classes,
    outgoing,
    answers,
    forwarder,
    ingests,
    currentPhase: () => phases.current,
    enterPhase: (phase) => phases.enterPhase(phase),
    observer: () => turnObservers.observer,
    snapshots: () => phases.snapshots,
    lastSpawned: () => actorApi.lastSpawned,
    referenceTo: (value) => actorApi.referenceTo(value),
    pressure,
    trails,
    watchActor: (actor, watcher) => termination.watch(actor, watcher),
    onCreating,
    rejoin: (timers, waiting) => hooks.rejoin(timers, waiting),
    wake,
  });
  const phases: Phases = new Phases({ ingests, workerLinks, observer: () => turnObservers.observer, date });
  const actorApi: ActorApi = new ActorApi({
    ownWorker: index,
    main,
    realm,
    host,
    queue,
    classes,
    outgoing,
    workerLinks,
    turnObservers,
    termination,
    trails,
    deadlines,
    currentPhase: () => phases.current,
    snapshots: () => phases.snapshots,
    wake,
  });
  const appRequests: AppRequests = new AppRequests({
    ingests,
    createEventual: () => realm.parts.eventuals.create(),
    currentActor,
    settle: ({ actor, eventual }, kind, value) => {
      queue.addOutcome(actor, actor, kind, eventual, value);
      wake();
    },
  });
  const turns: Turns = new Turns({
    realm,
    turnObservers,
    answers,
    settler,
    pressure,
    actorFactory,
    termination,
    census,
    report,
  });
  delivery.turns = turns;
  const turnLoop: TurnLoop = new TurnLoop({
    realm,
    host,
    limits,
    queue,
    turnObservers,
    turns,
    termination,
    ingests,
    workerLinks,
    pump,
    runSpareWork: (isIdle) => phases.snapshots?.runSpareWork(isIdle) === true,
  });
  return {
    main,
    actorApi,
    appRequests,
    census,
    actorFactory,
    termination,
    turnObservers,
    classes,
    queue,
    outgoing,
    answers,
    forwarder,
    pressure,
    trails,
    deadlines,
    workerLinks,
    ingests,
    phases,
    turns,
    turnLoop,
  };
}

/** Returns the milliseconds since 1970; in a replay, as recorded. */
function currentDate(realm: Realm): number {
  const { tape } = realm.parts.host;
  if (tape?.isReplay === true) return tape.outcome(TRACE_SOURCES.date) as number;
  const now = hostClock.epochMs();
  tape?.recordOutcome(TRACE_SOURCES.date, now);
  return now;
}
