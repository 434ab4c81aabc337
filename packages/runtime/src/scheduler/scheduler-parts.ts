// What a scheduler is put together of. Each part knows its own; this file says what each may use of the others. Some use each other in circles, so parts that
// are made later are reached by closures.

import { hostClock, ROOT_CONTEXT, type Realm } from '@turntable/core';
import type { PlacedTimer } from '@turntable/heap';
import { SOURCES } from '@turntable/recording/sources';
import { Actor } from '../actors/actor.ts';
import { Births } from '../actors/births.ts';
import { Census } from '../actors/census.ts';
import { Endings } from '../actors/endings.ts';
import { Program } from '../actors/program.ts';
import { AnswerSender } from '../messaging/answer/answer-sender.ts';
import { AnswerSettler } from '../messaging/answer/answer-settler.ts';
import { Deadlines } from '../messaging/answer/deadline.ts';
import { EventualForwarder } from '../messaging/answer/eventual-forwarder.ts';
import { Trails } from '../messaging/answer/trail.ts';
import { REJECT, WIRE } from '../messaging/message-kinds.ts';
import { MessageQueue, type Pump } from '../messaging/message-queue.ts';
import { Neighbours } from '../messaging/neighbours.ts';
import { Pressure } from '../messaging/pressure.ts';
import { MessageCopier } from '../messaging/send/message-copier.ts';
import { Outgoing } from '../messaging/send/outgoing.ts';
import { FarRefClasses } from '../references/far-ref.ts';
import { Company } from './company.ts';
import type { Pace, SchedulerHost } from '../host.ts';
import { Ingests, type IngestPorts } from '../trace/ingests.ts';
import { Phases } from './phases.ts';
import { Questions } from './questions.ts';
import { Rounds } from './rounds.ts';
import { TurnDelivery, Turns } from './turns.ts';

export interface SchedulerHooks {
  /** What to do in a replay about an event that no part has expected. */
  readonly unexpected: IngestPorts['unexpected'];
  /** Starts restored timers again and rejects what waited for promises of Node's. */
  rejoin(timers: readonly PlacedTimer[], waiting: readonly object[]): void;
}

export type SchedulerParts = Readonly<ReturnType<typeof schedulerParts>>;

