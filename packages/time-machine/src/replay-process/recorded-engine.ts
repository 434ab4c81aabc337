// An engine of a recording: the program as it was at the position where the engine stands, statement by statement. Requests are
// answered one after the other. Only `evaluate` runs code of the program.
import { isBeginning, type Position } from '../position.ts';
import type { Effects } from '../effects.ts';
import type { Survey } from '../survey/survey.ts';
import { digestsAt, type WorkerDigest } from './digests.ts';
import type { ReplayProcess, Urgency } from './coordinator-link.ts';
import { EngineError } from './engine-error.ts';
import { Itinerary } from './itinerary.ts';
import { Mailboxes, type Mailbox } from './mailboxes.ts';
import { promisesOf, type Promises } from './promises.ts';
import type { Beginning } from './pace.ts';
import { wroteNear } from './near-writes.ts';
import { RecordedChanges } from './recorded-changes.ts';
import { RecordedSearch } from './recorded-search.ts';
import { RecordedWrites } from './recorded-writes.ts';
import { Whereabouts, type Stop } from './whereabouts.ts';
import type { Wrote } from './wrote.ts';
import {
  type ActorInfo,
  type ActorName,
  type BreakPlace,
  type Entries,
  type Entry,
  type Evaluated,
  type Frame,
  OBJECT_IDS_PER_WORKER,
  type Page,
  type ProcessOptions,
  type PromisesQuery,
  type StateOf,
  type StateParts,
  type TextPiece,
  type ThreadName,
  type ThreadRequestName,
  type ThreadRequests,
  type ThreadStatus,
  type TracedStretch,
  type WatchedExpression,
  type WriteQuery,
} from './protocol.ts';

export interface RecordedEngineParts {
  /** Made in debug mode, if positions are to be those of other sessions. */
  readonly survey: Survey;
  /** Snapshots that a process can begin with. */
  readonly phases: readonly number[];
  /** Whether one is whole: it is asked before a process begins with it. */
  readonly isUsable?: (phase: number) => boolean;
  /** Starts one, with a snapshot or from where the survey begins; its threads stand before their first stretches. */
  start(from: number | undefined, wishes?: ProcessOptions, urgency?: Urgency): ReplayProcess;
  /** How one would begin now that somebody waits for. */
  beginning?(): Beginning;
  /** Bytes that processes may take which stand where the engine has been. */
  readonly memory?: number;
  /** Nobody has gone anywhere for a while: something may be prepared. */
  readonly rests?: (isLong: boolean) => void;
  readonly closes?: () => void;
  /** Of what makes all ways longer, once. */
  readonly warns?: (text: string) => void;
}

/** Milliseconds that a process is given whose way nobody wants any more: most ways are shorter, and another process takes longer to begin. */
const A_MOMENT = 1000;
const NOTHING: TracedStretch = { places: [], statements: [], isCut: false, sends: [] };

export class RecordedEngine {
  readonly #itinerary: Itinerary;
  readonly #mailboxes: Mailboxes;
  readonly #survey: Survey;
  readonly #at: Whereabouts;
  readonly #start: RecordedEngineParts['start'];
  readonly #closes: () => void;
  /** The end of what was asked last. */
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #writes: RecordedWrites | undefined;

  constructor({
    survey,
    phases,
    isUsable,
    start,
    beginning = () => 'anew',
    memory = 0,
    rests = () => {},
    closes = () => {},
    warns,
  }: RecordedEngineParts) {
    this.#closes = closes;
    this.#start = start;
    this.#survey = survey;
    this.#mailboxes = new Mailboxes(survey);
    const itinerary = new Itinerary(survey, phases, isUsable, warns);
    this.#itinerary = itinerary;
    this.#at = new Whereabouts({ itinerary, start, beginning, memory, rests });
  }

  /** So often it has gone back in place, and begun anew. */
  get ways(): Whereabouts['ways'] {
    return this.#at.ways;
  }

  get stop(): Stop {
    return this.#at.stop;
  }

