// An engine of a recording: one process that runs it again, and where it stands. Forward it goes on; back its program goes in place, as far as its threads can. Further, or where what was evaluated may have
// changed something, another one goes on that was left before there, or one begins anew with the last snapshot before. Who asks does not notice but by the time it takes.
import { comparePositions, isBeginning, type Position } from '../position.ts';
import type { Survey } from '../survey/survey.ts';
import { DeskLink, type EngineProcess } from './desk-link.ts';
import {
  EngineError,
  OF_A_WORKER,
  type ActorHere,
  type ActorName,
  type BreakPlace,
  type Changes,
  type Engine,
  type Entries,
  type Entry,
  type Evaluated,
  type Frame,
  type Mailbox,
  type Page,
  type Stop,
  type TracedStretch,
} from './engine.ts';
import { Itinerary } from './itinerary.ts';
import { KeptProcesses } from './kept-processes.ts';
import { Pace } from './pace.ts';
import { differenceIn } from './differing.ts';
import type { Limit, Question, Questions, ThreadHere, ThreadName } from './messages.ts';
import { promisesOf, type Promises, type PromisesWanted } from './promises.ts';
import { RecordedChanges } from './recorded-changes.ts';
import { RecordedSearch } from './recorded-search.ts';
import { RecordedWrites } from './recorded-writes.ts';
import { SpareProcess } from './spare-process.ts';
import type { StateOf, StateParts, ValueWish } from './state.ts';
import type { WriteAsked, Wrote } from './wrote.ts';

export interface RecordedEngineParts {
  /** Made in debug mode, if positions are to be those of other sessions. */
  readonly survey: Survey;
  /** Snapshots that a process can begin with. */
  readonly phases: readonly number[];
  /** Whether one is whole: it is asked before a process begins with it. */
  readonly isUsable?: (phase: number) => boolean;
  /** Starts one, with a snapshot or from where the survey begins; its threads stand before their first stretches. */
  start(from: number | undefined, wishes?: ProcessWishes): EngineProcess;
  /** Bytes that processes may take which stand where the engine has been. */
  readonly memory?: number;
  /** Nobody has gone anywhere for a while: something may be prepared. */
  readonly rests?: () => void;
  readonly closes?: () => void;
}

/** What threads of a process do besides going as far as they are told to. */
export interface ProcessWishes {
  /** They look out for these. */
  readonly places?: readonly BreakPlace[];
  /** This one notes what its program writes. */
  readonly writes?: ThreadName;
  /** This one tells when an expression has become another one. */
  readonly values?: ValueWish & ThreadName;
}

interface Running {
  readonly desk: DeskLink;
  /** The stretch that it has begun with. */
  readonly begin: number;
  /** Whether it can tell of statements that have begun before in the stretch where it stands. */
  readonly keepsCalls: boolean;
  at: Position;
  /** Where its threads have come to, if the program is where it has been. */
  furthest: Position | undefined;
  hasBeenBack: boolean;
  hasGone: boolean;
  threads: readonly ThreadHere[];
}

interface Target {
  readonly list: number;
  readonly statement: number;
}

/** Milliseconds after which nobody waits for the end of a stretch in which one is to go back. */
const PATIENCE = 2000;
/** Milliseconds after which it is taken that somebody looks at where he stands, and for long: who goes on at once has use for the machine's time. */
const A_REST = 300;
const A_LONG_REST = 1500;
const NOTHING: TracedStretch = { places: [], statements: [], isCut: false, sends: [] };
const MAIN: ThreadName = { worker: 0, life: 0 };

