// A worker, put together of what does its work. What its program can ask of it, turns and rounds of them, what is sent and what comes,
// references, who is born and who has ended, each know their own; all that they keep in mind can be read and written.

import { hostClock, ROOT_CONTEXT, type Doors, type Eventual, type Realm } from '@turntable/core';
import { Actor, LIFE } from '../actors/actor.ts';
import { aloneWith } from './alone.ts';
import { AwaitedAnswers } from '../messaging/answer/awaited-answers.ts';
import { BarePhases } from '../snapshot/bare-phases.ts';
import { Births } from '../actors/births.ts';
import { Census } from '../actors/census.ts';
import { Company } from './company.ts';
import { Deadlines, type SignalListener } from '../messaging/answer/deadline.ts';
import { guardRuntime, type MailWatch } from '../doors.ts';
import { Endings, watchersOf } from '../actors/endings.ts';
import { FarRefClasses } from '../references/far-ref.ts';
import type { Pace, SchedulerHost } from './host.ts';
import { Ingests } from './ingests.ts';
import { REJECT } from '../messaging/message-kinds.ts';
import type { Link } from '../messaging/link.ts';
import { MessageQueue, type Pump } from '../messaging/message-queue.ts';
import type { QueueEntry } from '../messaging/queue-state.ts';
import { Neighbours } from '../messaging/neighbours.ts';
import type { Onlooker } from './onlooker.ts';
import type { Answer } from '../trace/answers.ts';
import { AnswerSender } from '../messaging/answer/answer-sender.ts';
import { AnswerSettler } from '../messaging/answer/answer-settler.ts';
import { EventualForwarder } from '../messaging/answer/eventual-forwarder.ts';
import { MessageCopier } from '../messaging/send/message-copier.ts';
import { Outgoing } from '../messaging/send/outgoing.ts';
import type { Places } from '../actors/placement.ts';
import { Pressure } from '../messaging/pressure.ts';
import { Program } from '../actors/program.ts';
import { Questions } from './questions.ts';
import { RecordingTape } from '../trace/recording-tape.ts';
import { Rounds } from './rounds.ts';
import type { Adapter, PlacedTimer } from '@turntable/heap';
import type { HappenedEvent } from '@turntable/recording';
import { SOURCES } from '@turntable/recording/sources';
import { Debts } from '../snapshot/debts.ts';
import { runtimeObjects } from '../snapshot/objects.ts';
import type { Restored } from '../snapshot/restored.ts';
import type { Revived } from '../snapshot/revived.ts';
import { Snapshots, type SnapshotPorts } from '../snapshot/snapshots.ts';
import { pressedIn, type Tables } from '../snapshot/tables.ts';
import type { UnderWay } from '../snapshot/worker-snapshot.ts';
import { RESTORE } from '../actors/supervise.ts';
import { Trails } from '../messaging/answer/trail.ts';
import type { Follower } from '../trace/following-tape.ts';
import { Origins, type Origin } from '../trace/origins.ts';
import type { SchedulerState } from './scheduler-state.ts';
import { TurnDelivery, Turns } from './turns.ts';

/** These timers wait again, and what waited for native promises is told that they will not come. */
type Rejoin = (timers: readonly PlacedTimer[], waiting: readonly object[]) => void;

const USUAL: Pace = { round: 64, batch: 512 };

