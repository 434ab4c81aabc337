// Who has written something last: a process of its own runs from the last snapshot before the position to there, notes on the way which statement writes what, and is asked there: it holds the very
// object. If nobody has written it since, another one begins with a snapshot before, each time twice as many further back, up to the start: all of it is run as often as that takes. What objects
// get as they come into being is noted by one more, in the stretch in which it was. As one question leads to the next one, a process waits for that from then on.
import { beginOf, comparePositions, isBeginning, type Position } from '../position.ts';
import { CoordinatorLink, type ReplayProcess } from './coordinator-link.ts';
import { EngineError } from './engine-error.ts';
import type { Itinerary } from './itinerary.ts';
import { differenceIn, isUnable } from './differing.ts';
import { isAnswer, type Wrote } from './wrote.ts';
import type { FoundWrite, ThreadName, WriteQuery, WriteTrackingOptions } from './protocol.ts';

type Start = (phase: number | undefined, writes: WriteTrackingOptions) => ReplayProcess;

/** One that may be asked once more, or waits to be. */
interface Kept extends WriteTrackingOptions {
  readonly phase: number | undefined;
  readonly coordinator: CoordinatorLink;
  /** Where its threads have come to; nothing before it has gone anywhere. */
  readonly furthest: Position | undefined;
}

/** Milliseconds after which nobody waits for the end of a stretch in which one is to go back: another process is there as soon. */
const PATIENCE = 1000;