export class RecordedEngine implements Engine {
  readonly #itinerary: Itinerary;
  readonly #start: RecordedEngineParts['start'];
  readonly #rests: () => void;
  readonly #closes: () => void;
  #running: Running | undefined;
  readonly #spare: SpareProcess<Running>;
  #resting: NodeJS.Timeout | undefined;
  /** So many ways that somebody waits for. */
  #underWay = 0;
  readonly #pace = new Pace();
  /** Where it has been. */
  readonly #kept: KeptProcesses<Running>;
  #goesBack = false;
  /** What was evaluated may have changed it. */
  #isSpoilt = false;
  /** Something has been evaluated where it stands that is to be taken back. */
  #isTouched = false;
  /** So often it has gone back in place, and begun anew. */
  readonly ways: { back: number; anew: number } = { back: 0, anew: 0 };
  #stop: Stop;
  /** The end of what was asked last. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #writes: RecordedWrites | undefined;
  onProgress: Engine['onProgress'];

  constructor({
    survey,
    phases,
    isUsable,
    start,
    memory = 0,
    rests = () => {},
    closes = () => {},
  }: RecordedEngineParts) {
    this.#rests = rests;
    this.#closes = closes;
    this.#itinerary = new Itinerary(survey, phases, isUsable);
    this.#kept = new KeptProcesses(memory);
    this.#start = start;
    this.#spare = new SpareProcess(
      (order) => this.#process(order),
      (order, begin) => this.#itinerary.limits(order, false, begin),
    );
    this.#stop = this.#between(1);
  }

  get stop(): Stop {
    return this.#stop;
  }

  to(position: Position, signal?: AbortSignal): Promise<Stop> {
    return this.#inTurn(async () => {
      const { last } = this.#itinerary;
      const { order, list, statement } = position;
      const isNone = ![order, list, statement].every(Number.isSafeInteger) || order < 1 || order > last || list < 0;
      if (isNone || statement < 0)
        throw new EngineError(
          'TT_NO_POSITION',
          `there is no position ${order}:${list}.${statement}: stretches are numbered from 1 to ${last - 1}, and ${last} is the end`,
        );
      return this.#arrive(await this.#going(() => this.#goTo(position), signal));
    });
  }

  next(signal?: AbortSignal): Promise<Stop> {
    return this.#inTurn(async () => this.#arrive(await this.#going(() => this.#goNext(), signal)));
  }

  trace(from: number, to: number, signal?: AbortSignal): Promise<readonly TracedStretch[]> {
    return this.#inTurn(() =>
      this.#going(async () => {
        if (from < 1 || to < from || to >= this.#itinerary.last)
          throw new EngineError('TT_NO_POSITION', `there are no stretches from ${from} to ${to}`);
        await this.#goReallyTo({ order: from, list: 0, statement: 0 });
        const running = this.#running as unknown as Running;
        this.#stop = (await this.#go(running, to + 1, undefined, true)) as Stop;
        const traced: TracedStretch[] = Array.from({ length: to - from + 1 }, () => NOTHING);
        for (const name of this.#itinerary.threadsIn(from, to))
          for (const { begun, ...its } of await running.desk.ask(name, 'traced', undefined)) {
            const order = this.#itinerary.orderOf(name, begun, running.begin);
            if (order !== undefined && order >= from && order <= to) traced[order - from] = its;
          }
        return traced;
      }, signal),
    );
  }

  frames(): Promise<readonly Frame[]> {
    return this.#inTurn(() => this.#ask('frames', undefined));
  }

  locals(frame: number): Promise<readonly Entry[]> {
    return this.#inTurn(async () => {
      if (frame !== 0)
        throw new EngineError('TT_NO_POSITION', `of frame ${frame} it has to be said which statement is its last`);
      return this.#ask('locals', undefined);
    });
  }

  localsAt(statement: { readonly list: number; readonly statement: number }): Promise<readonly Entry[]> {
    return this.#inTurn(async () => {
      const { position } = this.#stop;
      const thread = this.#itinerary.threadOf(position.order);
      if (thread === undefined || isBeginning(position))
        throw new EngineError('TT_NO_POSITION', 'no call has begun where the program stands');
      let running = await this.#here();
      if (!running.keepsCalls) {
        // One that keeps what probes have passed: it takes longer.
        this.#leave();
        running = this.#running = this.#process(position.order, { writes: thread });
        await this.#go(running, position.order, position);
      }
      return running.desk.ask(thread, 'localsAt', statement);
    });
  }

  expand(id: number, page: Page): Promise<Entries> {
    return this.#inTurn(() => this.#askWorker(Math.floor(id / OF_A_WORKER), 'expand', { ...page, id }));
  }

  mailbox({ worker, id }: ActorName, page: Page): Promise<Mailbox> {
    return this.#inTurn(() => this.#askWorker(worker, 'mailbox', { ...page, actor: id }));
  }

  evaluate(text: string, signal?: AbortSignal): Promise<Evaluated> {
    return this.#inTurn(async () => {
      const evaluated = await this.#going(() => this.#ask('evaluate', text), signal);
      if (!evaluated.isPure) this.#isTouched = true;
      if (!evaluated.isPure && !evaluated.isTakenBack) this.#isSpoilt = true;
      return evaluated;
    });
  }

  actors(): Promise<readonly ActorHere[]> {
    return this.#inTurn(async () => {
      const { desk, threads } = await this.#here();
      const alive = threads.filter(isThere);
      const all = await Promise.all(alive.map((thread) => desk.ask(thread, 'actors', undefined)));
      return all.flat();
    });
  }

  promises(wanted: PromisesWanted): Promise<Promises> {
    return this.#inTurn(async () => {
      const { desk, threads, begin } = await this.#here();
      const ports = {
        threads: threads.filter(isThere),
        ask: (thread: ThreadName, its: PromisesWanted) => desk.ask(thread, 'promises', its),
        orderOf: (thread: ThreadName, begun: number) => this.#itinerary.orderOf(thread, begun, begin),
      };
      return promisesOf(ports, wanted);
    });
  }

  search(places: readonly BreakPlace[], from: Position): RecordedSearch {
    const start = (phase: number | undefined): EngineProcess => this.#start(phase, { places });
    return new RecordedSearch({ itinerary: this.#itinerary, from, start });
  }

  changes({ worker, life, ...wish }: ValueWish & ThreadName, from: Position): Changes {
    const values = { worker, life, ...wish };
    const start = (phase: number | undefined): EngineProcess => this.#start(phase, { values });
    return new RecordedChanges(new RecordedSearch({ itinerary: this.#itinerary, from, start }));
  }

  states(
    position: Position,
    of: readonly StateOf[],
    most: number,
    signal?: AbortSignal,
  ): Promise<readonly (StateParts | undefined)[]> {
    return this.#inTurn(async () => {
      this.#arrive(await this.#going(() => this.#goTo(position), signal));
      const { threads, desk } = await this.#here();
      const found: (StateParts | undefined)[] = [];
      for (const { worker, actor } of of) {
        const thread = threads.find((each) => each.worker === worker && isThere(each));
        const state = thread && (await desk.ask(thread, 'state', { actor, most }));
        found.push(state ?? undefined);
      }
      return found;
    });
  }

  wrote(position: Position, asked: WriteAsked, signal?: AbortSignal): Promise<Wrote> {
    this.#writes ??= new RecordedWrites(this.#itinerary, (phase, writes) => this.#start(phase, { writes }));
    return this.#writes.wrote(position, asked, signal);
  }

  /** Runs what is left, without a stop, and answers how the process has ended. Begins anew where it is asked for something then. */
  finish(): Promise<string> {
    return this.#inTurn(async () => {
      const { desk } = await this.#here();
      this.#running = undefined;
      return desk.finish();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#resting);
    this.#closes();
    this.#writes?.close();
    this.#spare.close();
    this.#kept.close();
    this.#end();
    await this.#last.catch(() => undefined);
    // What was asked before may have begun anew.
    this.#end();
    this.#kept.close();
  }

