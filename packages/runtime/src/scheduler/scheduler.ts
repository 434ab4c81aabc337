// The scheduler of a worker: what the thread, snapshots and observers use of it. Its parts and what they use of each other are in scheduler-parts.ts; all that
// they keep in mind can be read and written.

import type { CallInterceptor, Eventual, Realm } from '@turntable/core';
import type { Adapter, PlacedTimer } from '@turntable/heap';
import type { HappenedEvent } from '@turntable/recording';
import { LIFE, type Actor } from '../actors/actor.ts';
import type { Census } from '../actors/census.ts';
import { watchersOf } from '../actors/endings.ts';
import type { Places } from '../actors/placement.ts';
import type { Program } from '../actors/program.ts';
import { RESTORE } from '../actors/supervise.ts';
import { interceptRuntime, type MailWatch } from '../interception.ts';
import type { AnswerSender } from '../messaging/answer/answer-sender.ts';
import { AwaitedAnswers } from '../messaging/answer/awaited-answers.ts';
import type { SignalListener } from '../messaging/answer/deadline.ts';
import type { Neighbours } from '../messaging/neighbours.ts';
import type { QueueEntry } from '../messaging/queue-state.ts';
import type { FarRefClasses } from '../references/far-ref.ts';
import type { BarePhases } from '../snapshot/bare-phases.ts';
import { Debts } from '../snapshot/debts.ts';
import { runtimeObjects } from '../snapshot/objects.ts';
import type { Restored } from '../snapshot/restored.ts';
import type { Revived } from '../snapshot/revived.ts';
import { Snapshots, type SnapshotPorts } from '../snapshot/snapshots.ts';
import { pressedIn, type Tables } from '../snapshot/tables.ts';
import type { UnderWay } from '../snapshot/worker-snapshot.ts';
import type { Answer } from '../trace/answers.ts';
import type { Follower } from '../trace/following-tape.ts';
import { Origins, type Origin } from '../trace/origins.ts';
import { RecordingTape } from '../trace/recording-tape.ts';
import { aloneWith } from './alone.ts';
import type { Pace, SchedulerHost } from '../host.ts';
import type { Ingests } from '../trace/ingests.ts';
import type { Onlooker } from '../onlooker.ts';
import type { Questions } from './questions.ts';
import { schedulerParts, type SchedulerParts } from './scheduler-parts.ts';
import type { SchedulerState } from './scheduler-state.ts';

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
  /** What this worker takes from outside, and when. */
  readonly ingests: Ingests;
  /** The actors that live here. */
  readonly census: Census;
  /** Where those are that are spawned from here, if any can be elsewhere. */
  places: Places | undefined;
  /** In a run again: is told when this worker has been told to end. */
  onEnded: (() => void) | undefined;
  /** In a life that knows what an earlier one was. */
  #rejoin: Rejoin | undefined;
  readonly #parts: SchedulerParts;
  readonly #realm: Realm;
  readonly #host: SchedulerHost;

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
    this.#parts = schedulerParts(realm, whole, index, pace, {
      unexpected: (event) => this.#unexpected(event),
      rejoin: (timers, waiting) => this.#rejoin?.(timers, waiting),
    });
    const { main, program, questions, ingests, census } = this.#parts;
    this.main = main;
    this.program = program;
    this.questions = questions;
    this.ingests = ingests;
    this.census = census;
    const { tape } = realm.parts.host;
    if (tape instanceof RecordingTape) tape.join(this.#parts.rounds);
    this.ingests.following?.join(this.#follower());
  }

  /** This worker as its tape knows it, if it runs again. */
  #follower(): Follower {
    const { rounds, turns, neighbours, queue } = this.#parts;
    return {
      rounds,
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
    return this.#parts.company.busy;
  }
  get neighbours(): Neighbours {
    return this.#parts.neighbours;
  }
  get turns(): number {
    return this.#parts.turns.count;
  }
  /** This worker has the place of one that has ended, and goes on counting where that cannot have come. */
  succeed(life: number, why: string): void {
    this.program.spawned = life * LIFE;
    this.neighbours.succeed(life, why);
  }
  /** Messages that wait. */
  get waiting(): number {
    return this.#parts.queue.size;
  }

  /** What waits for an actor, the next message first. */
  mailboxOf(actor: Actor): QueueEntry<Actor>[] {
    const { all, apart } = this.#parts.queue.read();
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
    const { all, apart } = this.#parts.queue.read();
    const found = Map.groupBy(all, ({ recipient }) => recipient);
    for (const { recipient, aside = [], mailbox = [] } of apart)
      found.set(recipient, [...aside, ...(found.get(recipient) ?? []), ...mailbox]);
    return found;
  }

  /** One at a time. */
  watch(onlooker: Onlooker | undefined): void {
    this.#parts.company.watch(onlooker, 'other');
  }

  /** In a run again: of each answer it is told whose and what, before it goes. */
  watchAnswers(...answered: Parameters<AnswerSender['watchAnswers']>): void {
    this.#parts.answers.watchAnswers(...answered);
  }

  /** In a run again: from now on it is known of eventuals whose answers they are. */
  noteAnswers(): AwaitedAnswers {
    return new AwaitedAnswers(this.#parts.outgoing);
  }

  /** Of those that wait already. */
  noteWaiting(answers: AwaitedAnswers): void {
    const { all, apart } = this.#parts.queue.read();
    const beside = apart.flatMap(({ mailbox = [], aside = [] }) => [...mailbox, ...aside]);
    answers.noteTables([...all, ...beside], this.#parts.neighbours.links);
  }

  /** In a run again, before anything is queued: of each turn it is known from now on where its message comes from. @param here the stretch that runs */
  traceOrigins(here: () => Origin | undefined): Origins {
    return (this.#parts.neighbours.origins = new Origins(this.#parts.queue, () => this.#parts.neighbours.links, here));
  }

  /** In a replay whose tasks are undone and re-executed in place: intercepts all calls between the program and the runtime from now on. */
  intercept(interceptor: CallInterceptor, mail: MailWatch): void {
    const [realm, { types }, places] = [this.#realm, this.#host, this.places];
    interceptRuntime(interceptor, { ...this.#parts, mail, realm, types, places });
  }

  /** From now on each phase begins with a snapshot of this worker. */
  keepSnapshots(ports: SnapshotPorts): void {
    this.#parts.phases.snapshots = new Snapshots(
      {
        here: this.index,
        main: this.main,
        tables: () => {
          const mind = this.#readMind();
          const others = [...this.#parts.pressure.pressed, ...this.#parts.queue.apart];
          return { ...mind, pressed: pressedIn(mind.neighbours, others) };
        },
        seal: (tell) => this.#parts.queue.seal(tell),
        others: () => this.#parts.neighbours.others,
        now: () => this.#host.now(),
        turns: () => this.#parts.turns.count,
        watch: (onlooker) => this.#parts.company.watch(onlooker, 'snapshot'),
        wake: () => this.#wake(),
        isFollowing: this.ingests.isFollowing,
        after: (milliseconds, callback) => void this.#host.after(milliseconds, callback),
      },
      ports,
    );
  }

  /** In a run again: its phases begin, and nothing is written of it then, but what is wanted. @param isWanted asked once for each phase; what it answers is the same on all workers */
  passCuts(isWanted: (phase: number) => boolean = () => false): void {
    this.#parts.phases.passCuts(isWanted);
  }

  /** What it is now, between two turns, if it keeps snapshots; it does nothing any more. */
  lastState(): Uint8Array | undefined {
    return this.#parts.phases.snapshots?.last(this.#parts.phases.current + 1, 0);
  }

  /** Nothing runs here until it is let go. */
  hold(): void {
    this.#parts.rounds.hold();
  }

  /** Nothing of it runs: it is still to be what it was in a snapshot, or has come to its end. */
  get isHeld(): boolean {
    return this.#parts.rounds.isHeld;
  }

  letGo(): void {
    this.#parts.rounds.letGo();
  }

  bornIn(phase: number): void {
    this.#parts.phases.bornIn(phase);
  }

  /** `tell` hears how many actors here everybody goes back with if they are lost, from now on. */
  watchRollbacks(tell: (count: number) => void): void {
    this.#parts.endings.onRollbacks = tell;
  }

  get classes(): FarRefClasses {
    return this.#parts.classes;
  }

  /** It is held. What was under way comes again, before anything else; in a run again, when it came. */
  restore(
    { pressed, ...state }: Tables & Pick<SchedulerState, 'queue'>,
    restored: Restored,
    underWay: readonly UnderWay[],
  ): void {
    // First: an actor whose class is there by now is taken up at once.
    for (const { actor, isAside, isHeld, waiting, held, heldWorkers } of pressed) {
      const pressure = { isAside, isHeld, waiting, held, heldWorkers } satisfies Partial<Record<keyof Actor, unknown>>;
      Object.assign(actor, pressure);
      this.#parts.pressure.pressAgain(actor);
    }
    this.write(state);
    this.#parts.company.hasActors();
    this.census.again(restored.actors);
    this.#parts.endings.again(restored.actors);
    if (restored.actors.some(isToBeRestored)) this.#parts.neighbours.onToBeRestored?.();
    for (const [object, ref] of restored.lent) this.program.lendAgain(object, ref);
    if (this.ingests.isFollowing) return this.#parts.neighbours.follow(underWay, restored.unknown());
    this.#parts.neighbours.expectAgain(restored.unknown());
    for (const message of underWay) this.#parts.neighbours.taking.takeUnderWay(message);
  }

  /** While held: restores the state of an earlier life that still has a meaning. `rejoin` is given the timers and eventuals of each restored actor. */
  revive(revived: Revived, rejoin: Rejoin): void {
    this.#rejoin = rejoin;
    this.#parts.company.hasActors();
    this.#parts.neighbours.revive(revived.foreign, revived.actors(), revived.supervised, revived.waitingOfMain);
  }

  /** An eventual for whoever waits no longer. */
  settled(): Eventual {
    const { eventuals } = this.#realm.parts;
    const settled = eventuals.create();
    eventuals.resolve(settled, undefined);
    return settled;
  }

  get snapshots(): Snapshots | undefined {
    return this.#parts.phases.snapshots;
  }

  /** Between two turns. */
  read(): SchedulerState {
    return { ...this.#readMind(), queue: this.#parts.queue.read() };
  }

  /** All but what waits for the actors. */
  #readMind(): Omit<SchedulerState, 'queue'> {
    return {
      phase: this.#parts.phases.current,
      spawned: this.program.spawned,
      turns: this.#parts.turns.count,
      rounds: this.#parts.rounds.count,
      steps: this.#realm.jobs.steps,
      round: this.#parts.rounds.length,
      neighbours: this.#parts.neighbours.read(),
      deadlines: this.#parts.deadlines.read(),
      tracked: this.#parts.trails.read(),
      ...this.questions.read(),
      census: this.census.read(),
      places: this.places?.read(),
    };
  }

  /** In the place of all that it has in mind; what its actors are is theirs. */
  write(state: SchedulerState): void {
    this.ingests.forget();
    this.#parts.phases.current = state.phase;
    this.program.spawned = state.spawned;
    this.#parts.turns.count = state.turns;
    this.#parts.rounds.count = state.rounds;
    this.#realm.jobs.steps = state.steps;
    this.#parts.rounds.length = state.round;
    this.#parts.queue.write(state.queue);
    this.#parts.trails.write(state.tracked);
    this.questions.write(state.asked, state.questions);
    this.#parts.deadlines.write(state.deadlines);
    this.census.write(state.census);
    if (state.places !== undefined) this.places?.write(state.places);
    this.#parts.neighbours.write(state.neighbours);
    if (!this.#parts.queue.isEmpty() || !this.ingests.isEmpty) this.#wake();
  }

  /** Stands among the listeners of a signal that is read from a state, for one that waits by that number and is written afterwards. */
  signalListener(number: number): SignalListener {
    return this.#parts.deadlines.listener(number);
  }

  /** The stretch between two snapshots that this worker is in. */
  get phase(): number {
    return this.#parts.phases.current;
  }

  /** Phases that begin without a snapshot; shared with all workers. */
  get bare(): BarePhases {
    return this.#parts.phases.bare;
  }
  set bare(bare: BarePhases) {
    this.#parts.phases.bare = bare;
  }

  begin(phase: number): void {
    this.#parts.phases.begin(phase);
  }

  /** Something may have come while nobody could say so. */
  look(): void {
    if (this.ingests.isFollowing ? this.ingests.haveCome() : !this.#parts.neighbours.taking.isEmpty()) this.#wake();
  }

  /** It ends in order, now: nothing of it comes behind this. */
  ends(): void {
    this.ingests.note('end', '');
    this.ingests.commit();
  }

  /** Whether nothing is left to do between actors here. */
  get isIdle(): boolean {
    return (
      this.#parts.queue.size === 0 &&
      !this.#parts.rounds.isDue &&
      this.ingests.isEmpty &&
      this.#parts.neighbours.isQuiet
    );
  }

  /** In a run again: whether nothing is left to do here but to wait for others. */
  get isStanding(): boolean {
    return !this.#parts.rounds.isDue && !this.ingests.haveCome() && !this.#realm.jobs.isLeft();
  }

  #wake(): void {
    this.#parts.rounds.wake();
  }

  /** What happens in a run again because it has happened before. */
  #unexpected(event: HappenedEvent): (() => void) | undefined {
    const { kind, key } = event;
    const [number = 0, second = 0] = key.split(' ').map(Number);
    if (kind === 'lost') return this.#parts.neighbours.loseAgain(event);
    if (kind === 'pace') return () => void this.#parts.rounds.setLength(number);
    if (kind === 'phase') return () => void this.#parts.phases.enter(number);
    if (kind === 'dropped') return () => this.#parts.neighbours.references.dropAgain(number, second);
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
    this.#parts.births.meet(object, type);
  }
}

function isToBeRestored(actor: Actor): boolean {
  return watchersOf(actor).some((watcher) => watcher.what === 'supervised' && watcher.way === RESTORE);
}
