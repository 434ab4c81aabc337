// The event loop of a worker: whose turn is next, and what a turn is. A turn handles one message to its end, jobs that came of it
// included; nothing of another actor runs in between. What a turn does is decided by the messages alone, and which messages there are by
// what was taken from other workers, how much of it and after which turn: time decides only when the loop looks.

import { ROOT_CONTEXT, type Eventual, type Realm } from '@turntable/core';
import { Actor, checkMailbox, LIFE, MOST_WORKERS, type Mailbox } from './actor.ts';
import { aloneWith } from './alone.ts';
import { Births } from './births.ts';
import { observed, publishSpawn, type Called } from './channels.ts';
import { Census, KNOWN_TURN, type CensusState } from './census.ts';
import { Company } from './company.ts';
import { checkDeadline, Deadlines, type DeadlinesState, type SendOptions } from './deadline.ts';
import { Endings, failureOf, STOPPED } from './endings.ts';
import { FarRef, FarRefClasses } from './far-ref.ts';
import type { Class, Pace, SchedulerHost } from './host.ts';
import { Ingests, type EventKind } from './ingests.ts';
import { BEGIN, CONSTRUCT, FULFIL, REJECT, STOP, WIRE } from './message-kinds.ts';
import { listOf, MessageQueue, NOTHING, type QueueState } from './message-queue.ts';
import { Neighbours, type NeighboursState } from './neighbours.ts';
import type { Onlooker } from './onlooker.ts';
import type { Settles } from './outcomes.ts';
import { Outgoing, type Pump } from './outgoing.ts';
import { OwnReferences } from './own-references.ts';
import { Pressure } from './pressure.ts';
import { keyFor } from './references.ts';
import { RuntimeError } from './runtime-error.ts';
import type { Restored } from './snapshot/restored.ts';
import { Snapshots, type SnapshotPorts } from './snapshot/snapshots.ts';
import type { Pressed, Tables } from './snapshot/tables.ts';
import type { UnderWay } from './snapshot/worker-snapshot.ts';
import { ReportedTrail, type TrackedCall, type Tracked, Trail, Trails } from './trail.ts';
import type { Birth } from './unborn.ts';

export interface SpawnSettings {
  /** For messages about it. */
  readonly name?: string;
  readonly mailbox?: Mailbox;
  /** It is made anew, of the same class and arguments, when its worker is lost. */
  readonly supervise?: 'restart' | undefined;
}

/** All that a scheduler keeps in mind, between two turns, beside the actors themselves and what hangs on their eventuals. */
export interface SchedulerState {
  readonly phase: number;
  /** Of the actor that was spawned last. */
  readonly spawned: number;
  readonly turns: number;
  readonly rounds: number;
  /** Turns of the next one. */
  readonly round: number;
  readonly queue: QueueState<Actor>;
  readonly neighbours: NeighboursState;
  readonly deadlines: DeadlinesState;
  readonly tracked: readonly Tracked[];
  /** Snapshots that actors have asked for. */
  readonly asked: readonly Asked[];
  readonly census: CensusState;
}

/** An actor waits for a snapshot. */
export interface Asked {
  readonly eventual: Eventual;
  readonly actor: Actor;
}

type Method = (...args: unknown[]) => unknown;

const USUAL: Pace = { round: 64, batch: 512 };
/** Milliseconds after which Node has its turn. */
const SLICE = 1;
/** Milliseconds of a round: what is sent in it, and what comes meanwhile, waits for its end. */
const LONG_ROUND = 0.5;
const SHORT_ROUND = 0.1;