export class Scheduler {
  readonly index: number;
  /** The program of this thread outside of all actors that were spawned. */
  readonly main: Actor;
  /** What that can ask. */
  readonly program: Program;
  /** What actors here have asked Turntable. */
  readonly questions: Questions;
  readonly #realm: Realm;
  readonly #host: SchedulerHost;
  readonly #queue: MessageQueue<Actor>;
  readonly #classes: FarRefClasses;
  readonly #outgoing: Outgoing;
  readonly #answers: AnswerSender;
  readonly #forwarder: EventualForwarder;
  /** What this worker takes from outside, and when. */
  readonly ingests: Ingests;
  readonly #neighbours: Neighbours;
  readonly #pressure: Pressure;
  /** The actors that live here. */
  readonly census = new Census();
  /** Where those are that are spawned from here, if any can be elsewhere. */
  places: Places | undefined;
  readonly #company: Company;
  #phase = 0;
  #snapshots: Snapshots | undefined;
  /** Those that begin without a snapshot; shared with all workers. */
  bare = new BarePhases();
  /** In a run again, if only some of its states are wanted, or none: at which cuts. */
  #isWanted: ((phase: number) => boolean) | undefined;
  /** In a run again: is told when this worker has been told to end. */
  onEnded: (() => void) | undefined;
  /** In a life that knows what an earlier one was. */
  #rejoin: Rejoin | undefined;
  readonly #turns: Turns;
  readonly #rounds: Rounds;
  readonly #births: Births;
  readonly #endings: Endings;
  readonly #trails: Trails;
  /** Messages whose answer is wanted in time. */
  readonly #deadlines: Deadlines;

