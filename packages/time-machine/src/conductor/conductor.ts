// Moves inside stretches, and what is there. Two engines: one goes ahead and notes all statements of a stretch at a time, by which it is known where every move leads without any run of the
// program; the other stands where somebody asks for variables, and goes there only then. So steps in either direction cost nothing but the notes of their stretch, once.
import type { Effects } from '../effects.ts';
import { EngineError } from '../replay-process/engine-error.ts';
import type { Change } from '../replay-process/recorded-changes.ts';
import type { RecordedEngine } from '../replay-process/recorded-engine.ts';
import type { Hit, RecordedSearch } from '../replay-process/recorded-search.ts';
import type { Wrote } from '../replay-process/wrote.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { firstFrom } from '../first-from.ts';
import type { Direction } from '../moves/move.ts';
import { beginOf, comparePositions, isBeginning, type Position } from '../position.ts';
import { afterAMoment, Ahead, type Later } from './ahead.ts';
import { placeWished, type Breakpoint, type BreakpointWish } from './breakpoints.ts';
import { differencesOf, type Different } from './difference.ts';
import { Hits } from './hits.ts';
import { KnownPlaces } from './known-places.ts';
import { lastWrite } from './last-write.ts';
import type { Led } from './ways.ts';
import { Traced } from './traced.ts';
import type {
  BreakPlace,
  Entry,
  Evaluated,
  Frame,
  LinePlace,
  StatementPlace,
  StateOf,
  ThreadName,
  WatchedExpression,
  WriteQuery,
} from '../replay-process/protocol.ts';

export interface Engines {
  /** Stands where something is asked for. */
  readonly standing: RecordedEngine;
  /** Notes the statements of stretches. */
  readonly scout: RecordedEngine;
}

/** Whoever waits for a move. */
export interface Waiting {
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
}

export interface LogWish extends LinePlace {
  /** A place in the order. */
  readonly from: number;
  /** At most so many are told. */
  readonly count: number;
}

export interface EvaluationWish {
  readonly text: string;
  readonly effects: Effects | undefined;
  /** The innermost, unless it is said; of an outer one what changes something is not evaluated. */
  readonly frame?: number | undefined;
}

export interface MeantHappening {
  /** In which it does, ascending. */
  readonly stretches: ArrayLike<number>;
  readonly kinds: readonly string[];
  /** Of what it tells. */
  isMeant(text: string): boolean;
}

export interface SeenFrame extends Frame {
  /** Its last statement; nothing, if its variables cannot be seen. */
  readonly at: Position | undefined;
}

export interface Step {
  readonly from: Position;
  readonly direction: Direction;
  /** The actor that `this` is in an expression, if that is said. */
  readonly of?: StateOf | undefined;
}

/** Statements of stretches that are kept. */
const MOST_KEPT = 4_000_000;
/** Stretches that are noted together, and lists of statements at most. */
const AT_A_TIME = 64;
const MOST_AHEAD = 100_000;
/** Of a state that is compared. */
const MOST_PARTS = 20_000;

export class Conductor {
  readonly #index: SurveyIndex;
  readonly #engines: Engines;
  /** Those that were looked at last are at the end. */
  readonly #traced = new Map<number, Traced>();
  #kept = 0;
  readonly #places = new KnownPlaces();
  readonly #breakpoints = new Map<number, Breakpoint>();
  #lastBreakpoint = 0;
  /** Of the breakpoints that there are. */
  #hits: Hits | undefined;
  /** What is asked of the engine that stands: one thing at a time, each with the way there. */
  #asked: Promise<unknown> = Promise.resolve();
  #hasLeft = true;
  readonly #ahead: Ahead;

