// Where an engine of a recording stands, and how it goes elsewhere. Forward its process goes on; back its program goes in place, as far as its threads can. Further, or where what was evaluated may have
// changed something, another one goes on that was left before there, or one begins anew with the last snapshot before. Who asks does not notice but by the time it takes.
import { beginOf, comparePositions, isBeginning, type Position } from '../position.ts';
import { CoordinatorLink, type ReplayProcess, type Urgency } from './coordinator-link.ts';
import { differenceIn, isUnable } from './differing.ts';
import { EngineError } from './engine-error.ts';
import type { Itinerary } from './itinerary.ts';
import { KeptProcesses } from './kept-processes.ts';
import { Pace, type Beginning } from './pace.ts';
import { SpareProcess } from './spare-process.ts';
import {
  type Evaluated,
  MAIN_THREAD,
  MAX_UNDONE_STRETCHES,
  type ProcessOptions,
  type StatementPlace,
  type ThreadName,
  type ThreadRequestName,
  type ThreadRequests,
  type ThreadStatus,
  type TrackingMode,
} from './protocol.ts';

export interface Stop {
  readonly position: Position;
  /** Whose stretch it is; of none behind the last. */
  readonly worker: number | undefined;
  readonly life: number | undefined;
  /** Undefined before a stretch, and behind the last. */
  readonly place: StatementPlace | undefined;
}

export interface WhereaboutsParts {
  readonly itinerary: Itinerary;
  /** Starts a process, with a snapshot or from where the survey begins; its threads stand before their first stretches. */
  readonly start: (from: number | undefined, wishes?: ProcessOptions, urgency?: Urgency) => ReplayProcess;
  /** How one would begin now that somebody waits for. */
  readonly beginning: () => Beginning;
  /** Bytes that processes may take which stand where the engine has been. */
  readonly memory: number;
  /** Nobody has gone anywhere for a while: something may be prepared. `isLong`: to run all of the recording takes longer than a process needs to begin. */
  readonly rests: (isLong: boolean) => void;
}

export interface Running {
  readonly coordinator: CoordinatorLink;
  /** The stretch that it has begun with. */
  readonly begin: number;
  readonly beginning: Beginning;
  /** Whether it can tell of statements that have begun before in the stretch where it stands. */
  readonly keepsCalls: boolean;
  at: Position;
  /** Where its threads have come to, if the program is where it has been. */
  furthest: Position | undefined;
  hasBeenBack: boolean;
  hasGone: boolean;
  threads: readonly ThreadStatus[];
}

/** What is done after so many milliseconds in which nobody goes anywhere. */
type Rest = readonly [after: number, prepare: () => void];

interface Target {
  readonly list: number;
  readonly statement: number;
}

/** A list that no stretch has. */
const BEHIND = 2 ** 30;
/** Milliseconds after which nobody waits for the end of a stretch in which one is to go back. */
const PATIENCE = 2000;
/** Milliseconds after which it is taken that somebody looks at where he stands, and for long: who goes on at once has use for the machine's time. */
const A_REST = 300;
const A_LONG_REST = 1500;

export class Whereabouts {
  readonly #parts: WhereaboutsParts;
  #running: Running | undefined;
  readonly #spare: SpareProcess<Running>;
  #resting: NodeJS.Timeout | undefined;
  /** So many ways that somebody waits for. */
  #underWay = 0;
  readonly #pace = new Pace();
  readonly #kept: KeptProcesses<Running>;
  #goesBack = false;
  /** A process has begun for where it is about to be. */
  #isFromAfar = false;
  /** What was evaluated may have changed it. */
  #isSpoilt = false;
  /** Something has been evaluated where it stands that is to be taken back. */
  #isTouched = false;
  /** So often it has gone back in place, and begun anew. */
  readonly ways: { back: number; anew: number } = { back: 0, anew: 0 };
  stop: Stop;
  #isClosed = false;

