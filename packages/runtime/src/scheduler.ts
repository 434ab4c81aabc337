// A worker as its program and its neighbours have it: what they can ask of it, put together of what does it. Turns and rounds of them, what is
// sent and what comes, references, who is born and who has ended, each know their own; all that they keep in mind can be read and written.

import { hostClock, ROOT_CONTEXT, type Eventual, type Realm } from '@turntable/core';
import { Actor, checkMailbox, LIFE, MOST_WORKERS, type Mailbox } from './actor.ts';
import { aloneWith } from './alone.ts';
import { Births } from './births.ts';
import { observed, publishSpawn } from './channels.ts';
import { Census, type CensusState } from './census.ts';
import { Company } from './company.ts';
import { checkDeadline, Deadlines, type DeadlinesState, type SendOptions, type SignalListener } from './deadline.ts';
import { Endings } from './endings.ts';
import { FarRef, FarRefClasses } from './far-ref.ts';
import type { Class, Pace, SchedulerHost } from './host.ts';
import { Ingests } from './ingests.ts';
import { CONSTRUCT, FULFIL, REJECT, STOP, WIRE } from './message-kinds.ts';
import { MessageQueue, NOTHING, type QueueState } from './message-queue.ts';
import { Neighbours, type NeighboursState } from './neighbours.ts';
import type { Onlooker } from './onlooker.ts';
import { answerOf, failureFor, noAnswer, readAnswer, readFailure, type Answer } from './trace/answers.ts';
import type { Settles } from './outcomes.ts';
import { Outgoing, type Pump } from './outgoing.ts';
import { OwnReferences } from './own-references.ts';
import { Pressure } from './pressure.ts';
import { keyFor } from './references.ts';
import { RecordingTape } from './trace/recording-tape.ts';
import { Rounds } from './rounds.ts';
import { RuntimeError } from './runtime-error.ts';
import type { PlacedTimer } from '@turntable/heap';
import type { HappenedEvent } from '@turntable/recording';
import { SOURCES } from '@turntable/recording/sources';
import type { Restored } from './snapshot/restored.ts';
import type { Revived } from './snapshot/revived.ts';
import { Snapshots, type SnapshotPorts } from './snapshot/snapshots.ts';
import { pressedIn, type Tables } from './snapshot/tables.ts';
import type { UnderWay } from './snapshot/worker-snapshot.ts';
import { checkSupervise, RESTORE, ROLLBACK, type Supervise } from './supervise.ts';
import { ReportedTrail, type Tracked, Trail, Trails } from './trail.ts';
import type { Follower } from './trace/following-tape.ts';
import { Turns } from './turns.ts';

export interface SpawnSettings {
  /** For messages about it. */
  readonly name?: string;
  readonly mailbox?: Mailbox;
  /** What becomes of it when its worker is lost. */
  readonly supervise?: Supervise | undefined;
}

/** All that a scheduler keeps in mind, between two turns, beside the actors themselves and what hangs on their eventuals. */
export interface SchedulerState {
  readonly phase: number;
  /** Of the actor that was spawned last. */
  readonly spawned: number;
  readonly turns: number;
  readonly rounds: number;
  /** Ticks and drains of jobs, as traces count them. */
  readonly steps: number;
  /** Turns of the next one. */
  readonly round: number;
  readonly queue: QueueState<Actor>;
  readonly neighbours: NeighboursState;
  readonly deadlines: DeadlinesState;
  readonly tracked: readonly Tracked[];
  /** What actors have asked Turntable. */
  readonly asked: readonly Asked[];
  /** So many questions so far. */
  readonly questions: number;
  readonly census: CensusState;
}

/** An actor waits for a snapshot, or for what else Turntable is asked. */
export interface Asked {
  readonly number: number;
  readonly what: 'snapshot' | 'other';
  readonly eventual: Eventual;
  readonly actor: Actor;
}

/** These timers wait again, and what waited for native promises is told that they will not come. */
type Rejoin = (timers: readonly PlacedTimer[], waiting: readonly object[]) => void;

const USUAL: Pace = { round: 64, batch: 512 };