export class Scheduler {
  readonly index: number;
  /** The program of this thread outside of all actors that were spawned. */
  readonly main: Actor;
  readonly #realm: Realm;
  readonly #host: SchedulerHost;
  readonly #pace: Pace;
  /** Turns of a round. */
  #round: number;
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
  #actors = 0;
  #turns = 0;
  #rounds = 0;
  readonly #pump: Pump = { isAwake: false };
  #isDue = false;
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
    this.#pace = pace;
    this.#round = pace.round;
    const whole = 'rest' in host ? (host as SchedulerHost) : { ...aloneWith(realm), ...host };
    this.#host = whole;
    this.main = new Actor(index, index, index === 0 ? 'the main program' : `worker ${index}`, ROOT_CONTEXT);
    this.#company = new Company(realm, whole, this.main, () => this.#turns);
    this.#queue = new MessageQueue({
      told: (recipient, call, count, a, b, c) =>
        observed.hasCompany
          ? this.#toldInCompany(recipient, call, count, a, b, c)
          : this.#told(recipient, call, count, a, b, c),
      deliver: (recipient, target, call, settles, sender, count, a, b, c, many) =>
        observed.hasCompany
          ? this.#turnInCompany(recipient, target, call, settles as Settles, sender, count, a, b, c, many)
          : this.#turn(recipient, target, call, settles as Settles, sender, count, a, b, c, many),
    });
    this.#births = new Births({
      comes: (actor) => {
        this.#company.hasActors();
        this.census.born(actor);
      },
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
    this.#outgoing = new Outgoing({
      pressure: this.#pressure,
      trails: this.#trails,
      realm,
      here: index,
      queue: this.#queue,
      types: host.types,
      main: this.main,
      pump: this.#pump,
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
    this.ingests = new Ingests({
      position: () => ({ round: this.#rounds, turns: this.#turns }),
      wake: () => this.#wake(),
      messages: (worker, count) => this.#neighbours.takeAgain(worker, count),
      unexpected: (what, key) => this.#unexpected(what, key),
    });
    this.#deadlines = new Deadlines({
      ingests: this.ingests,
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
      wake: () => this.#wake(),
    });
  }

  /** Milliseconds that turns have taken. */
  get busy(): number {
    return this.#company.busy;
  }
  get neighbours(): Neighbours {
    return this.#neighbours;
  }
  get turns(): number {
    return this.#turns;
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
    if (supervise !== undefined && supervise !== 'restart')
      throw new RuntimeError('TT_OPTIONS', `supervise: 'restart' or nothing, not ${JSON.stringify(supervise)}`);
    const from = this.#currentActor();
    const id = ++this.#actors * MOST_WORKERS + this.index;
    const actor = new Actor(id, worker, name ?? type);
    actor.writtenIn = this.#phase;
    const refClass = this.#classes.of(type.prototype as object);
    if (observed.spawns) publishSpawn(actor, type, from);
    if (worker !== this.index)
      return this.#neighbours.spawn(from, actor, type, refClass, args, mailbox, supervise === 'restart');
    if (mailbox !== undefined) actor.setMailbox(mailbox);
    const passed = args.length === 0 ? NOTHING : this.#outgoing.passToNew(args, actor, type.name);
    const ref = new refClass(actor, 0, undefined);
    this.#queue.addMany(from, actor, type, CONSTRUCT, ref, passed);
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
      this.#trails.ask(settles, actor, trail);
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
        state: () => this.read(),
        pressed: () => this.#pressed(),
        others: () => this.#neighbours.others,
        now: () => this.#host.now(),
        watch: (onlooker) => this.#company.watch(onlooker, 'snapshot'),
        wake: () => this.#wake(),
      },
      ports,
    );
  }

  #pressed(): Pressed[] {
    const { apart } = this.#queue.read();
    const { unborn, references } = this.#neighbours.read();
    const actors = new Set([
      ...this.#pressure.pressed,
      ...apart.map(({ recipient }) => recipient),
      ...unborn.expected.map(({ actor }) => actor),
      ...references.strangers.flatMap(({ actor }) => (actor.waiting > 0 ? [actor] : [])),
    ]);
    return [...actors].map((actor) => {
      const { isAside, isHeld, waiting, held, heldWorkers } = actor;
      return { actor, isAside, isHeld, waiting, held: held?.slice(), heldWorkers: heldWorkers?.slice() };
    });
  }

  // ── In the place of another life ─────────────────────────────────────────────────────────────────────────────────────

  /** Nothing runs here until it is let go. */
  hold(): void {
    this.#pump.isAwake = true;
  }

  letGo(): void {
    this.#pump.isAwake = false;
    this.#wake();
  }

  /** It has not been there in the phases before. */
  bornIn(phase: number): void {
    this.#phase = phase;
    if (phase > 0) this.#neighbours.mark(phase);
  }

  get classes(): FarRefClasses {
    return this.#classes;
  }

  /** It is held. What was under way comes again, before anything else. */
  restore({ pressed, ...state }: Tables & Pick<SchedulerState, 'queue'>, restored: Restored, underWay: readonly UnderWay[]): void {
    this.write(state);
    this.#company.hasActors();
    for (const [object, ref] of restored.lent) this.#refs.add(object, ref);
    for (const { actor, ...pressure } of pressed) {
      Object.assign(actor, pressure);
      this.#pressure.pressAgain(actor);
    }
    this.#neighbours.expectAgain(restored.unknown());
    for (const message of underWay) this.#neighbours.takeUnderWay(message);
  }

  /** An eventual of whose code runs for a snapshot: it is part of that snapshot, and settled where that goes on, too. */
  ask(snapshot: Promise<unknown>): Eventual {
    const asked = { eventual: this.#realm.parts.eventuals.create(), actor: this.#currentActor() };
    this.#asked.add(asked);
    void snapshot.then(
      (taken) => this.#answer(asked, FULFIL, taken),
      (reason: unknown) => this.#answer(asked, REJECT, reason),
    );
    return asked.eventual;
  }

  /** Who has asked for snapshots before this life began gets this one. */
  answerAll(taken: unknown): void {
    for (const asked of [...this.#asked]) this.#answer(asked, FULFIL, taken);
  }

  #answer(asked: Asked, kind: typeof FULFIL | typeof REJECT, value: unknown): void {
    const { actor, eventual } = asked;
    this.#asked.delete(asked);
    this.#queue.add(actor, actor, undefined, kind, eventual, 1, value, undefined, undefined);
    this.#wake();
  }

  /** Between two turns. */
  read(): SchedulerState {
    return {
      phase: this.#phase,
      spawned: this.#actors,
      turns: this.#turns,
      rounds: this.#rounds,
      round: this.#round,
      queue: this.#queue.read(),
      neighbours: this.#neighbours.read(),
      deadlines: this.#deadlines.read(),
      tracked: this.#trails.read(),
      asked: [...this.#asked],
      census: this.census.read(),
    };
  }

  /** In the place of all that it has in mind; what its actors are is written by `Actor.write`. */
  write(state: SchedulerState): void {
    this.ingests.forget();
    this.#phase = state.phase;
    this.#actors = state.spawned;
    this.#turns = state.turns;
    this.#rounds = state.rounds;
    this.#round = state.round;
    this.#queue.write(state.queue);
    this.#trails.write(state.tracked);
    this.#asked = new Set(state.asked);
    this.#deadlines.write(state.deadlines);
    this.census.write(state.census);
    this.#neighbours.write(state.neighbours);
    if (!this.#queue.isEmpty() || !this.ingests.isEmpty) this.#wake();
  }

  /** The stretch between two snapshots that this worker is in. */
  get phase(): number {
    return this.#phase;
  }

  /** A phase is to begin: on this worker between two turns, on others when they are told or meet a message of it. */
  begin(phase: number): void {
    this.ingests.happened('phase', String(phase), () => this.#enterPhase(phase));
  }

  #enterPhase(phase: number): boolean {
    if (phase <= this.#phase) return false;
    this.#phase = phase;
    this.#snapshots?.cut(phase);
    this.#company.onlooker?.cut?.(phase);
    this.#neighbours.mark(phase);
    return true;
  }

  /** Something may have come while nobody could say so. */
  look(): void {
    if (!this.#neighbours.isEmpty()) this.#wake();
  }

  /** Whether nothing is left to do between actors here. */
  get isIdle(): boolean {
    return this.#queue.size === 0 && !this.#isDue && this.ingests.isEmpty && this.#neighbours.isQuiet;
  }

  // ── Turns ────────────────────────────────────────────────────────────────────────────────────────────────────────────

  #wake(): void {
    if (this.#pump.isAwake) return;
    this.#pump.isAwake = this.#isDue = true;
    this.#host.soon(() => this.#run());
  }

  #run(): void {
    this.#isDue = false;
    this.#pump.isAwake = true;
    const { context } = this.#realm.now;
    let looked = this.#host.now();
    const until = looked + SLICE;
    let isLeft = true;
    const { jobs } = this.#realm;
    try {
      this.#host.awake();
      // What is left of code outside of turns is no part of the first one.
      if (jobs.size() > 0) jobs.drain();
      let hasSent = this.#neighbours.publish();
      do {
        const hasCome = this.#ingest();
        // What is still to be taken has not come yet: it wakes this worker when it does.
        isLeft = !this.ingests.isDue();
        if (!isLeft) break;
        const turns = this.#turns;
        if (!this.#queue.isEmpty()) this.#rounds++;
        isLeft = this.#queue.run(this.#round) || hasCome || this.ingests.isDue();
        if (this.#neighbours.publish()) hasSent = true;
        looked = this.#worked(looked, this.#turns - turns);
        if (this.#snapshots?.spare(!isLeft) === true) isLeft = true;
        if (!this.ingests.isEmpty) isLeft = true;
        if (!isLeft && !this.#neighbours.isAlone) {
          isLeft = this.#host.rest(this.#neighbours.isEmpty, hasSent);
          hasSent = false;
          looked = this.#host.now();
        }
      } while (isLeft && looked < until);
    } finally {
      this.#pump.isAwake = isLeft;
      this.#realm.now.context = context;
      if (isLeft) {
        this.#isDue = true;
        this.#host.later(() => this.#run());
      }
    }
  }

  /** A round has ended that began at a moment; answers the moment now. The next ones are longer or shorter if this one was too short or too long. */
  #worked(since: number, turns: number): number {
    const now = this.#company.worked(since, turns);
    if (this.ingests.isFollowing) return now;
    const round = this.#round;
    let next = round;
    if (now - since > LONG_ROUND) next = Math.max(1, round >> 2);
    else if (turns >= round && now - since < SHORT_ROUND) next = Math.min(this.#pace.round, round * 4);
    if (next !== round) this.ingests.happened('pace', String(next), () => this.#setRound(next));
    return now;
  }

  #setRound(turns: number): boolean {
    this.#round = turns;
    return true;
  }

  /** Takes what has come from outside; whether anything has. */
  #ingest(): boolean {
    if (this.ingests.isFollowing) return this.ingests.again();
    const hasHappened = this.ingests.events();
    const hasCome = this.#neighbours.ingest();
    // Who has sent what was just taken may have known that a worker has ended, and this one has learned it by that.
    return (hasCome && this.ingests.events()) || hasCome || hasHappened;
  }

  /** What happens in a run again because it has happened before. */
  #unexpected(what: EventKind, key: string): (() => boolean) | undefined {
    const at = key.indexOf(' ');
    const number = Number(at < 0 ? key : key.slice(0, at));
    if (what === 'lost') return () => this.#neighbours.loseAgain(key);
    if (what === 'pace') return () => this.#setRound(number);
    if (what === 'phase') return () => this.#enterPhase(number);
    if (what === 'dropped') return () => this.#neighbours.references.dropAgain(number, Number(key.slice(at + 1)));
    return undefined;
  }

  #enter(actor: Actor): void {
    const { now } = this.#realm;
    // A store that the collector must see costs more than looking.
    if (now.context !== actor.context) now.context = actor.context;
    this.#turns++;
    if (++actor.turns === KNOWN_TURN) this.census.grown(actor);
  }

  #leave(actor: Actor): void {
    const { jobs } = this.#realm;
    if (jobs.isLeft()) jobs.finish();
    if (actor.held !== undefined || actor.heldWorkers !== undefined) this.#pressure.turned(actor);
  }

  /** The turn of a message to the actor's root whose outcome nobody asks for. */
  #told(actor: Actor, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    this.#enter(actor);
    if (actor.failure !== undefined) this.#report(actor, failureOf(actor));
    else {
      const root = actor.root as Record<string, Method>;
      try {
        if (count === 0) (root[call] as Method)();
        else if (count === 1) (root[call] as Method)(a);
        else if (count === 2) (root[call] as Method)(a, b);
        else (root[call] as Method)(a, b, c);
      } catch (error) {
        this.#report(actor, error);
      }
    }
    this.#leave(actor);
  }

  // What closures share is made room for whenever a function is called: these are functions of their own.

  #toldInCompany(actor: Actor, call: string, count: number, a: unknown, b: unknown, c: unknown): void {
    this.#company.keep(actor, call, undefined, () => this.#told(actor, call, count, a, b, c));
  }

  #turnInCompany(
    actor: Actor,
    target: unknown,
    call: unknown,
    settles: Settles,
    sender: Actor,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    this.#company.keep(actor, call as Called, sender, () =>
      this.#turn(actor, target, call, settles, sender, count, a, b, c, many),
    );
  }

  #turn(
    actor: Actor,
    target: unknown,
    call: unknown,
    settles: Settles,
    sender: Actor,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    this.#enter(actor);
    if (typeof call === 'string') this.#call(actor, target as FarRef, call, settles, sender, count, a, b, c, many);
    else if (call === FULFIL) this.#outgoing.settle(settles as Eventual, a, false);
    else if (call === REJECT) this.#outgoing.settle(settles as Eventual, a, true);
    else if (call === CONSTRUCT)
      this.#births.make(actor, target as Class, settles as unknown as FarRef, listOf(count, a, b, c, many));
    else if (call === STOP) this.#endings.end(actor, STOPPED);
    else if (call === BEGIN) this.#births.begin(actor, target as Birth);
    else {
      const { name, trail } = call as TrackedCall;
      this.#realm.now.context = { home: actor, store: actor.context.store, trail };
      this.#call(actor, target as FarRef, name, settles, sender, count, a, b, c, many);
    }
    this.#leave(actor);
  }

  #call(
    actor: Actor,
    target: FarRef,
    call: string,
    settles: Settles,
    sender: Actor,
    count: number,
    a: unknown,
    b: unknown,
    c: unknown,
    many: readonly unknown[],
  ): void {
    if (actor.failure !== undefined) return this.#outgoing.fail(actor, sender, settles, failureOf(actor), call);
    const object = FarRef.objectOf(target) as Record<string, Method> | undefined;
    if (object === undefined) return this.#outgoing.fail(actor, sender, settles, released(actor), call);
    let value: unknown;
    let failed = false;
    try {
      value =
        count === 0
          ? (object[call] as Method)()
          : count === 1
            ? (object[call] as Method)(a)
            : count === 2
              ? (object[call] as Method)(a, b)
              : count === 3
                ? (object[call] as Method)(a, b, c)
                : (object[call] as Method)(...many);
    } catch (error) {
      failed = true;
      value = error;
    }
    if (failed) this.#outgoing.fail(actor, sender, settles, value, call);
    else this.#outgoing.answer(actor, sender, settles, call, value);
  }

  /** An object of a class is being made: if it is the root that this turn makes, it is known before its constructor passes it on. */
  meetRoot(object: object, type: unknown): void {
    this.#births.meet(object, type);
  }
}

function noClass(value: unknown): RuntimeError {
  const what = typeof value === 'function' ? 'a function' : typeof value === 'object' ? 'an object' : String(value);
  return new RuntimeError(
    'TT_UNKNOWN_CLASS',
    `spawn was given ${what}, which is no class; if its module is imported in a circle, it is not there yet`,
  );
}

function released(actor: Actor): RuntimeError {
  return new RuntimeError('TT_RELEASED', `${actor.name} has taken back the reference to this object of its`);
}

/** An object on which any method can be called, but `then`. */
function sending(send: (call: string, args: unknown[]) => unknown): object {
  return new Proxy(blank, {
    get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : (...args: unknown[]) => send(key, args)),
  });
}
const blank = Object.freeze({ __proto__: null });