  /**
   * Goes there, in whichever direction. A statement that its stretch does not have stands for what comes behind it: the next statement, or the stretch behind.
   * Aborted, it stands where it has come to, or where it was.
   */
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
      return this.#at.arrive(await this.#going(() => this.#at.goTo(position), signal));
    });
  }

  /** To the next statement in the order; into the next stretch behind the last of its own. */
  next(signal?: AbortSignal): Promise<Stop> {
    return this.#inTurn(async () => this.#at.arrive(await this.#going(() => this.#at.goNext(), signal)));
  }

  /** All statements of each of some stretches, the first and the last of which are given. It stands behind them then. */
  trace(from: number, to: number, signal?: AbortSignal): Promise<readonly TracedStretch[]> {
    return this.#inTurn(() =>
      this.#going(async () => {
        if (from < 1 || to < from || to >= this.#itinerary.last)
          throw new EngineError('TT_NO_POSITION', `there are no stretches from ${from} to ${to}`);
        const { coordinator, begin } = await this.#at.passed(from, to);
        const traced: TracedStretch[] = Array.from({ length: to - from + 1 }, () => NOTHING);
        for (const name of this.#itinerary.threadsIn(from, to))
          for (const { begun, ...its } of await coordinator.ask(name, 'traced', undefined)) {
            const order = this.#itinerary.orderOf(name, begun, begin);
            if (order !== undefined && order >= from && order <= to) traced[order - from] = its;
          }
        return traced;
      }, signal),
    );
  }

  frames(): Promise<readonly Frame[]> {
    return this.#inTurn(() => this.#at.ask('frames', undefined));
  }

  /** Variables of the innermost frame, which is 0. */
  locals(frame: number): Promise<readonly Entry[]> {
    return this.#inTurn(async () => {
      if (frame !== 0)
        throw new EngineError('TT_NO_POSITION', `of frame ${frame} it has to be said which statement is its last`);
      return this.#at.ask('locals', undefined);
    });
  }

  /** Variables of a statement that has begun earlier in the stretch, as they were then: for an outer frame, of its last statement. */
  localsAt(statement: { readonly list: number; readonly statement: number }): Promise<readonly Entry[]> {
    return this.#inTurn(() => this.#askCalls('localsAt', statement));
  }

  /** Evaluates an expression that changes nothing, with the variables of `localsAt`, as far as it has no side effects. */
  evaluateAt(
    statement: { readonly list: number; readonly statement: number },
    text: string,
    signal?: AbortSignal,
  ): Promise<Evaluated> {
    return this.#inTurn(() => this.#going(() => this.#askCalls('evaluateAt', { ...statement, text }), signal));
  }

  /** Of the thread that stands in a call. */
  async #askCalls<Q extends 'localsAt' | 'evaluateAt'>(
    question: Q,
    wanted: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const { position } = this.#at.stop;
    const thread = this.#itinerary.threadOf(position.order);
    if (thread === undefined || isBeginning(position))
      throw new EngineError('TT_NO_POSITION', 'no call has begun where the program stands');
    const { coordinator } = await this.#at.withCalls(thread);
    return coordinator.ask(thread, question, wanted);
  }

  /** The parts of an object that was shown since it stands here. */
  expand(id: number, page: Page): Promise<Entries> {
    return this.#inTurn(() => this.#askWorker(Math.floor(id / OBJECT_IDS_PER_WORKER), 'expand', { ...page, id }));
  }

  /** A piece of a text that was shown since it stands here. */
  text(id: number, page: Page): Promise<TextPiece> {
    return this.#inTurn(() => this.#askWorker(Math.floor(id / OBJECT_IDS_PER_WORKER), 'text', { ...page, id }));
  }

  mailbox({ worker, id }: ActorName, page: Page): Promise<Mailbox> {
    return this.#inTurn(async () => {
      const { coordinator, threads } = await this.#at.here();
      const thread = threadOn(worker, threads);
      return this.#mailboxes.at(this.stop.position, { ...thread, id }, page, (wanted) =>
        coordinator.ask(thread, 'mailbox', wanted),
      );
    });
  }

  /** Evaluates an expression with the variables of the innermost frame. It may run for ever, until it is aborted. */
  evaluate(text: string, signal?: AbortSignal, effects: Effects = 'any'): Promise<Evaluated> {
    return this.#inTurn(async () => {
      const evaluated = await this.#going(() => this.#at.ask('evaluate', { text, effects }), signal);
      this.#at.hasEvaluated(evaluated);
      return evaluated;
    });
  }

  actors(): Promise<readonly ActorInfo[]> {
    return this.#inTurn(async () => {
      const { coordinator, threads } = await this.#at.here();
      const alive = threads.filter(isThere);
      const { position } = this.stop;
      const told = alive.map(async (thread) =>
        (await coordinator.ask(thread, 'actors', undefined)).flatMap((actor) => {
          const its = { ...thread, name: actor.name };
          if (!this.#mailboxes.has(position, its)) return [];
          return [{ ...actor, waiting: this.#mailboxes.count(position, its, actor.waiting) }];
        }),
      );
      return (await Promise.all(told)).flat();
    });
  }

  /** Awaited promises; or one, and what it waits for. */
  promises(wanted: PromisesQuery): Promise<Promises> {
    return this.#inTurn(async () => {
      const { coordinator, threads, begin } = await this.#at.here();
      const ports = {
        threads: threads.filter(isThere),
        ask: (thread: ThreadName, its: PromisesQuery) => coordinator.ask(thread, 'promises', its),
        orderOf: (thread: ThreadName, begun: number) => this.#itinerary.orderOf(thread, begun, begin),
      };
      return promisesOf(ports, wanted);
    });
  }

  /** A search from a position on, independent of the engine. */
  search(places: readonly BreakPlace[], from: Position): RecordedSearch {
    const start = (phase: number | undefined): ReplayProcess => this.#start(phase, { places });
    return new RecordedSearch({ itinerary: this.#itinerary, from, start });
  }

  /** A search for the stretches of one thread in which an expression changed. */
  changes(values: WatchedExpression & ThreadName, from: Position): RecordedChanges {
    const start = (phase: number | undefined): ReplayProcess => this.#start(phase, { values });
    return new RecordedChanges(new RecordedSearch({ itinerary: this.#itinerary, from, start }));
  }

  /** States of actors and programs at a position, where it stands then; undefined for one that does not exist there. @param most parts of each */
  states(
    position: Position,
    of: readonly StateOf[],
    most: number,
    signal?: AbortSignal,
  ): Promise<readonly (StateParts | undefined)[]> {
    return this.#inTurn(async () => {
      this.#at.arrive(await this.#going(() => this.#at.goTo(position), signal));
      const { threads, coordinator } = await this.#at.here();
      const found: (StateParts | undefined)[] = [];
      for (const { worker, actor } of of) {
        const thread = threads.find((each) => each.worker === worker && isThere(each));
        const state = thread && (await coordinator.ask(thread, 'state', { actor, most }));
        found.push(state ?? undefined);
      }
      return found;
    });
  }

  /** Of all that the program is where it stands: the same by whatever way it has come there. @param awaited as of digests.ts */
  digests({ awaited = false } = {}): Promise<readonly WorkerDigest[]> {
    return this.#inTurn(async () => {
      const { coordinator, threads } = await this.#at.here();
      const ask = (thread: ThreadName, wanted: ThreadRequests['digest']['params']) =>
        coordinator.ask(thread, 'digest', wanted);
      return digestsAt(this.#survey, this.stop.position, threads.filter(isThere), ask, awaited);
    });
  }

  /** The last write of what an expression evaluates to here, if this process knows it; otherwise unwritten. */
  wroteNear(asked: WriteQuery, signal?: AbortSignal): Promise<Wrote> {
    return this.#inTurn(() => this.#going(() => wroteNear(this.#at, this.#itinerary, asked), signal));
  }

  /** The last write before a position, however long ago, found by another process. */
  wrote(position: Position, asked: WriteQuery, signal?: AbortSignal): Promise<Wrote> {
    this.#writes ??= new RecordedWrites(this.#itinerary, (phase, writes) => this.#start(phase, { writes }));
    return this.#writes.wrote(position, asked, signal);
  }

  /** Runs what is left, without a stop, and answers how the process has ended. Begins anew where it is asked for something then. */
  finish(): Promise<string> {
    return this.#inTurn(async () => {
      return (await this.#at.release()).finish();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closes();
    this.#writes?.close();
    this.#at.close();
    await this.#last.catch(() => undefined);
    // What was asked before may have begun anew.
    this.#at.close();
  }

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

  /** Aborted, its process is ended, unless it is there in a moment: where it would stop, nobody knows, and who goes on at once has use for it. */
  async #going<T>(go: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (signal === undefined) return go();
    if (signal.aborted) throw aborted(signal);
    let late: NodeJS.Timeout | undefined;
    const abort = (): void => void (late = setTimeout(() => this.#at.end(), A_MOMENT));
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await go();
    } catch (error) {
      throw signal.aborted ? aborted(signal) : error;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Of the thread of the worker that is there. */
  async #askWorker<Q extends ThreadRequestName>(
    worker: number,
    question: Q,
    wanted: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const { coordinator, threads } = await this.#at.here();
    return coordinator.ask(threadOn(worker, threads), question, wanted);
  }
}

function threadOn(worker: number, threads: readonly ThreadStatus[]): ThreadName {
  const { life } = threads.find((each) => each.worker === worker && isThere(each)) ?? { life: 0 };
  return { worker, life };
}

function isThere({ state }: ThreadStatus): boolean {
  return state !== 'gone' && state !== 'unborn';
}

function aborted(signal: AbortSignal): EngineError {
  return new EngineError('TT_ABORTED', 'nobody wants to go there any more', { cause: signal.reason });
}