  constructor(parts: WhereaboutsParts) {
    this.#parts = parts;
    this.#kept = new KeptProcesses(parts.memory);
    this.#spare = new SpareProcess(
      (order) => this.#process(order, {}, 'later'),
      (order, begin) => this.#itinerary.limits(order, false, begin),
    );
    this.stop = this.#between(1);
    // It has just been opened.
    this.#inRests([[A_REST, () => this.#tellRest()]]);
  }

  get #itinerary(): Itinerary {
    return this.#parts.itinerary;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#resting);
    this.#spare.close();
    this.end();
  }

  /** Where it stands nobody knows then. */
  end(): void {
    this.#running?.coordinator.end();
    this.#running = undefined;
    if (this.#isClosed) this.#kept.close();
  }

  /** Before a stretch, or at the end. */
  #between(order: number): Stop {
    const thread = this.#itinerary.threadOf(order);
    return {
      position: beginOf(order),
      worker: thread?.worker,
      life: thread?.life,
      place: undefined,
    };
  }

  /** A process that stands where the engine does. */
  async here(): Promise<Running> {
    const { position } = this.stop;
    const running = this.#running;
    const isThere = running !== undefined && !running.coordinator.isLost && isSame(running.at, position);
    // What was evaluated may be looked at as long as it stands there.
    if (isThere) return running;
    await this.goTo(position);
    return this.#running as unknown as Running;
  }

  async ask<Q extends ThreadRequestName>(
    question: Q,
    wanted: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const { coordinator } = await this.here();
    const thread = this.#itinerary.threadOf(this.stop.position.order) ?? MAIN_THREAD;
    return coordinator.ask(thread, question, wanted);
  }

  async goTo(position: Position): Promise<Stop> {
    return (await this.#backTo(position)) ?? (await this.#on(position)) ?? this.goReallyTo(position);
  }

  /** So that what comes behind runs: of a program that is where it has been it is done again as it was. */
  async goReallyTo(position: Position): Promise<Stop> {
    return (await this.#on(position, true)) as Stop;
  }

  /** Forward, in the process that comes there soonest; nothing if it was one that is not the same any more. */
  #on(position: Position, isReal = false): Promise<Stop | undefined> {
    return this.#itinerary.orFromStart(() => this.#onOnce(position, isReal));
  }

  async #onOnce(position: Position, isReal: boolean): Promise<Stop | undefined> {
    const running = await this.#nearest(position, isReal);
    // One that has not been anywhere yet has not said that it is there.
    if (isSame(running.at, position) && running.threads.length > 0) {
      if (this.#isTouched) await this.ask('takeBack', undefined);
      this.#isTouched = false;
      return this.#stopAt(running);
    }
    return this.#go(running, position.order, targetOf(position));
  }

  /** In place; nothing if the process that runs is not behind there, or cannot. @param notes of the stretch that is run once more; to be noted it is even if the process stands there */
  async #backTo(position: Position, notes: TrackingMode = 'nothing'): Promise<Stop | undefined> {
    const running = this.#running;
    if (running === undefined || this.#isSpoilt || running.coordinator.isLost) return undefined;
    const { at } = running;
    const distance = comparePositions(position, at);
    if (distance > 0 || (distance === 0 && notes === 'nothing') || running.threads.length === 0) return undefined;
    // A stretch that it is in the midst of it runs to its end first.
    const furthest = running.furthest ?? (isBeginning(at) ? at : beginOf(at.order + 1));
    if (this.#itinerary.mostOfOne(position.order, furthest.order) > MAX_UNDONE_STRETCHES) return undefined;
    running.hasBeenBack = true;
    running.furthest = furthest;
    const late = setTimeout(() => running.coordinator.end(), PATIENCE);
    try {
      const stop = await this.#go(running, position.order, targetOf(position), notes);
      if (stop !== undefined) this.ways.back++;
      return stop;
    } catch (error) {
      // Unless it is who has asked that does not want it any more.
      if (this.#running !== running || !(error instanceof EngineError)) throw error;
      return undefined;
    } finally {
      clearTimeout(late);
    }
  }

  /** Each stretch of those is run, and what passes in it is noted: the process has it. */
  async passed(from: number, to: number): Promise<Running> {
    await this.goReallyTo(beginOf(from));
    const running = this.#running as unknown as Running;
    this.stop = (await this.#go(running, to + 1, undefined, 'statements')) as Stop;
    return running;
  }

  /** The stretch where it stands is run once more in place, up to there, and all that it writes is noted: the process has it. Nothing, if it cannot be. */
  async noted(): Promise<Running | undefined> {
    await this.here();
    return this.#noted(this.stop.position);
  }

  /** The same of one before, to its end. */
  notedIn(order: number): Promise<Running | undefined> {
    return this.#noted({ order, list: BEHIND, statement: 0 });
  }

  async #noted(position: Position): Promise<Running | undefined> {
    const stop = await this.#backTo(position, 'writes');
    return stop === undefined ? undefined : this.#running;
  }

  /** One that stands where this does and keeps what probes have passed on a thread, which takes longer. */
  async withCalls(thread: ThreadName): Promise<Running> {
    const running = await this.here();
    if (running.keepsCalls) return running;
    const { stop } = this;
    this.#leave();
    const other = (this.#running = this.#process(stop.position.order, { writes: thread }));
    await this.#go(other, stop.position.order, stop.position);
    return other;
  }

  /** The process that stands here, which is the caller's from now on. */
  async release(): Promise<CoordinatorLink> {
    const { coordinator } = await this.here();
    this.#running = undefined;
    return coordinator;
  }

  hasEvaluated({ isPure, isTakenBack }: Pick<Evaluated, 'isPure' | 'isTakenBack'>): void {
    if (isPure) return;
    this.#isTouched = true;
    if (!isTakenBack) this.#isSpoilt = true;
  }

  async goNext(): Promise<Stop> {
    if (this.#isSpoilt) await this.goTo(this.stop.position);
    const running = await this.here();
    while (running.at.order < this.#itinerary.last) {
      const stop = await this.#go(running, running.at.order, { next: true });
      if (stop === undefined) {
        await this.goTo(this.stop.position);
        return this.goNext();
      }
      if (stop.place !== undefined || !isBeginning(stop.position)) return stop;
    }
    return this.#between(running.at.order);
  }

  /** Somebody looks at where it stands, perhaps for a while. */
  arrive(stop: Stop): Stop {
    this.stop = stop;
    // From afar the next way is as likely to be far as near, and a far one takes so much longer.
    const rest = this.#isFromAfar ? 0 : A_REST;
    this.#isFromAfar = false;
    const prepareIf = (isWanted: boolean): void => {
      if (isWanted) this.#spare.prepare(this.stop.position.order);
    };
    this.#inRests([
      [rest, () => this.#tellRest()],
      // It has run nothing yet, and takes all ways back there.
      [A_REST, () => prepareIf(this.#itinerary.isEvaluation(this.stop.position.order))],
      [A_LONG_REST, () => prepareIf(this.#goesBack)],
    ]);
    return stop;
  }

  #tellRest(): void {
    this.#parts.rests(this.#pace.isLong(this.#itinerary.work(1, this.#itinerary.last)));
  }

  /** One behind the other, unless somebody is on the way then, who will rest, too. */
  #inRests([rest, ...later]: readonly Rest[], since = 0): void {
    clearTimeout(this.#resting);
    if (rest === undefined) return;
    const [after, prepare] = rest;
    this.#resting = setTimeout(() => {
      if (this.#underWay > 0 || this.#isClosed) return;
      prepare();
      this.#inRests(later, after);
    }, after - since).unref();
  }

  /** A process that comes there soonest: the one that runs, one that waits, or a new one. @param isReal none whose program is where it has been */
  async #nearest(position: Position, isReal: boolean): Promise<Running> {
    const { order } = position;
    const running = this.#isSpoilt || this.#running?.coordinator.isLost === true ? undefined : this.#running;
    const isBack = running === undefined || comparePositions(position, running.at) < 0;
    if (this.#running !== undefined && isBack) this.#goesBack = true;
    const spare = this.#spare.process;
    let first: Running | undefined;
    for (const each of [running, spare, this.#kept.nearest(position)])
      if (each !== undefined && comparePositions(each.at, position) <= 0 && !(isReal && each.furthest !== undefined))
        if (first === undefined || comparePositions(each.at, first.at) > 0) first = each;
    const begin = this.#itinerary.firstOf(this.#itinerary.phaseBefore(order));
    const isLong = (at: number, before: number): boolean =>
      this.#pace.isLong(this.#itinerary.work(at, begin), this.#parts.beginning(), before);
    if (first !== undefined && isLong(first.at.order, first === spare ? this.#untilSpare() : 0)) first = undefined;
    if (first !== undefined && first === running) return first;
    // Before another one is kept, for which it might have to go.
    if (first !== undefined) this.#kept.take(first);
    this.#leave();
    if (first === undefined) return this.#anew(order);
    // Whoever gives up ends it.
    this.#running = first;
    if (first === spare) {
      await this.#spare.take();
      first.hasGone = true;
    }
    return first;
  }

  /** Milliseconds until it is where it says that it is, as far as that is known. */
  #untilSpare(): number {
    const { process, onTheWay } = this.#spare;
    if (process === undefined || onTheWay === undefined) return 0;
    const way = this.#pace.takes(this.#itinerary.work(process.begin, process.at.order));
    return Math.max(0, this.#pace.begins('anew') + way - onTheWay);
  }

  /** One that is still on the way to where the engine stood takes time that the new one has use for. */
  #anew(order: number): Running {
    this.ways.anew++;
    this.#isFromAfar = true;
    this.#spare.giveUp();
    return (this.#running = this.#process(order));
  }

  /** It stays where it is, for whoever comes by again; but not what was changed by what was evaluated. */
  #leave(): void {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined && !this.#isSpoilt && !running.coordinator.isLost) this.#kept.keep(running);
    else running?.coordinator.end();
    this.#isSpoilt = false;
  }

  /** One that stands before the first stretch of a snapshot. */
  #process(order: number, wishes: ProcessOptions = {}, urgency: Urgency = 'now'): Running {
    const phase = this.#itinerary.phaseBefore(order);
    const begin = this.#itinerary.firstOf(phase);
    const process = this.#parts.start(phase, wishes, urgency);
    return {
      coordinator: new CoordinatorLink(process),
      begin,
      beginning: process.beginning,
      keepsCalls: wishes.writes !== undefined,
      at: beginOf(begin),
      furthest: undefined,
      hasBeenBack: false,
      hasGone: false,
      threads: [],
    };
  }

  /** To a stretch, or into it; nothing if it cannot go back there, or is not the same any more since it has been back. */
  async #go(
    running: Running,
    order: number,
    into: Target | { readonly next: true } | undefined,
    notes: TrackingMode = 'nothing',
  ): Promise<Stop | undefined> {
    const thread = into === undefined ? undefined : this.#itinerary.threadOf(order);
    const isIn = thread !== undefined;
    const limits = this.#itinerary.limits(order, isIn, running.begin);
    const target = isIn && into !== undefined ? { ...thread, ...into } : undefined;
    let threads: readonly ThreadStatus[];
    this.#underWay++;
    const began = performance.now();
    try {
      threads = await running.coordinator.run(limits, target, notes);
      if (notes === 'nothing') this.#learns(running, order, performance.now() - began);
    } catch (error) {
      // Nobody knows where it stands.
      running.coordinator.end();
      throw error;
    } finally {
      this.#underWay--;
    }
    running.threads = threads;
    const difference = differenceIn(threads, ({ begun }) => `after ${begun} of its stretches`);
    if (difference !== undefined) {
      this.end();
      if (running.hasBeenBack) return undefined;
      throw difference;
    }
    const { furthest } = running;
    const own = threads.find((each) => each.worker === thread?.worker && each.life === thread.life);
    const isBack = furthest !== undefined && order < furthest.order;
    if (isBack && (own?.state === 'over' || threads.some((each) => isUnable(each, limits)))) {
      // From there it can go on.
      running.at = furthest;
      running.furthest = undefined;
      running.threads = [];
      return undefined;
    }
    running.at =
      own?.state === 'stopped'
        ? { order, list: own.list, statement: own.statement }
        : beginOf(isIn ? order + 1 : order);
    if (furthest !== undefined && comparePositions(running.at, furthest) >= 0) running.furthest = undefined;
    return this.#stopAt(running);
  }

  /** How long it has taken, before it is said that it is there. */
  #learns(running: Running, order: number, milliseconds: number): void {
    const { hasGone, keepsCalls, at, beginning } = running;
    running.hasGone = true;
    if (keepsCalls) return;
    const work = this.#itinerary.work(at.order, order);
    if (hasGone) this.#pace.went(work, milliseconds);
    else this.#pace.began(work, milliseconds, beginning);
  }

  async #stopAt({ at, coordinator }: Running): Promise<Stop> {
    const stop = this.#between(at.order);
    if (isBeginning(at)) return stop;
    const place = await coordinator.ask(this.#itinerary.threadOf(at.order) ?? MAIN_THREAD, 'where', undefined);
    return { ...stop, position: at, place: place ?? undefined };
  }
}

function targetOf({ list, statement }: Position): Target | undefined {
  return list > 0 || statement > 0 ? { list, statement } : undefined;
}

function isSame(one: Position, other: Position): boolean {
  return comparePositions(one, other) === 0;
}