export class Scheduler {
  readonly index: number;
  /** The program of this thread outside of all actors that were spawned. */
  readonly main: Actor;
  readonly #realm: Realm;
  readonly #host: SchedulerHost;
  readonly #queue: MessageQueue<Actor>;
  readonly #classes: FarRefClasses;
  readonly #outgoing: Outgoing;
  /** What this worker takes from outside, and when. */
  readonly ingests: Ingests;
  readonly #neighbours: Neighbours;
  readonly #pressure: Pressure;
  /** References to what belongs to actors here. */
  readonly #refs = new OwnReferences();
  /** The actors that live here. */
  readonly census = new Census();
  readonly #company: Company;
  #phase = 0;
  #snapshots: Snapshots | undefined;
  #asked = new Set<Asked>();
  #questions = 0;
  /** In a run again: is told when this worker has been told to end. */
  onEnded: (() => void) | undefined;
  /** In a life that knows what an earlier one was. */
  #rejoin: Rejoin | undefined;
  #actors = 0;
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
    this.#queue = new MessageQueue({
      told: (recipient, call, count, a, b, c) =>
        observed.hasCompany
          ? this.#turns.toldInCompany(recipient, call, count, a, b, c)
          : this.#turns.told(recipient, call, count, a, b, c),
      deliver: (recipient, target, call, settles, sender, count, a, b, c, many) =>
        observed.hasCompany
          ? this.#turns.handleInCompany(recipient, target, call, settles as Settles, sender, count, a, b, c, many)
          : this.#turns.handle(recipient, target, call, settles as Settles, sender, count, a, b, c, many),
    });
    this.#births = new Births({
      comes: (actor) => this.#comes(actor),
      failed: (actor, failure) => this.#endings.end(actor, failure),
      report: (actor, reason) => this.#report(actor, reason),
    });
    this.#endings = new Endings({
      touch: (actor) => this.#company.onlooker?.touch?.(actor),
      answer: (actor, to, settles, failure) => this.#outgoing.answer(actor, to, settles, 'whenBroken', failure),
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
    this.#outgoing = new Outgoing({
      pressure: this.#pressure,
      trails: this.#trails,
      realm,
      here: index,
      queue: this.#queue,
      types: host.types,
      main: this.main,
      pump,
      referenceTo: (value) => this.#referenceTo(value),
      linkTo: (actor) => this.#neighbours.to(actor),
      wake: () => this.#wake(),
      touch: (link) => this.#neighbours.touch(link),
      awaitedBy: (eventual) => whole.awaitedBy(eventual),
      report: (actor, reason) => this.#report(actor, reason),
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
        messages: (worker, count) => this.#neighbours.takeAgain(worker, count),
        areThere: (worker, count) => this.#neighbours.areThere(worker, count),
        haveCome: (worker, count) => this.#neighbours.haveCome(worker, count),
        unexpected: (event) => this.#unexpected(event),
      },
      tape,
    );
    this.#deadlines = new Deadlines({
      ingests: this.ingests,
      date: () => this.#date(),
      after: (milliseconds, callback) => whole.after(milliseconds, callback),
      reject: (actor, settles, reason) =>
        this.#queue.add(actor, actor, undefined, REJECT, settles, 1, reason, undefined, undefined),
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
      ingests: this.ingests,
      phase: () => this.#phase,
      enter: (phase) => this.#enterPhase(phase),
      onlooker: () => this.#company.onlooker,
      snapshots: () => this.#snapshots,
      spawned: () => this.#actors,
      referenceTo: (value) => this.#referenceTo(value),
      pressure: this.#pressure,
      trails: this.#trails,
      watch: (actor, watcher) => this.#endings.watch(actor, watcher),
      comes: (actor) => this.#comes(actor),
      rejoin: (timers, waiting) => this.#rejoin?.(timers, waiting),
      wake: () => this.#wake(),
    });
    this.#turns = new Turns({
      realm,
      company: this.#company,
      outgoing: this.#outgoing,
      pressure: this.#pressure,
      births: this.#births,
      endings: this.#endings,
      census: this.census,
      report: (actor, reason) => this.#report(actor, reason),
    });
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
    return {
      rounds: this.#rounds,
      get turns() {
        return turns.count;
      },
      get messages() {
        return neighbours.taken;
      },
      whose: () => this.#currentActor().name,
      wake: () => this.#wake(),
      hold: () => this.hold(),
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
    this.#actors = life * LIFE;
    this.neighbours.succeed(life, why);
  }
  /** Messages that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  // ── For the program ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** An actor with an instance of the class as its root. It is made in the actor's first turn. */
  spawn(type: Class, args: readonly unknown[], worker = this.index, settings: SpawnSettings = {}): FarRef {
    const { name, mailbox, supervise } = settings;
    if (typeof type !== 'function' || typeof type.prototype !== 'object') throw noClass(type);
    if (mailbox !== undefined) checkMailbox(mailbox);
    const way = checkSupervise(supervise);
    const from = this.#currentActor();
    const id = ++this.#actors * MOST_WORKERS + this.index;
    const actor = new Actor(id, worker, name ?? type);
    actor.writtenIn = this.#phase;
    const refClass = this.#classes.of(type.prototype as object);
    if (observed.spawns) publishSpawn(actor, type, from);
    if (worker !== this.index) return this.#neighbours.spawn(from, actor, type, refClass, args, mailbox, way);
    if (mailbox !== undefined) actor.setMailbox(mailbox);
    const passed = args.length === 0 ? NOTHING : this.#outgoing.passToNew(args, actor, type.name);
    const ref = new refClass(actor, 0, undefined);
    this.#queue.addMany(from, actor, type, CONSTRUCT, ref, passed);
    // The main thread is not lost but with the process.
    if ((way === ROLLBACK || way === RESTORE) && worker !== 0) this.#neighbours.keepHere(actor, ref, way, from);
    this.#wake();
    return ref;
  }

  /** A reference to an object of the actor whose turn it is, for others. */
  far(object: object): FarRef {
    const actor = this.#currentActor();
    // First: V8 asks the runtime about private fields that are not there.
    if (object === actor.root) return actor.rootRef as FarRef;
    if (FarRef.has(object)) return object;
    const known = this.#refs.of(actor, object);
    if (known !== undefined) return known;
    this.#company.onlooker?.touch?.(actor);
    const ref = new (this.#classes.ofObject(object))(actor, this.#neighbours.life * LIFE + ++actor.exports, object);
    this.#refs.add(object, ref);
    return ref;
  }

  /** The object behind a reference, if it belongs to the actor whose turn it is. */
  near(ref: FarRef): object | undefined {
    return FarRef.actorOf(ref) === this.#currentActor() ? FarRef.objectOf(ref) : undefined;
  }

  /** Equal for references to one object, in all actors. */
  identityOf(ref: FarRef): string {
    return String(keyFor(FarRef.actorOf(ref).id, FarRef.numberOf(ref)));
  }

  /** For messages whose outcome nobody asks for. `target`: a reference, or an eventual that will be one. */
  tell(target: object): object {
    if (FarRef.has(target)) return FarRef.tellerOf(target);
    return sending((call, args) => this.#outgoing.callOn(target, undefined, call, args));
  }

  /** For messages to a reference, or to an eventual that will be one. */
  send(target: object): object {
    if (FarRef.has(target)) return target;
    return sending((call, args) => {
      const settles = this.#realm.parts.eventuals.create();
      this.#outgoing.callOn(target, settles, call, args, this.#realm.now.context.trail as Trail | undefined);
      return settles;
    });
  }

  /** For messages whose answer is wanted in time. */
  sendWith(options: SendOptions, target: object): object {
    checkDeadline(options.deadline);
    return sending((call, args) => {
      const { eventuals } = this.#realm.parts;
      const settles = eventuals.create();
      const actor = this.#currentActor();
      if (options.signal?.aborted === true) {
        eventuals.reject(settles, options.signal.reason);
        return settles;
      }
      // What it leads to is led to by what this turn handles, too.
      const outer = this.#realm.now.context.trail as Trail | undefined;
      const number = this.#deadlines.next();
      const trail = new Trail(actor.name, outer === undefined ? undefined : new ReportedTrail(outer), number);
      // Nothing may come to be asked.
      if (!FarRef.has(target)) this.#trails.ask(settles, actor, trail);
      this.#outgoing.callOn(target, settles, call, args, trail);
      this.#deadlines.add(options, { number, actor, settles, call, trail });
      return settles;
    });
  }

  /** After what has been sent to it before: what waits for the actor then, and what comes, is rejected, and its objects are let go. */
  stop(ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    if (actor.id < MOST_WORKERS)
      throw new RuntimeError(
        'TT_NOT_OWNER',
        'this belongs to no actor that was spawned, so there is none to stop; who has lent it takes it back with release(…)',
      );
    const from = this.#currentActor();
    if (actor.worker === this.index) {
      this.#queue.add(from, actor, undefined, STOP, undefined, 0, undefined, undefined, undefined);
      this.#wake();
      return;
    }
    this.#neighbours.ends(actor);
    this.#neighbours.signal(actor.worker, WIRE.stop, from, actor, 0, 0);
  }

  /** Takes back a reference to an object of the actor whose turn it is: what is sent to it from now on is rejected. */
  release(ref: FarRef): void {
    const actor = FarRef.actorOf(ref);
    const object = FarRef.objectOf(ref);
    if (actor !== this.#currentActor())
      throw new RuntimeError('TT_NOT_OWNER', `only ${actor.name} can release what belongs to it`);
    if (FarRef.numberOf(ref) === 0)
      throw new RuntimeError('TT_NOT_OWNER', `${actor.name} is an actor, not an object of one; stop it with stop(…)`);
    this.#company.onlooker?.touch?.(actor);
    this.#snapshots?.release(ref);
    if (object !== undefined) this.#refs.delete(object);
    FarRef.release(ref);
  }

  /** Settled with the reason when nothing can be sent to the actor any more. */
  whenBroken(ref: FarRef): Eventual {
    const actor = FarRef.actorOf(ref);
    const settles = this.#realm.parts.eventuals.create();
    const from = this.#currentActor();
    if (actor.worker === this.index) {
      this.#endings.watch(actor, { what: 'asked', to: from, settles });
      return settles;
    }
    const link = this.#neighbours.to(actor);
    if (link.hasLost(actor)) this.#realm.parts.eventuals.resolve(settles, link.failure(actor));
    else this.#neighbours.signal(actor.worker, WIRE.watch, from, actor, 0, link.ask(settles, from, actor, undefined));
    return settles;
  }

  /** Whose code runs: in a turn its actor's, otherwise that of the actor in whose turn the callback was made. */
  #currentActor(): Actor {
    const { home } = this.#realm.now.context;
    return home instanceof Actor ? home : this.main;
  }

  #referenceTo(value: object): FarRef | undefined {
    if (FarRef.has(value)) return value;
    return this.#refs.of(this.#currentActor(), value) ?? (this.#host.isReferenced(value) ? this.far(value) : undefined);
  }

  #report(actor: Actor, reason: unknown): void {
    this.#host.report(actor.name, reason);
  }

  // ── For who looks on ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** One at a time. */
  watch(onlooker: Onlooker | undefined): void {
    this.#company.watch(onlooker, 'other');
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

  // ── In the place of another life ─────────────────────────────────────────────────────────────────────────────────────

  /** Nothing runs here until it is let go. */
  hold(): void {
    this.#rounds.hold();
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

  /**
   * It is held. What was under way comes again, before anything else; in a run again, when it came. `marked`: workers whose marker of this phase had
   * come.
   */
  restore(
    { pressed, ...state }: Tables & Pick<SchedulerState, 'queue'>,
    restored: Restored,
    underWay: readonly UnderWay[],
    marked: readonly number[] = [],
  ): void {
    // First: an actor whose class is there by now is taken up at once.
    for (const { actor, ...pressure } of pressed) {
      Object.assign(actor, pressure);
      this.#pressure.pressAgain(actor);
    }
    this.write(state);
    this.#company.hasActors();
    this.census.again(restored.actors.filter((actor) => actor !== this.main));
    this.#endings.again(restored.actors);
    if (restored.actors.some(isToBeRestored)) this.#neighbours.onToBeRestored?.();
    for (const [object, ref] of restored.lent) this.#refs.add(object, ref);
    this.#neighbours.expectAgain(restored.unknown());
    if (this.ingests.isFollowing) this.#neighbours.followUnderWay(underWay, marked);
    else for (const message of underWay) this.#neighbours.takeUnderWay(message);
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

  /**
   * An eventual of whose code runs for what Turntable is asked: it is part of a snapshot, and what it is settled with is noted. One that waits
   * for a snapshot is settled where that goes on, too.
   */
  ask(ask: () => Promise<unknown>, what: Asked['what'] = 'other'): Eventual {
    const eventual = this.#realm.parts.eventuals.create();
    const asked = { number: ++this.#questions, what, eventual, actor: this.#currentActor() };
    this.#asked.add(asked);
    const { ingests } = this;
    const key = String(asked.number);
    // What it is answered in a run again stands in the trace.
    if (!ingests.isFollowing)
      void ask().then(
        (value) => ingests.happened('answered', key, () => this.#answer(asked, FULFIL, value), answerOf(value)),
        (reason: unknown) =>
          ingests.happened('answered', key, () => this.#answer(asked, REJECT, reason), failureFor(reason)),
      );
    return eventual;
  }

  /** Who has asked for snapshots before this life began gets this one; other questions were of that life. */
  answerAll(taken: unknown): void {
    // What they were answered stands in the trace.
    if (this.ingests.isFollowing) return;
    for (const asked of this.#asked) {
      if (asked.what === 'snapshot') this.#answer(asked, FULFIL, taken);
      else this.#answer(asked, REJECT, noAnswer());
    }
  }

  #answerAgain(number: number, answer: Answer): void {
    for (const asked of this.#asked) {
      if (asked.number !== number) continue;
      const isFailure = typeof answer === 'object' && answer !== null && 'failure' in answer;
      if (isFailure) this.#answer(asked, REJECT, readFailure(answer));
      else this.#answer(asked, FULFIL, readAnswer(answer));
      return;
    }
    this.ingests.following?.differ(`question ${number} to Turntable is answered`, 'nobody has asked it');
  }

  #answer(asked: Asked, kind: typeof FULFIL | typeof REJECT, value: unknown): boolean {
    const { actor, eventual } = asked;
    if (!this.#asked.delete(asked)) return false;
    this.#queue.add(actor, actor, undefined, kind, eventual, 1, value, undefined, undefined);
    this.#wake();
    return true;
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
      spawned: this.#actors,
      turns: this.#turns.count,
      rounds: this.#rounds.count,
      steps: this.#realm.jobs.steps,
      round: this.#rounds.length,
      neighbours: this.#neighbours.read(),
      deadlines: this.#deadlines.read(),
      tracked: this.#trails.read(),
      asked: [...this.#asked],
      questions: this.#questions,
      census: this.census.read(),
    };
  }

  /** In the place of all that it has in mind; what its actors are is theirs. */
  write(state: SchedulerState): void {
    this.ingests.forget();
    this.#phase = state.phase;
    this.#actors = state.spawned;
    this.#turns.count = state.turns;
    this.#rounds.count = state.rounds;
    this.#realm.jobs.steps = state.steps;
    this.#rounds.length = state.round;
    this.#queue.write(state.queue);
    this.#trails.write(state.tracked);
    this.#asked = new Set(state.asked);
    this.#questions = state.questions;
    this.#deadlines.write(state.deadlines);
    this.census.write(state.census);
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
    this.#neighbours.noteTaken();
    const date = this.#date();
    // What was noted so far, the date among it, is before the cut.
    this.ingests.cut(phase);
    this.#phase = phase;
    this.#snapshots?.cut(phase, date);
    this.#company.onlooker?.cut?.(phase);
    this.#neighbours.mark(phase);
    return true;
  }

  /** Something may have come while nobody could say so. */
  look(): void {
    if (this.ingests.isFollowing ? this.ingests.haveCome() : !this.#neighbours.isEmpty()) this.#wake();
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
    if (kind === 'answered') return () => this.#answerAgain(number, event.value as Answer);
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

function isToBeRestored({ watchers = [] }: Actor): boolean {
  return watchers.some((watcher) => watcher.what === 'supervised' && watcher.way === RESTORE);
}

function noClass(value: unknown): RuntimeError {
  const what = typeof value === 'function' ? 'a function' : typeof value === 'object' ? 'an object' : String(value);
  return new RuntimeError(
    'TT_UNKNOWN_CLASS',
    `spawn was given ${what}, which is no class; if its module is imported in a circle, it is not there yet`,
  );
}

/** An object on which any method can be called, but `then`. */
function sending(send: (call: string, args: unknown[]) => unknown): object {
  return new Proxy(blank, {
    get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : (...args: unknown[]) => send(key, args)),
  });
}
const blank = Object.freeze({ __proto__: null });