  constructor(
    realm: Realm,
    host: Pick<SchedulerHost, 'types' | 'soon' | 'later' | 'now'> & Partial<SchedulerHost>,
    index = 0,
    pace = USUAL,
  ) {
    this.index = index;
    this.#realm = realm;
    const whole = 'rest' in host ? (host as SchedulerHost) : { ...aloneWith(realm), ...host };
    this.#host = whole;
    this.main = new Actor(index, index, index === 0 ? 'the main program' : `worker ${index}`, ROOT_CONTEXT);
    this.#company = new Company(realm, whole, this.main, () => this.#turns.count);
    const delivery = new TurnDelivery();
    this.#queue = new MessageQueue(delivery);
    this.#births = new Births({
      comes: (actor) => this.#comes(actor),
      failed: (actor, failure) => this.#endings.end(actor, failure),
      report: (actor, reason) => this.#report(actor, reason),
    });
    this.#endings = new Endings({
      touch: (actor) => this.#company.onlooker?.touch?.(actor),
      answer: (actor, to, settles, failure) => this.#answers.answer(actor, to, settles, 'whenBroken', failure),
      unsupervised: (actor, ref, supervisor) => this.#neighbours.unsupervised(actor, ref, supervisor),
    });
    this.#trails = new Trails({
      tell: (worker, life, kind, before, number, question, what) =>
        this.#neighbours.report(worker, life, kind, before, number, question, what),
      over: (deadline) => this.#deadlines.over(deadline),
    });
    this.#pressure = new Pressure(this.#queue, this.main, (worker, actor, isOn) =>
      this.#neighbours.press(worker, actor, isOn),
    );
    const pump: Pump = { isAwake: false };
    const currentActor = (): Actor => this.program.currentActor();
    const settler = new AnswerSettler({
      realm,
      types: host.types,
      trails: this.#trails,
      awaitedBy: (eventual) => whole.awaitedBy(eventual),
    });
    this.#forwarder = new EventualForwarder(realm);
    const copier = new MessageCopier({
      realm,
      types: host.types,
      forwarder: this.#forwarder,
      currentActor,
      referenceTo: (value) => this.program.referenceTo(value),
    });
    const sending = {
      realm,
      here: index,
      queue: this.#queue,
      pump,
      copier,
      forwarder: this.#forwarder,
      linkTo: (actor: Actor) => this.#neighbours.to(actor),
      wake: () => this.#wake(),
      touch: (link: Link) => this.#neighbours.touch(link),
      report: (actor: Actor, reason: unknown) => this.#report(actor, reason),
    };
    this.#outgoing = new Outgoing({
      ...sending,
      main: this.main,
      pressure: this.#pressure,
      trails: this.#trails,
      settler,
    });
    this.#answers = new AnswerSender({
      ...sending,
      currentActor,
      sendLater: (message, target, isRejected) => this.#outgoing.sendLater(message, target, isRejected),
    });
    realm.parts.rejections.divert((home, reason) => {
      if (!(home instanceof Actor)) return false;
      this.#report(home, reason);
      return true;
    });
    const { tape } = realm.parts.host;
    this.ingests = new Ingests(
      {
        position: () => ({ round: this.#rounds.count, turns: this.#turns.count }),
        wake: () => this.#wake(),
        messages: (worker, count) => this.#neighbours.taking.takeAgain(worker, count),
        areThere: (worker, count) => this.#neighbours.taking.areThere(worker, count),
        haveCome: (worker, count) => this.#neighbours.taking.haveCome(worker, count),
        unexpected: (event) => this.#unexpected(event),
      },
      tape,
    );
    this.#deadlines = new Deadlines({
      ingests: this.ingests,
      date: () => this.#date(),
      after: (milliseconds, callback) => whole.after(milliseconds, callback),
      reject: (actor, settles, reason) => this.#queue.addOutcome(actor, actor, REJECT, settles, reason),
    });
    this.#classes = new FarRefClasses(this.#outgoing, (prototype) => whole.classes.keyOf(prototype));
    this.#neighbours = new Neighbours({
      here: index,
      main: this.main,
      realm,
      host: whole,
      pace,
      queue: this.#queue,
      classes: this.#classes,
      outgoing: this.#outgoing,
      answers: this.#answers,
      forwarder: this.#forwarder,
      ingests: this.ingests,
      phase: () => this.#phase,
      enter: (phase) => this.#enterPhase(phase),
      onlooker: () => this.#company.onlooker,
      snapshots: () => this.#snapshots,
      spawned: () => this.program.spawned,
      referenceTo: (value) => this.program.referenceTo(value),
      pressure: this.#pressure,
      trails: this.#trails,
      watch: (actor, watcher) => this.#endings.watch(actor, watcher),
      comes: (actor) => this.#comes(actor),
      rejoin: (timers, waiting) => this.#rejoin?.(timers, waiting),
      wake: () => this.#wake(),
    });
    this.program = new Program({
      here: index,
      main: this.main,
      realm,
      host: whole,
      queue: this.#queue,
      classes: this.#classes,
      outgoing: this.#outgoing,
      neighbours: this.#neighbours,
      company: this.#company,
      endings: this.#endings,
      trails: this.#trails,
      deadlines: this.#deadlines,
      phase: () => this.#phase,
      snapshots: () => this.#snapshots,
      wake: () => this.#wake(),
    });
    this.questions = new Questions({
      ingests: this.ingests,
      createEventual: () => realm.parts.eventuals.create(),
      currentActor: () => this.program.currentActor(),
      settle: ({ actor, eventual }, kind, value) => {
        this.#queue.addOutcome(actor, actor, kind, eventual, value);
        this.#wake();
      },
    });
    this.#turns = new Turns({
      realm,
      company: this.#company,
      answers: this.#answers,
      settler,
      pressure: this.#pressure,
      births: this.#births,
      endings: this.#endings,
      census: this.census,
      report: (actor, reason) => this.#report(actor, reason),
    });
    delivery.turns = this.#turns;
    this.#rounds = new Rounds({
      realm,
      host: whole,
      pace,
      queue: this.#queue,
      company: this.#company,
      turns: this.#turns,
      ingests: this.ingests,
      neighbours: this.#neighbours,
      pump,
      spare: (isIdle) => this.#snapshots?.spare(isIdle) === true,
    });
    if (tape instanceof RecordingTape) tape.join(this.#rounds);
    this.ingests.following?.join(this.#follower());
  }

  /** This worker as its tape knows it, if it runs again. */
  #follower(): Follower {
    const turns = this.#turns;
    const neighbours = this.#neighbours;
    const queue = this.#queue;
    return {
      rounds: this.#rounds,
      get turns() {
        return turns.count;
      },
      get hasTurns() {
        return !queue.isEmpty();
      },
      get messages() {
        return neighbours.taking.taken;
      },
      whose: () => this.program.currentActor().name,
      wake: () => this.#wake(),
      hold: () => {
        this.hold();
        neighbours.handOver();
      },
    };
  }

  /** Milliseconds that turns have taken. */
  get busy(): number {
    return this.#company.busy;
  }
  get neighbours(): Neighbours {
    return this.#neighbours;
  }
  get turns(): number {
    return this.#turns.count;
  }
  /** This worker has the place of one that has ended, and goes on counting where that cannot have come. */
  succeed(life: number, why: string): void {
    this.program.spawned = life * LIFE;
    this.neighbours.succeed(life, why);
  }
  /** Messages that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  #report(actor: Actor, reason: unknown): void {
    this.#host.report(actor.name, reason);
  }

  // ── For who looks on ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** What waits for an actor, the next message first. */
  mailboxOf(actor: Actor): QueueEntry<Actor>[] {
    const { all, apart } = this.#queue.read();
    const own = apart.find(({ recipient }) => recipient === actor);
    const inQueue = all.filter(({ recipient }) => recipient === actor);
    return [...(own?.aside ?? []), ...inQueue, ...(own?.mailbox ?? [])];
  }

  /** By which the runtime's own objects are written, in the program's, where all of them are there: for one capture. */
  ownObjects(): Adapter[] {
    return [runtimeObjects({ debts: new Debts(this.index, () => true) })];
  }

  /** The same of all for whom something waits. */
  mailboxes(): Map<Actor, QueueEntry<Actor>[]> {
    const { all, apart } = this.#queue.read();
    const found = Map.groupBy(all, ({ recipient }) => recipient);
    for (const { recipient, aside = [], mailbox = [] } of apart)
      found.set(recipient, [...aside, ...(found.get(recipient) ?? []), ...mailbox]);
    return found;
  }

  /** One at a time. */
  watch(onlooker: Onlooker | undefined): void {
    this.#company.watch(onlooker, 'other');
  }

  /** In a run again: of each answer it is told whose and what, before it goes. */
  watchAnswers(...answered: Parameters<AnswerSender['watchAnswers']>): void {
    this.#answers.watchAnswers(...answered);
  }

  /** In a run again: from now on it is known of eventuals whose answers they are. */
  noteAnswers(): AwaitedAnswers {
    return new AwaitedAnswers(this.#outgoing);
  }

  /** Of those that wait already. */
  noteWaiting(answers: AwaitedAnswers): void {
    const { all, apart } = this.#queue.read();
    const beside = apart.flatMap(({ mailbox = [], aside = [] }) => [...mailbox, ...aside]);
    answers.noteTables([...all, ...beside], this.#neighbours.links);
  }

  /** In a run again, before anything is queued: of each turn it is known from now on where its message comes from. @param here the stretch that runs */
  traceOrigins(here: () => Origin | undefined): Origins {
    return (this.#neighbours.origins = new Origins(this.#queue, () => this.#neighbours.links, here));
  }

  /** In a run again of which stretches are undone and run once more: from now on the program is called, and asks, by these. */
  guard(doors: Doors, mail: MailWatch): void {
    guardRuntime(doors, {
      mail,
      queue: this.#queue,
      realm: this.#realm,
      types: this.#host.types,
      turns: this.#turns,
      births: this.#births,
      outgoing: this.#outgoing,
      answers: this.#answers,
      forwarder: this.#forwarder,
      program: this.program,
      questions: this.questions,
      places: this.places,
      endings: this.#endings,
      others: [this.census, this.#pressure, this.#trails, this.#deadlines],
    });
  }

  /** From now on each phase begins with a snapshot of this worker. */
  keepSnapshots(ports: SnapshotPorts): void {
    this.#snapshots = new Snapshots(
      {
        here: this.index,
        main: this.main,
        tables: () => {
          const mind = this.#readMind();
          const others = [...this.#pressure.pressed, ...this.#queue.apart];
          return { ...mind, pressed: pressedIn(mind.neighbours, others) };
        },
        seal: (tell) => this.#queue.seal(tell),
        others: () => this.#neighbours.others,
        now: () => this.#host.now(),
        turns: () => this.#turns.count,
        watch: (onlooker) => this.#company.watch(onlooker, 'snapshot'),
        wake: () => this.#wake(),
        isFollowing: this.ingests.isFollowing,
        after: (milliseconds, callback) => void this.#host.after(milliseconds, callback),
      },
      ports,
    );
  }

  /** In a run again: its phases begin, and nothing is written of it then, but what is wanted. @param isWanted asked once for each phase; what it answers is the same on all workers */
  passCuts(isWanted: (phase: number) => boolean = () => false): void {
    this.#isWanted = isWanted;
  }

  /** What it is now, between two turns, if it keeps snapshots; it does nothing any more. */
  lastState(): Uint8Array | undefined {
    return this.#snapshots?.last(this.#phase + 1, 0);
  }

  // ── In the place of another life ─────────────────────────────────────────────────────────────────────────────────────

  /** Nothing runs here until it is let go. */
  hold(): void {
    this.#rounds.hold();
  }

  /** Nothing of it runs: it is still to be what it was in a snapshot, or has come to its end. */
  get isHeld(): boolean {
    return this.#rounds.isHeld;
  }

  letGo(): void {
    this.#rounds.letGo();
  }

  /** It has not been there in the phases before. */
  bornIn(phase: number): void {
    this.#phase = phase;
    if (phase > 0) this.#neighbours.mark(phase);
  }

  /** `tell` hears how many actors here everybody goes back with if they are lost, from now on. */
  watchRollbacks(tell: (count: number) => void): void {
    this.#endings.onRollbacks = tell;
  }

  get classes(): FarRefClasses {
    return this.#classes;
  }

  /** It is held. What was under way comes again, before anything else; in a run again, when it came. */
  restore(
    { pressed, ...state }: Tables & Pick<SchedulerState, 'queue'>,
    restored: Restored,
    underWay: readonly UnderWay[],
  ): void {
    // First: an actor whose class is there by now is taken up at once.
    for (const { actor, ...pressure } of pressed) {
      Object.assign(actor, pressure);
      this.#pressure.pressAgain(actor);
    }
    this.write(state);
    this.#company.hasActors();
    this.census.again(restored.actors);
    this.#endings.again(restored.actors);
    if (restored.actors.some(isToBeRestored)) this.#neighbours.onToBeRestored?.();
    for (const [object, ref] of restored.lent) this.program.lendAgain(object, ref);
    if (this.ingests.isFollowing) return this.#neighbours.follow(underWay, restored.unknown());
    this.#neighbours.expectAgain(restored.unknown());
    for (const message of underWay) this.#neighbours.taking.takeUnderWay(message);
  }

  /**
   * It is held. What an earlier life was in a snapshot is known again, as far as it means anything beside the others of now; `rejoin` is given
   * what waits of each actor that is what it was.
   */
  revive(revived: Revived, rejoin: Rejoin): void {
    this.#rejoin = rejoin;
    this.#company.hasActors();
    this.#neighbours.revive(revived.foreign, revived.actors(), revived.supervised, revived.waitingOfMain);
  }

  /** An eventual for whoever waits no longer. */
  settled(): Eventual {
    const { eventuals } = this.#realm.parts;
    const settled = eventuals.create();
    eventuals.resolve(settled, undefined);
    return settled;
  }

  /** An actor is here. */
  #comes(actor: Actor): void {
    this.#company.hasActors();
    this.census.born(actor);
  }

  get snapshots(): Snapshots | undefined {
    return this.#snapshots;
  }

  /** Between two turns. */
  read(): SchedulerState {
    return { ...this.#readMind(), queue: this.#queue.read() };
  }

  /** All but what waits for the actors. */
  #readMind(): Omit<SchedulerState, 'queue'> {
    return {
      phase: this.#phase,
      spawned: this.program.spawned,
      turns: this.#turns.count,
      rounds: this.#rounds.count,
      steps: this.#realm.jobs.steps,
      round: this.#rounds.length,
      neighbours: this.#neighbours.read(),
      deadlines: this.#deadlines.read(),
      tracked: this.#trails.read(),
      ...this.questions.read(),
      census: this.census.read(),
      places: this.places?.read(),
    };
  }

  /** In the place of all that it has in mind; what its actors are is theirs. */
  write(state: SchedulerState): void {
    this.ingests.forget();
    this.#phase = state.phase;
    this.program.spawned = state.spawned;
    this.#turns.count = state.turns;
    this.#rounds.count = state.rounds;
    this.#realm.jobs.steps = state.steps;
    this.#rounds.length = state.round;
    this.#queue.write(state.queue);
    this.#trails.write(state.tracked);
    this.questions.write(state.asked, state.questions);
    this.#deadlines.write(state.deadlines);
    this.census.write(state.census);
    if (state.places !== undefined) this.places?.write(state.places);
    this.#neighbours.write(state.neighbours);
    if (!this.#queue.isEmpty() || !this.ingests.isEmpty) this.#wake();
  }

  /** Stands among the listeners of a signal that is read from a state, for one that waits by that number and is written afterwards. */
  signalListener(number: number): SignalListener {
    return this.#deadlines.listener(number);
  }

  /** The stretch between two snapshots that this worker is in. */
  get phase(): number {
    return this.#phase;
  }

  /** A phase is to begin: on this worker between two turns, on others when they are told or meet a message of it. */
  begin(phase: number): void {
    this.ingests.happened('phase', String(phase), () => {
      if (phase <= this.#phase) return false;
      // First: what comes then is of that phase.
      this.ingests.note('phase', String(phase));
      this.#enterPhase(phase);
      return false;
    });
  }

  #enterPhase(phase: number): boolean {
    if (phase <= this.#phase) return false;
    this.#neighbours.taking.noteTaken();
    const date = this.#date();
    // What was noted so far, the date among it, is before the cut.
    const isBare = this.ingests.cut(phase, this.bare.has(phase));
    this.#phase = phase;
    if (this.#isWanted?.(phase) ?? !isBare) this.#snapshots?.cut(phase, date);
    else this.#snapshots?.pass();
    this.#company.onlooker?.cut?.(phase, isBare);
    this.#neighbours.mark(phase);
    return true;
  }

  /** Something may have come while nobody could say so. */
  look(): void {
    if (this.ingests.isFollowing ? this.ingests.haveCome() : !this.#neighbours.taking.isEmpty()) this.#wake();
  }

  /** It ends in order, now: nothing of it comes behind this. */
  ends(): void {
    this.ingests.note('end', '');
    this.ingests.commit();
  }

  /** Whether nothing is left to do between actors here. */
  get isIdle(): boolean {
    return this.#queue.size === 0 && !this.#rounds.isDue && this.ingests.isEmpty && this.#neighbours.isQuiet;
  }

  /** In a run again: whether nothing is left to do here but to wait for others. */
  get isStanding(): boolean {
    return !this.#rounds.isDue && !this.ingests.haveCome() && !this.#realm.jobs.isLeft();
  }

  #wake(): void {
    this.#rounds.wake();
  }

  /** Milliseconds since 1970; in a run again, as they were. */
  #date(): number {
    const { tape } = this.#realm.parts.host;
    if (tape?.isReplay === true) return tape.outcome(SOURCES.date) as number;
    const now = hostClock.date();
    tape?.outcome(SOURCES.date, now);
    return now;
  }

  /** What happens in a run again because it has happened before. */
  #unexpected(event: HappenedEvent): (() => void) | undefined {
    const { kind, key } = event;
    const [number = 0, second = 0] = key.split(' ').map(Number);
    if (kind === 'lost') return this.#neighbours.loseAgain(event);
    if (kind === 'pace') return () => void this.#rounds.setLength(number);
    if (kind === 'phase') return () => void this.#enterPhase(number);
    if (kind === 'dropped') return () => this.#neighbours.references.dropAgain(number, second);
    if (kind === 'answered') return () => this.questions.answerAgain(number, event.value as Answer);
    // Listeners of the end may still be called.
    if (kind === 'end')
      return () => {
        this.hold();
        this.onEnded?.();
      };
    return undefined;
  }

  /** An object of a class is being made: if it is the root that this turn makes, it is known before its constructor passes it on. */
  meetRoot(object: object, type: unknown): void {
    this.#births.meet(object, type);
  }
}

function isToBeRestored(actor: Actor): boolean {
  return watchersOf(actor).some((watcher) => watcher.what === 'supervised' && watcher.way === RESTORE);
}