  /** @param later when what may be asked for next is made */
  constructor(index: SurveyIndex, engines: Engines, later: Later = afterAMoment) {
    this.#index = index;
    this.#engines = engines;
    const { signal } = new AbortController();
    this.#ahead = new Ahead({
      ...engines,
      index,
      later,
      nextOf: (order) => this.#nextOf(order),
      trace: (from, to) => this.#traceNow(to, signal, [from, to]),
      stand: (position) => this.at(position, signal, () => Promise.resolve()),
    });
  }

  // Moves: nothing, if there is no such place.

  /** The next statement in the order, on whatever thread. */
  async statement({ from, direction }: Step, waiting: Waiting): Promise<Position | undefined> {
    const isForward = direction === 'forward';
    return this.#firstIn(from, direction, waiting, async (traced, index) => {
      const next = isForward ? index + 1 : index - 1;
      return next >= 0 && next < traced.count ? next : undefined;
    });
  }

  /** The next statement that is no deeper. Behind the last one of the stretch, the worker's next stretch. */
  over(step: Step, waiting: Waiting): Promise<Position | undefined> {
    return this.#higher(step, waiting, 0);
  }

  /** The next statement that is less deep: where the function returns to, or was called. */
  out(step: Step, waiting: Waiting): Promise<Position | undefined> {
    return this.#higher(step, waiting, 1);
  }

  /** @param levels how many frames fewer, at least */
  async #higher({ from, direction }: Step, { signal }: Waiting, levels: 0 | 1): Promise<Position | undefined> {
    const traced = await this.#tracedAt(from, signal, direction);
    const at = traced === undefined ? -1 : traced.indexOf(from);
    const isForward = direction === 'forward';
    if (traced === undefined || (at === -1 && !(isForward && levels === 0 && traced.count > 0)))
      return this.#outside(from, direction, signal);
    if (at === -1) return traced.position(0);
    const depth = traced.depth(at) - levels;
    const next = traced.nearest(at, isForward ? 1 : -1, (index) => traced.depth(index) <= depth);
    if (next !== -1) return traced.position(next);
    return isForward ? this.#outside(from, direction, signal) : beginOf(from.order);
  }

  /** The next statement with a breakpoint whose condition holds. */
  async breakpoint({ from, direction }: Step, { signal, progress }: Waiting): Promise<Position | undefined> {
    const all = [...this.#breakpoints.values()];
    if (all.length === 0) return undefined;
    const { count } = this.#index;
    const first = beginOf(1);
    const open = (): RecordedSearch => this.#engines.scout.search(all.map(placeOfBreakpoint), first);
    const times = all.map((each) => each.times);
    const hits = (this.#hits ??= new Hits(open, times, count));
    const tell = (done: number): void => progress(done, count);
    try {
      return direction === 'forward' ? await hits.after(from, signal, tell) : await hits.before(from, signal, tell);
    } catch (error) {
      // Nobody knows how far it has come.
      if (this.#hits === hits) this.#forgetHits();
      throw error;
    }
  }

  /** Those that a search has found to be at a position. */
  breakpointsAt(position: Position): number[] {
    const ids = [...this.#breakpoints.keys()];
    return (this.#hits?.placesAt(position) ?? []).flatMap((place) => ids[place] ?? []);
  }

  #forgetHits(): void {
    this.#hits?.close();
    this.#hits = undefined;
  }

  /** The nearest place where something happens. */
  async happening(
    { from, direction }: Step,
    { stretches, kinds, isMeant }: MeantHappening,
    { signal, progress }: Waiting,
  ): Promise<Position | undefined> {
    const isForward = direction === 'forward';
    const isBeyond = (each: Position): boolean => comparePositions(each, from) * (isForward ? 1 : -1) > 0;
    const all = Array.from(stretches).filter((order) => (isForward ? order >= from.order : order <= from.order));
    for (const [done, order] of (isForward ? all : all.toReversed()).entries()) {
      signal.throwIfAborted();
      const traced = await this.#trace(order, signal);
      const places = traced.happenings(kinds, isMeant);
      const found = isForward ? places.find(isBeyond) : places.findLast(isBeyond);
      if (found !== undefined) return found;
      progress(done, all.length);
    }
    return undefined;
  }

  /** What an expression comes to each time that the recording comes by a line, from a place on, and where to go on if there is more. */
  async log(
    { count, from, ...place }: LogWish,
    { signal, progress }: Waiting,
  ): Promise<{ readonly hits: readonly Hit[]; readonly next: number | undefined }> {
    const all = this.#index.count;
    const search = this.#engines.scout.search([place], beginOf(from));
    search.onProgress = (done) => progress(done, all);
    const hits: Hit[] = [];
    try {
      let order = from;
      for (let piece = 256; order <= all && hits.length < count; piece *= 2) {
        order = Math.min(order + piece, all + 1);
        hits.push(...(await search.upTo(beginOf(order), signal)));
        progress(order, all);
      }
      const last = hits[count];
      if (last === undefined) return { hits, next: order <= all ? order : undefined };
      // Whole stretches, so that who asks on goes on with the next one; one that has too many is cut off.
      const whole = hits.filter(({ position }) => position.order < last.position.order);
      if (whole.length > 0) return { hits: whole, next: last.position.order };
      return { hits: hits.slice(0, count), next: last.position.order + 1 };
    } finally {
      search.close();
    }
  }

  /** Who has given something its value: the statement, or the one that has passed or sent it. */
  wrote(from: Position, { text, of }: Pick<WriteQuery, 'text' | 'of'>, signal: AbortSignal): Promise<Led> {
    const parts = {
      index: this.#index,
      traced: (order: number) => this.#trace(order, signal),
      sentAt: (order: number) => this.sentAt(order, signal),
      wrote: async (earlier: readonly (readonly [number, number])[]) => {
        const found = await this.#wrote(from, { text, earlier, of }, signal);
        if (found.position !== undefined && found.place !== undefined) this.#places.know(found.position, found.place);
        return found;
      },
    };
    return lastWrite(parts, from, { text, of });
  }

  async #wrote(from: Position, asked: WriteQuery, signal: AbortSignal): Promise<Wrote> {
    if (asked.of !== undefined) return this.#engines.scout.wrote(from, asked, signal);
    const near = await this.at(from, signal, (engine) => engine.wroteNear(asked, signal));
    if (near.is !== 'unwritten') return near;
    return this.#engines.scout.wrote(from, { ...asked, since: near.position?.order }, signal);
  }

  /** The statement that has sent the message which a stretch is about; its stretch, if nobody knows. */
  async sentAt(order: number, signal: AbortSignal): Promise<Position | undefined> {
    const index = this.#index;
    const sender = order > index.count ? undefined : index.sender(order);
    if (sender === undefined) return undefined;
    const kind = index.kind(order);
    if (kind !== 'call' && kind !== 'construct') return beginOf(sender);
    const performer = index.performer(order);
    const methodOf = (each: number): string => (kind === 'call' ? (index.survey.stretch(each).method ?? '') : '');
    const method = methodOf(order);
    // What one actor sends to another comes in that order.
    const alike = index
      .receivers(sender)
      .filter((each) => index.kind(each) === kind && index.performer(each) === performer && methodOf(each) === method);
    const traced = await this.#trace(sender, signal);
    const called = traced.sends.filter(([, , each]) => each === method);
    const named = called.filter(([, actor]) => actor === performer?.name);
    // References from elsewhere may know the actor by its class only: then it is these, if they are as many.
    const sends = named.length === 0 && called.length === alike.length ? called : named;
    const [statement = -1] = sends[alike.indexOf(order)] ?? [];
    return statement === -1 ? beginOf(sender) : traced.position(statement);
  }

  /** Parts of the states of actors and programs that differ between two positions; whether there may be more. */
  async difference(
    of: readonly StateOf[],
    [from, to]: readonly [Position, Position],
    signal: AbortSignal,
  ): Promise<{ readonly found: readonly (Different & Pick<StateOf, 'actor'>)[]; readonly isCut: boolean }> {
    const { scout } = this.#engines;
    const isForward = comparePositions(from, to) <= 0;
    // A process goes forward.
    const first = await scout.states(isForward ? from : to, of, MOST_PARTS, signal);
    const second = await scout.states(isForward ? to : from, of, MOST_PARTS, signal);
    const [before, after] = isForward ? [first, second] : [second, first];
    return {
      found: of.flatMap(({ actor }, i) => differencesOf(before[i], after[i]).map((each) => ({ actor, ...each }))),
      isCut: [...first, ...second].some((each) => each?.isCut === true),
    };
  }

  /** Each stretch in which an expression of an actor became another one, from a place on, and where to go on if there may be more. */
  async changes(
    wish: WatchedExpression & ThreadName,
    { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
    { signal, progress }: Waiting,
  ): Promise<{ readonly changes: readonly Change[]; readonly next: number | undefined }> {
    const search = this.#engines.scout.changes(wish, beginOf(from));
    const changes: Change[] = [];
    try {
      let order = from;
      for (let piece = 256; order <= to && changes.length < count; piece *= 2) {
        order = Math.min(order + piece, to + 1);
        changes.push(...(await search.upTo(order, signal)));
        progress(order, to);
      }
      const last = changes[count];
      return { changes: changes.slice(0, count), next: last?.position.order ?? (order <= to ? order : undefined) };
    } finally {
      search.close();
    }
  }

  /** The first of what is wanted, stretch by stretch. @param find is given where it begins in a stretch, which is beyond its end where that was not begun with */
  async #firstIn(
    from: Position,
    direction: Direction,
    { signal, progress }: Waiting,
    find: (traced: Traced, index: number) => Promise<number | undefined>,
  ): Promise<Position | undefined> {
    const step = direction === 'forward' ? 1 : -1;
    const { count } = this.#index;
    const first = Math.min(from.order, step === 1 ? Infinity : count);
    for (let order = first, done = 0; order >= 1 && order <= count; order += step, done++) {
      signal.throwIfAborted();
      const traced = await this.#trace(
        order,
        signal,
        step === 1 ? [order, order + AT_A_TIME] : [order - AT_A_TIME, order],
      );
      const isFirst = order === from.order;
      const found = await find(traced, isFirst ? traced.indexOf(from) : step === 1 ? -1 : traced.count);
      if (found !== undefined) return traced.position(found);
      if (done > 0) progress(done, count);
    }
    return undefined;
  }

  /** The next stretch of the same worker; back, where the one before is about to be over. */
  async #outside({ order }: Position, direction: Direction, signal: AbortSignal): Promise<Position | undefined> {
    const isForward = direction === 'forward';
    const { count } = this.#index;
    if (order > count) return isForward || count === 0 ? undefined : this.#endOf(count, signal);
    const next = this.#nextOf(order, isForward ? 1 : -1);
    if (next === undefined) return isForward ? beginOf(count + 1) : undefined;
    return isForward ? beginOf(next) : this.#endOf(next, signal);
  }

  /** Of its worker. */
  #nextOf(order: number, step: 1 | -1 = 1): number | undefined {
    const those = this.#index.ofWorker(this.#index.worker(order));
    return those[firstFrom(those, order) + step];
  }

  async #endOf(order: number, signal: AbortSignal): Promise<Position> {
    const traced = await this.#tracedAt(beginOf(order), signal, 'backward');
    const last = traced?.lastOutermost ?? -1;
    return last === -1 || traced === undefined ? beginOf(order) : traced.position(last);
  }

  /** Where a position is in the source; nothing for the beginning of a stretch, and where it has no such statement. */
  async placeOf(position: Position, signal: AbortSignal): Promise<StatementPlace | undefined> {
    if (isBeginning(position)) return undefined;
    const known = this.#places.at(position);
    if (known !== undefined) return known;
    const traced = await this.#tracedAt(position, signal);
    const index = traced?.indexOf(position) ?? -1;
    if (traced === undefined || index === -1) return undefined;
    const { list, statement } = traced.position(index);
    return list === position.list && statement === position.statement ? traced.place(index) : undefined;
  }

  /** @param direction in which others will be wanted next: whoever goes back goes on back, for which the scout would have to begin anew each time */
  async #tracedAt(
    { order }: Position,
    signal: AbortSignal,
    direction: Direction = 'forward',
  ): Promise<Traced | undefined> {
    if (order > this.#index.count) return undefined;
    return this.#trace(order, signal, direction === 'forward' ? undefined : [order - AT_A_TIME, order]);
  }

  /** @param around which others will be wanted next, as far as they do not take long: first and last of them */
  async #trace(
    order: number,
    signal: AbortSignal,
    around: readonly [number, number] = [order, order],
  ): Promise<Traced> {
    if (!this.#traced.has(order)) await this.#ahead.traced();
    return this.#traceNow(order, signal, around);
  }

  async #traceNow(order: number, signal: AbortSignal, around: readonly [number, number]): Promise<Traced> {
    const known = this.#traced.get(order);
    if (known !== undefined) {
      this.#traced.delete(order);
      this.#traced.set(order, known);
      return known;
    }
    const [from, to] = this.#within(order, around);
    const all = await this.#engines.scout.trace(from, to, signal);
    all.forEach((told, i) => {
      if (this.#traced.has(from + i)) return;
      const traced = new Traced(from + i, told);
      this.#traced.set(from + i, traced);
      this.#kept += traced.count;
    });
    for (const [oldest, its] of this.#traced) {
      if (this.#kept <= MOST_KEPT || (oldest >= from && oldest <= to)) break;
      this.#traced.delete(oldest);
      this.#kept -= its.count;
    }
    return this.#traced.get(order) as Traced;
  }

  /** Those around a stretch that are not known, up to one that is or until they are many statements. */
  #within(order: number, [first, last]: readonly [number, number]): [from: number, to: number] {
    const { survey, count } = this.#index;
    let [from, to, lists] = [order, order, survey.stretch(order).lists];
    const isWanted = (each: number): boolean => {
      if (each < 1 || each > count || this.#traced.has(each)) return false;
      lists += survey.stretch(each).lists;
      return lists <= MOST_AHEAD;
    };
    while (to < last && isWanted(to + 1)) to++;
    while (from > first && isWanted(from - 1)) from--;
    return [from, to];
  }

  /** What has been evaluated is not to be seen any more. @param to where all stand next */
  goes(to: Position): void {
    this.#hasLeft = true;
    this.#ahead.at(to);
  }

  async frames(position: Position, signal: AbortSignal): Promise<readonly SeenFrame[]> {
    const frames = await this.at(position, signal, (engine) => engine.frames());
    const traced = isBeginning(position) ? undefined : await this.#tracedAt(position, signal);
    return frames.map((frame) => {
      const at = frame.index === 0 ? position : traced && lastOf(traced, position, frame);
      return { ...frame, at };
    });
  }

  /** Of a frame, by its index: of an outer one, as they were when its last statement began. */
  async variables(position: Position, frame: number, signal: AbortSignal): Promise<readonly Entry[]> {
    if (frame === 0) return this.at(position, signal, (engine) => engine.locals(0));
    const at = await this.#callOf(position, frame, signal);
    return this.at(position, signal, (engine) => engine.localsAt(at));
  }

  /** The last statement that has begun in a frame. */
  async #callOf(position: Position, frame: number, signal: AbortSignal): Promise<Position> {
    const { at } = (await this.frames(position, signal))[frame] ?? {};
    if (at === undefined) throw new EngineError('TT_NO_POSITION', `the variables of frame ${frame} cannot be seen`);
    return at;
  }

  async evaluate(
    position: Position,
    { text, effects, frame = 0 }: EvaluationWish,
    signal: AbortSignal,
  ): Promise<Evaluated> {
    if (frame > 0) {
      const at = await this.#callOf(position, frame, signal);
      return this.at(position, signal, (engine) => engine.evaluateAt(at, text, signal));
    }
    return this.at(position, signal, (engine) => engine.evaluate(text, signal, effects));
  }

  /** A request to the engine that stands at a position. */
  at<T>(position: Position, signal: AbortSignal, ask: (engine: RecordedEngine) => Promise<T>): Promise<T> {
    const { standing } = this.#engines;
    const asked = this.#asked.then(async () => {
      signal.throwIfAborted();
      const { order, list, statement } = standing.stop.position;
      const isThere = order === position.order && list === position.list && statement === position.statement;
      if (!isThere || this.#hasLeft) await standing.to(position, signal);
      signal.throwIfAborted();
      this.#hasLeft = false;
      return ask(standing);
    });
    this.#asked = asked.catch(() => {});
    return asked;
  }

  get breakpoints(): Breakpoint[] {
    return [...this.#breakpoints.values()];
  }

  /** Or what is wrong with it, as a sentence. */
  addBreakpoint(wish: BreakpointWish): Breakpoint | string {
    const place = placeWished(wish);
    if (typeof place === 'string') return place;
    const breakpoint = { ...wish, id: ++this.#lastBreakpoint };
    this.#breakpoints.set(breakpoint.id, breakpoint);
    this.#forgetHits();
    return breakpoint;
  }

  /** Whether it was there. */
  removeBreakpoint(id: number): boolean {
    this.#forgetHits();
    return this.#breakpoints.delete(id);
  }

  async close(): Promise<void> {
    this.#ahead.close();
    this.#forgetHits();
    await Promise.all([this.#engines.standing.close(), this.#engines.scout.close()]);
  }
}

/** It was seen to be one when it was wished for. */
function placeOfBreakpoint(breakpoint: Breakpoint): BreakPlace {
  const place = placeWished(breakpoint);
  if (typeof place === 'string') throw new TypeError(place);
  return place;
}

/** Where an outer frame has come to, in the stretch; nothing, if that is not the program's, or of another one. */
function lastOf(traced: Traced, position: Position, { above, place }: Frame): Position | undefined {
  const found = traced.outer(traced.indexOf(position), above);
  return found !== -1 && traced.place(found).file === place?.file ? traced.position(found) : undefined;
}
