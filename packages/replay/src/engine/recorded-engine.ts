// An engine of a recording: one process that runs it again, and where it stands. Forward it goes on; back, or where what was evaluated may have changed something, it begins
// anew with the last snapshot before. Who asks does not notice but by the time it takes.
import { comparePositions, isBeginning, type Position } from '../position.ts';
import type { Survey } from '../survey/survey.ts';
import { DeskLink, type EngineProcess } from './desk-link.ts';
import {
  EngineError,
  OF_A_WORKER,
  type ActorHere,
  type ActorName,
  type BreakPlace,
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
import type { Question, Questions, ThreadHere, ThreadName } from './messages.ts';
import { RecordedSearch } from './recorded-search.ts';

export interface RecordedEngineParts {
  /** Made in debug mode, if positions are to be those of other sessions. */
  readonly survey: Survey;
  /** Snapshots that a process can begin with. */
  readonly phases: readonly number[];
  /** Starts one, with a snapshot or from where the survey begins; its threads stand before their first stretches. */
  start(from: number | undefined, places?: readonly BreakPlace[]): EngineProcess;
}

interface Running {
  readonly desk: DeskLink;
  /** The stretch that it has begun with. */
  readonly begin: number;
  at: Position;
  threads: readonly ThreadHere[];
}

interface Spare extends Running {
  /** When it is where it is to be. */
  ready: Promise<unknown>;
}

/** So many stretches behind where the engine stands a spare process waits. */
const BEHIND = 32;
const NOTHING: TracedStretch = { places: [], statements: [], isCut: false };
const MAIN: ThreadName = { worker: 0, life: 0 };

export class RecordedEngine implements Engine {
  readonly #itinerary: Itinerary;
  readonly #start: RecordedEngineParts['start'];
  #running: Running | undefined;
  /** Whoever has gone back once, will again: another process waits a little behind. */
  #spare: Spare | undefined;
  #goesBack = false;
  /** What was evaluated may have changed it. */
  #isSpoilt = false;
  #stop: Stop;
  /** The end of what was asked last. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  onProgress: Engine['onProgress'];

  constructor({ survey, phases, start }: RecordedEngineParts) {
    this.#itinerary = new Itinerary(survey, phases);
    this.#start = start;
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
        await this.#goTo({ order: from, list: 0, statement: 0 });
        const running = this.#running as unknown as Running;
        this.#stop = await this.#go(running, to + 1, undefined, true);
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
        throw new EngineError('TT_NO_POSITION', `the variables of frame ${frame} cannot be seen; those of frame 0 can`);
      return this.#ask('locals', undefined);
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
      if (!evaluated.isPure) this.#isSpoilt = true;
      return evaluated;
    });
  }

  actors(): Promise<readonly ActorHere[]> {
    return this.#inTurn(async () => {
      const { desk, threads } = await this.#here();
      const alive = threads.filter(({ state }) => state !== 'unborn' && state !== 'gone');
      const all = await Promise.all(alive.map((thread) => desk.ask(thread, 'actors', undefined)));
      return all.flat();
    });
  }

  search(places: readonly BreakPlace[], from: Position): RecordedSearch {
    const start = (phase: number | undefined): EngineProcess => this.#start(phase, places);
    return new RecordedSearch({ itinerary: this.#itinerary, from, start });
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
    this.#spare?.desk.end();
    this.#end();
    await this.#last.catch(() => undefined);
    // What was asked before may have begun anew.
    this.#end();
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
    const thread = threads.find((each) => each.worker === worker && each.state !== 'gone' && each.state !== 'unborn');
    return desk.ask(thread ?? { worker, life: 0 }, question, wanted);
  }

  async #goTo(position: Position): Promise<Stop> {
    let running = this.#running;
    if (running !== undefined && isSame(running.at, position) && !this.#isSpoilt && !running.desk.isLost)
      return this.#stopAt(running);
    if (running === undefined || this.#isSpoilt || running.desk.isLost || comparePositions(position, running.at) < 0) {
      if (running !== undefined) this.#goesBack = true;
      this.#end();
      running = (await this.#takeSpare(position)) ?? this.#begin(position.order);
    }
    const { order, list, statement } = position;
    const isIn = list > 0 || statement > 0;
    return this.#go(running, order, isIn ? { list, statement } : undefined);
  }

  async #goNext(): Promise<Stop> {
    if (this.#isSpoilt) await this.#goTo(this.#stop.position);
    const running = await this.#here();
    while (running.at.order < this.#itinerary.last) {
      const stop = await this.#go(running, running.at.order, { next: true });
      if (stop.place !== undefined || !isBeginning(stop.position)) return stop;
    }
    return this.#between(running.at.order);
  }

  #arrive(stop: Stop): Stop {
    this.#stop = stop;
    this.#prepare();
    return stop;
  }

  #begin(order: number): Running {
    this.#isSpoilt = false;
    return (this.#running = this.#process(order));
  }

  /** One that stands before the first stretch of a snapshot. */
  #process(order: number): Running {
    const phase = this.#itinerary.phaseBefore(order);
    const begin = this.#itinerary.firstOf(phase);
    const running: Running = {
      desk: new DeskLink(this.#start(phase), {
        progress: (done, of) => (this.#running === running ? this.onProgress?.(done, of) : undefined),
      }),
      begin,
      at: { order: begin, list: 0, statement: 0 },
      threads: [],
    };
    return running;
  }

  // ── The spare one ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Has one wait a little behind, if there is none that would do. */
  #prepare(): void {
    if (!this.#goesBack || this.#isClosed) return;
    const { order } = this.#stop.position;
    const wanted = Math.max(1, order - BEHIND);
    let spare = this.#spare;
    if (spare !== undefined && (spare.desk.isLost || spare.at.order > order)) {
      spare.desk.end();
      spare = undefined;
    }
    if (spare === undefined) spare = this.#spare = { ...this.#process(wanted), ready: Promise.resolve() };
    else if (spare.at.order > wanted - BEHIND) return;
    const { desk, begin, ready } = spare;
    spare.at = { order: wanted, list: 0, statement: 0 };
    spare.ready = ready.then(() => desk.go(this.#itinerary.limits(wanted, false, begin), undefined, false));
    // Whoever takes it sees.
    spare.ready.catch(() => undefined);
  }

  async #takeSpare(position: Position): Promise<Running | undefined> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined) return undefined;
    if (spare.desk.isLost || comparePositions(spare.at, position) > 0) {
      spare.desk.end();
      return undefined;
    }
    // Whoever gives up ends it.
    this.#running = spare;
    await spare.ready;
    this.#isSpoilt = false;
    return spare;
  }

  /** Forward: to a stretch, or into it. */
  async #go(
    running: Running,
    order: number,
    into: { readonly list: number; readonly statement: number } | { readonly next: true } | undefined,
    traces = false,
  ): Promise<Stop> {
    const thread = into === undefined ? undefined : this.#itinerary.threadOf(order);
    const isIn = thread !== undefined;
    const limits = this.#itinerary.limits(order, isIn, running.begin);
    const target = isIn && into !== undefined ? { ...thread, ...into } : undefined;
    const threads = await running.desk.go(limits, target, traces);
    running.threads = threads;
    const failed = threads.find(({ why }) => why === 'diverged');
    if (failed !== undefined) {
      this.#end();
      throw new EngineError(
        'TT_DIVERGED',
        `worker ${failed.worker} does something else than was recorded, after ${failed.begun} of its stretches; turntable replay says what`,
      );
    }
    const own = threads.find((each) => each.worker === thread?.worker && each.life === thread.life);
    if (own?.state === 'stopped') {
      running.at = { order, list: own.list, statement: own.statement };
      return this.#stopAt(running);
    }
    running.at = { order: isIn ? order + 1 : order, list: 0, statement: 0 };
    return this.#stopAt(running);
  }

  async #stopAt({ at, desk }: Running): Promise<Stop> {
    const stop = this.#between(at.order);
    if (isBeginning(at)) return stop;
    const place = await desk.ask(this.#itinerary.threadOf(at.order) ?? MAIN, 'where', undefined);
    return { ...stop, position: at, place: place ?? undefined };
  }
}

function isSame(one: Position, other: Position): boolean {
  return comparePositions(one, other) === 0;
}

function aborted(signal: AbortSignal): EngineError {
  return new EngineError('TT_ABORTED', 'nobody wants to go there any more', { cause: signal.reason });
}