  /** One thing at a time. */
  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#last
      .catch(() => undefined)
      .then(() => {
        if (this.#isClosed) throw new EngineError('TT_ENGINE_LOST', 'the engine was closed');
        return run();
      });
    this.#last = done;
    return done;
  }

  /** Aborted, its process is ended: where it would stop, nobody knows. */
  async #going<T>(go: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (signal === undefined) return go();
    const abort = (): void => this.#end();
    if (signal.aborted) throw aborted(signal);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await go();
    } catch (error) {
      throw signal.aborted ? aborted(signal) : error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #end(): void {
    this.#running?.desk.end();
    this.#running = undefined;
  }

  // ── Where it stands ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** Before a stretch, or at the end. */
  #between(order: number): Stop {
    const thread = this.#itinerary.threadOf(order);
    return {
      position: { order, list: 0, statement: 0 },
      worker: thread?.worker,
      life: thread?.life,
      place: undefined,
    };
  }

  /** A process that stands where the engine does. */
  async #here(): Promise<Running> {
    const { position } = this.#stop;
    const running = this.#running;
    const isThere = running !== undefined && !running.desk.isLost && isSame(running.at, position);
    // What was evaluated may be looked at as long as it stands there.
    if (isThere) return running;
    await this.#goTo(position);
    return this.#running as unknown as Running;
  }

  async #ask<Q extends Question>(question: Q, wanted: Questions[Q]['wanted']): Promise<Questions[Q]['answer']> {
    const { desk } = await this.#here();
    const thread = this.#itinerary.threadOf(this.#stop.position.order) ?? MAIN;
    return desk.ask(thread, question, wanted);
  }

  async #askWorker<Q extends Question>(
    worker: number,
    question: Q,
    wanted: Questions[Q]['wanted'],
  ): Promise<Questions[Q]['answer']> {
    const { desk, threads } = await this.#here();
    const thread = threads.find((each) => each.worker === worker && isThere(each));
    return desk.ask(thread ?? { worker, life: 0 }, question, wanted);
  }

  async #goTo(position: Position): Promise<Stop> {
    return (await this.#backTo(position)) ?? (await this.#on(position)) ?? this.#goReallyTo(position);
  }

  /** So that what comes behind runs: of a program that is where it has been it is done again as it was. */
  async #goReallyTo(position: Position): Promise<Stop> {
    return (await this.#on(position, true)) as Stop;
  }

  /** Forward, in the process that comes there soonest; nothing if it was one that is not the same any more. */
  async #on(position: Position, isReal = false): Promise<Stop | undefined> {
    const running = await this.#nearest(position, isReal);
    // One that has not been anywhere yet has not said that it is there.
    if (isSame(running.at, position) && running.threads.length > 0) {
      if (this.#isTouched) await this.#ask('takeBack', undefined);
      this.#isTouched = false;
      return this.#stopAt(running);
    }
    return this.#go(running, position.order, targetOf(position));
  }

  /** In place; nothing if the process that runs is not behind there, or cannot. */
  async #backTo(position: Position): Promise<Stop | undefined> {
    const running = this.#running;
    if (running === undefined || this.#isSpoilt || running.desk.isLost) return undefined;
    const { at } = running;
    if (comparePositions(position, at) >= 0 || running.threads.length === 0) return undefined;
    running.hasBeenBack = true;
    // A stretch that it is in the midst of it runs to its end first.
    running.furthest ??= isBeginning(at) ? at : { order: at.order + 1, list: 0, statement: 0 };
    const late = setTimeout(() => running.desk.end(), PATIENCE);
    try {
      const stop = await this.#go(running, position.order, targetOf(position));
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

  async #goNext(): Promise<Stop> {
    if (this.#isSpoilt) await this.#goTo(this.#stop.position);
    const running = await this.#here();
    while (running.at.order < this.#itinerary.last) {
      const stop = await this.#go(running, running.at.order, { next: true });
      if (stop === undefined) {
        await this.#goTo(this.#stop.position);
        return this.#goNext();
      }
      if (stop.place !== undefined || !isBeginning(stop.position)) return stop;
    }
    return this.#between(running.at.order);
  }

  #arrive(stop: Stop): Stop {
    this.#stop = stop;
    this.#inRest(A_REST, () => {
      this.#rests();
      this.#inRest(A_LONG_REST - A_REST, () => {
        if (this.#goesBack) this.#spare.prepare(this.#stop.position.order);
      });
    });
    return stop;
  }

  /** Later, unless somebody is on the way then, who will rest, too. */
  #inRest(milliseconds: number, prepare: () => void): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      if (this.#underWay === 0 && !this.#isClosed) prepare();
    }, milliseconds).unref();
  }

  /** A process that comes there soonest: the one that runs, one that waits, or a new one. @param isReal none whose program is where it has been */
  async #nearest(position: Position, isReal: boolean): Promise<Running> {
    const { order } = position;
    const running = this.#isSpoilt || this.#running?.desk.isLost === true ? undefined : this.#running;
    const isBack = running === undefined || comparePositions(position, running.at) < 0;
    if (this.#running !== undefined && isBack) this.#goesBack = true;
    const spare = this.#spare.process;
    let first: Running | undefined;
    for (const each of [running, spare, this.#kept.nearest(position)])
      if (each !== undefined && comparePositions(each.at, position) <= 0 && !(isReal && each.furthest !== undefined))
        if (first === undefined || comparePositions(each.at, first.at) > 0) first = each;
    const begin = this.#itinerary.firstOf(this.#itinerary.phaseBefore(order));
    if (first !== undefined && this.#pace.isLong(this.#itinerary.work(first.at.order, begin))) first = undefined;
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

  /** One that is still on the way to where the engine stood takes time that the new one has use for. */
  #anew(order: number): Running {
    this.ways.anew++;
    this.#spare.giveUp();
    return (this.#running = this.#process(order));
  }

  /** It stays where it is, for whoever comes by again; but not what was changed by what was evaluated. */
  #leave(): void {
    const running = this.#running;
    this.#running = undefined;
    if (running !== undefined && !this.#isSpoilt && !running.desk.isLost) this.#kept.keep(running);
    else running?.desk.end();
    this.#isSpoilt = false;
  }

  /** One that stands before the first stretch of a snapshot. */
  #process(order: number, wishes?: ProcessWishes): Running {
    const phase = this.#itinerary.phaseBefore(order);
    const begin = this.#itinerary.firstOf(phase);
    const running: Running = {
      desk: new DeskLink(this.#start(phase, wishes), {
        progress: (done, of) => (this.#running === running ? this.onProgress?.(done, of) : undefined),
      }),
      begin,
      keepsCalls: wishes?.writes !== undefined,
      at: { order: begin, list: 0, statement: 0 },
      furthest: undefined,
      hasBeenBack: false,
      hasGone: false,
      threads: [],
    };
    return running;
  }

  /** To a stretch, or into it; nothing if it cannot go back there, or is not the same any more since it has been back. */
  async #go(
    running: Running,
    order: number,
    into: Target | { readonly next: true } | undefined,
    traces = false,
  ): Promise<Stop | undefined> {
    const thread = into === undefined ? undefined : this.#itinerary.threadOf(order);
    const isIn = thread !== undefined;
    const limits = this.#itinerary.limits(order, isIn, running.begin);
    const target = isIn && into !== undefined ? { ...thread, ...into } : undefined;
    let threads: readonly ThreadHere[];
    this.#underWay++;
    const began = performance.now();
    try {
      threads = await running.desk.go(limits, target, traces);
      if (!traces) this.#learns(running, order, performance.now() - began);
    } catch (error) {
      // Nobody knows where it stands.
      running.desk.end();
      throw error;
    } finally {
      this.#underWay--;
    }
    running.threads = threads;
    const difference = differenceIn(threads, ({ begun }) => `after ${begun} of its stretches`);
    if (difference !== undefined) {
      this.#end();
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
        : { order: isIn ? order + 1 : order, list: 0, statement: 0 };
    if (furthest !== undefined && comparePositions(running.at, furthest) >= 0) running.furthest = undefined;
    return this.#stopAt(running);
  }

  /** How long it has taken, before it is said that it is there. */
  #learns(running: Running, order: number, milliseconds: number): void {
    const { hasGone, keepsCalls, at } = running;
    running.hasGone = true;
    if (keepsCalls) return;
    const work = this.#itinerary.work(at.order, order);
    if (hasGone) this.#pace.went(work, milliseconds);
    else this.#pace.began(work, milliseconds);
  }

  async #stopAt({ at, desk }: Running): Promise<Stop> {
    const stop = this.#between(at.order);
    if (isBeginning(at)) return stop;
    const place = await desk.ask(this.#itinerary.threadOf(at.order) ?? MAIN, 'where', undefined);
    return { ...stop, position: at, place: place ?? undefined };
  }
}

function targetOf({ list, statement }: Position): Target | undefined {
  return list > 0 || statement > 0 ? { list, statement } : undefined;
}

/** It is not where it is to be. */
function isUnable({ worker, life, state, begun }: ThreadHere, limits: readonly Limit[]): boolean {
  if (state === 'unable') return true;
  const limit = limits.find((each) => each.worker === worker && each.life === life)?.stretches ?? 0;
  return begun > limit;
}

function isThere({ state }: ThreadHere): boolean {
  return state !== 'gone' && state !== 'unborn';
}

function isSame(one: Position, other: Position): boolean {
  return comparePositions(one, other) === 0;
}

function aborted(signal: AbortSignal): EngineError {
  return new EngineError('TT_ABORTED', 'nobody wants to go there any more', { cause: signal.reason });
}