export function schedulerParts(realm: Realm, host: SchedulerHost, index: number, pace: Pace, hooks: SchedulerHooks) {
  const main = new Actor(index, index, index === 0 ? 'the main program' : `worker ${index}`, ROOT_CONTEXT);
  const census = new Census();
  const report = (actor: Actor, reason: unknown): void => host.report(actor.name, reason);
  const wake = (): void => rounds.wake();
  const comes = (actor: Actor): void => {
    company.hasActors();
    census.born(actor);
  };
  const date = (): number => dateOf(realm);
  const company: Company = new Company(realm, host, main, () => turns.count);
  const delivery = new TurnDelivery();
  const queue: MessageQueue<Actor> = new MessageQueue(delivery);
  const births: Births = new Births({ comes, failed: (actor, failure) => endings.end(actor, failure), report });
  const endings: Endings = new Endings({
    touch: (actor) => company.onlooker?.touch?.(actor),
    answer: (actor, to, settles, failure) => answers.answer(actor, to, settles, 'whenBroken', failure),
    unsupervised: (actor, ref, supervisor) => neighbours.unsupervised(actor, ref, supervisor),
  });
  const trails: Trails = new Trails({
    tell: (worker, life, kind, before, number, question, what) =>
      neighbours.report(worker, life, kind, before, number, question, what),
    over: (deadline) => deadlines.over(deadline),
  });
  const pressure: Pressure = new Pressure(queue, main, (worker, actor, isOn) =>
    neighbours.send(worker, WIRE.pressure, 0, actor.id, 0, isOn ? 1 : 0),
  );
  const pump: Pump = { isAwake: false };
  const currentActor = (): Actor => program.currentActor();
  const settler: AnswerSettler = new AnswerSettler({
    realm,
    types: host.types,
    trails,
    awaitedBy: (eventual) => host.awaitedBy(eventual),
  });
  const forwarder: EventualForwarder = new EventualForwarder(realm);
  const copier: MessageCopier = new MessageCopier({
    realm,
    types: host.types,
    forwarder,
    currentActor,
    referenceTo: (value) => program.referenceTo(value),
  });
  const sending = {
    realm,
    here: index,
    queue,
    pump,
    copier,
    forwarder,
    linkTo: (actor: Actor) => neighbours.to(actor),
    wake,
    report,
  };
  const outgoing: Outgoing = new Outgoing({ ...sending, main, pressure, trails, settler });
  const answers: AnswerSender = new AnswerSender({
    ...sending,
    currentActor,
    sendLater: (message, target, isRejected) => outgoing.sendLater(message, target, isRejected),
  });
  realm.parts.rejections.divert((home, reason) => {
    if (!(home instanceof Actor)) return false;
    report(home, reason);
    return true;
  });
  const { tape } = realm.parts.host;
  const ingests: Ingests = new Ingests(
    {
      position: () => ({ round: rounds.count, turns: turns.count }),
      wake,
      messages: (worker, count) => neighbours.taking.takeAgain(worker, count),
      areThere: (worker, count) => neighbours.taking.areThere(worker, count),
      haveCome: (worker, count) => neighbours.taking.haveCome(worker, count),
      unexpected: (event) => hooks.unexpected(event),
    },
    tape,
  );
  const deadlines: Deadlines = new Deadlines({
    ingests,
    date,
    after: (milliseconds, callback) => host.after(milliseconds, callback),
    reject: (actor, settles, reason) => queue.addOutcome(actor, actor, REJECT, settles, reason),
  });
  const classes: FarRefClasses = new FarRefClasses(outgoing, (prototype) => host.classes.keyOf(prototype));
  const neighbours: Neighbours = new Neighbours({
    here: index,
    main,
    realm,
    host,
    pace,
    queue,
    classes,
    outgoing,
    answers,
    forwarder,
    ingests,
    phase: () => phases.current,
    enter: (phase) => phases.enter(phase),
    onlooker: () => company.onlooker,
    snapshots: () => phases.snapshots,
    spawned: () => program.spawned,
    referenceTo: (value) => program.referenceTo(value),
    pressure,
    trails,
    watch: (actor, watcher) => endings.watch(actor, watcher),
    comes,
    rejoin: (timers, waiting) => hooks.rejoin(timers, waiting),
    wake,
  });
  const phases: Phases = new Phases({ ingests, neighbours, onlooker: () => company.onlooker, date });
  const program: Program = new Program({
    here: index,
    main,
    realm,
    host,
    queue,
    classes,
    outgoing,
    neighbours,
    company,
    endings,
    trails,
    deadlines,
    phase: () => phases.current,
    snapshots: () => phases.snapshots,
    wake,
  });
  const questions: Questions = new Questions({
    ingests,
    createEventual: () => realm.parts.eventuals.create(),
    currentActor,
    settle: ({ actor, eventual }, kind, value) => {
      queue.addOutcome(actor, actor, kind, eventual, value);
      wake();
    },
  });
  const turns: Turns = new Turns({ realm, company, answers, settler, pressure, births, endings, census, report });
  delivery.turns = turns;
  const rounds: Rounds = new Rounds({
    realm,
    host,
    pace,
    queue,
    company,
    turns,
    ingests,
    neighbours,
    pump,
    spare: (isIdle) => phases.snapshots?.spare(isIdle) === true,
  });
  return {
    main,
    program,
    questions,
    census,
    births,
    endings,
    company,
    classes,
    queue,
    outgoing,
    answers,
    forwarder,
    pressure,
    trails,
    deadlines,
    neighbours,
    ingests,
    phases,
    turns,
    rounds,
  };
}

/** Milliseconds since 1970; in a replay, as recorded. */
function dateOf(realm: Realm): number {
  const { tape } = realm.parts.host;
  if (tape?.isReplay === true) return tape.outcome(SOURCES.date) as number;
  const now = hostClock.date();
  tape?.outcome(SOURCES.date, now);
  return now;
}