export class RecordedWrites {
  readonly #itinerary: Itinerary;
  readonly #start: Start;
  #waiting: Kept | undefined;
  #standing: Kept | undefined;
  #running: CoordinatorLink | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(itinerary: Itinerary, start: Start) {
    this.#itinerary = itinerary;
    this.#start = start;
  }

  wrote(position: Position, asked: WriteQuery, signal?: AbortSignal): Promise<Wrote> {
    const found = this.#last.catch(() => undefined).then(() => this.#find(position, asked, signal));
    this.#last = found;
    return found;
  }

  close(): void {
    for (const coordinator of [this.#waiting?.coordinator, this.#standing?.coordinator, this.#running])
      coordinator?.end();
  }

  async #find(standing: Position, asked: WriteQuery, signal: AbortSignal | undefined): Promise<Wrote> {
    const { of } = asked;
    const running = this.#itinerary.threadOf(standing.order);
    const thread = of === undefined ? running : this.#itinerary.threadOn(of.worker, standing.order);
    if (thread === undefined)
      throw new EngineError(
        'TT_NO_POSITION',
        of === undefined ? 'nothing runs at the end: ask where something does' : `there is no worker ${of.worker}`,
      );
    // What another thread does in the midst of a stretch is nothing to the actor.
    const isElsewhere = running?.worker !== thread.worker || running.life !== thread.life;
    const position = isElsewhere ? beginOf(standing.order) : standing;
    const abort = (): void => this.#running?.end();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.#itinerary.orFromStart(() => this.#findBack(position, thread, asked));
    } catch (error) {
      if (signal?.aborted === true)
        throw new EngineError('TT_ABORTED', 'nobody wants to know any more', { cause: signal.reason });
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Over one snapshot after the other. */
  async #findBack(position: Position, thread: ThreadName, asked: WriteQuery): Promise<Wrote> {
    let phase = this.#firstAsked(position.order, thread, asked.since);
    for (let further = 1; ; further *= 2) {
      const wrote = await this.#askClosely(phase, thread, position, asked);
      if (wrote.is !== 'unwritten' || phase === undefined) {
        this.#prepare(wrote.position?.order ?? position.order, thread);
        return wrote;
      }
      for (let i = 0; i < further && phase !== undefined; i++) phase = this.#itinerary.phaseBelow(phase);
    }
  }

  /** The last snapshot before, unless it is known that the thread has not written it since. */
  #firstAsked(order: number, { worker, life }: ThreadName, since = Infinity): number | undefined {
    let phase = this.#itinerary.phaseBefore(order);
    const isKnown = (begin: number): boolean =>
      since < begin ||
      (since < Infinity &&
        !this.#itinerary.threadsIn(begin, since - 1).some((each) => each.worker === worker && each.life === life));
    while (phase !== undefined && isKnown(this.#itinerary.firstOf(phase))) phase = this.#itinerary.phaseBelow(phase);
    return phase;
  }

  async #askClosely(
    phase: number | undefined,
    thread: ThreadName,
    position: Position,
    asked: WriteQuery,
  ): Promise<Wrote> {
    const noted = await this.#ask(phase, thread, position, asked);
    const closely = noted.is === 'made' ? noted.at?.[0] : undefined;
    const known = closely === undefined ? noted : await this.#ask(phase, { ...thread, closely }, position, asked);
    return this.#told(phase, thread, known);
  }

  #told(phase: number | undefined, thread: ThreadName, { is, part, isWhole, place, at }: FoundWrite): Wrote {
    const [stretch = 0, list = 0, statement = 0] = at ?? [];
    const order = at && this.#itinerary.orderOf(thread, stretch, this.#itinerary.firstOf(phase));
    const found = isAnswer(is) ? is : 'unwritten';
    return { is: found, part, isWhole, place, position: order === undefined ? undefined : { order, list, statement } };
  }

  async #ask(
    phase: number | undefined,
    writes: WriteTrackingOptions,
    position: Position,
    asked: WriteQuery,
  ): Promise<FoundWrite> {
    const before = await this.#askBack(phase, writes, position, asked);
    if (before !== undefined) return before;
    const kept = this.#take(phase, writes, position);
    const { coordinator } = kept;
    this.#running = coordinator;
    let isKept = false;
    try {
      const isThere = kept.furthest !== undefined && comparePositions(kept.furthest, position) === 0;
      if (!isThere) await this.#go(coordinator, writes, position, this.#itinerary.firstOf(phase));
      const noted = await coordinator.ask(writes, 'wrote', { ...asked, isAll: phase === undefined });
      isKept = noted.isPure && noted.is !== 'unwritten' && noted.is !== 'made';
      if (isKept) this.#standing = { ...writes, phase, coordinator, furthest: position };
      return noted;
    } finally {
      this.#running = undefined;
      if (!isKept) coordinator.end();
    }
  }

  /** Of one that stands behind there, and can go back: it has noted more than was written by then, so it may know that there was a write, and not what was before. */
  async #askBack(
    phase: number | undefined,
    writes: WriteTrackingOptions,
    position: Position,
    asked: WriteQuery,
  ): Promise<FoundWrite | undefined> {
    const standing = this.#standing;
    if (standing?.furthest === undefined || !isOne(standing, phase, writes)) return undefined;
    if (comparePositions(standing.furthest, position) <= 0) return undefined;
    const { coordinator } = standing;
    this.#standing = undefined;
    this.#running = coordinator;
    // A stretch that it is in the midst of it runs to its end first.
    const furthest = isBeginning(standing.furthest) ? standing.furthest : beginOf(standing.furthest.order + 1);
    let isKept = false;
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      coordinator.end();
    }, PATIENCE);
    try {
      if (!(await this.#go(coordinator, writes, position, this.#itinerary.firstOf(phase)))) return undefined;
      const noted = await coordinator.ask(writes, 'wrote', { ...asked, isAll: phase === undefined });
      isKept = noted.isPure;
      if (isKept) this.#standing = { ...standing, furthest };
      return noted.is === 'later' ? undefined : noted;
    } catch (error) {
      const isAnother = error instanceof EngineError && error.code === 'TT_DIVERGED';
      if (!isLate && !isAnother) throw error;
      return undefined;
    } finally {
      clearTimeout(late);
      this.#running = undefined;
      if (!isKept) coordinator.end();
    }
  }

  /** Answers whether it is there, of one that was to go back. */
  async #go(
    coordinator: CoordinatorLink,
    { worker, life }: ThreadName,
    position: Position,
    begin: number,
  ): Promise<boolean> {
    const { order, list, statement } = position;
    const isIn = !isBeginning(position);
    const limits = this.#itinerary.limits(order, isIn, begin);
    const threads = await coordinator.run(limits, isIn ? { worker, life, list, statement } : undefined);
    const difference = differenceIn(threads, () => 'where writes are noted');
    if (difference !== undefined) throw difference;
    const own = threads.find((each) => each.worker === worker && each.life === life);
    return own?.state !== 'over' && !threads.some((each) => isUnable(each, limits));
  }

  /** One that stands there or before, one that waits, or another one. */
  #take(phase: number | undefined, writes: WriteTrackingOptions, position: Position): Kept {
    const [standing, waiting] = [this.#standing, this.#waiting];
    this.#standing = undefined;
    if (standing?.furthest !== undefined && isOne(standing, phase, writes))
      if (comparePositions(standing.furthest, position) <= 0) return standing;
    standing?.coordinator.end();
    this.#waiting = undefined;
    if (waiting !== undefined && isOne(waiting, phase, writes)) return waiting;
    waiting?.coordinator.end();
    return this.#process(phase, writes);
  }

  /** The next question is asked where this one has led. */
  #prepare(order: number, thread: ThreadName): void {
    const phase = this.#itinerary.phaseBefore(order);
    const waiting = this.#waiting;
    if (waiting !== undefined && isOne(waiting, phase, thread)) return;
    waiting?.coordinator.end();
    this.#waiting = this.#process(phase, thread);
  }

  #process(phase: number | undefined, writes: WriteTrackingOptions): Kept {
    const coordinator = new CoordinatorLink(this.#start(phase, { ...writes, goesBack: true }));
    return { ...writes, phase, coordinator, furthest: undefined };
  }
}

function isOne(kept: Kept, phase: number | undefined, { worker, life, closely }: WriteTrackingOptions): boolean {
  const isSame = kept.worker === worker && kept.life === life && kept.closely === closely;
  return isSame && kept.phase === phase && !kept.coordinator.isLost;
}
