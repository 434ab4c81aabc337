// Who has written something last: a process of its own runs from the last snapshot before the position to there, notes on the way which statement writes what, and is asked there: it holds the very
// object. If nobody has written it since, another one begins with the snapshot before, and so on up to the start. As one question leads to the next one, further back, a process waits
// for that from then on.
import { comparePositions, isBeginning, type Position } from '../position.ts';
import { DeskLink, type EngineProcess } from './desk-link.ts';
import { EngineError } from './engine.ts';
import type { Itinerary } from './itinerary.ts';
import { differenceIn } from './differing.ts';
import type { ThreadName } from './messages.ts';
import type { WriteAsked, Wrote } from './wrote.ts';

type Start = (phase: number | undefined, writes: ThreadName) => EngineProcess;

/** One that may be asked once more, or waits to be. */
interface Kept extends ThreadName {
  readonly phase: number | undefined;
  readonly desk: DeskLink;
  /** Where it stands; nothing before it has gone anywhere. */
  readonly position: Position | undefined;
}

export class RecordedWrites {
  readonly #itinerary: Itinerary;
  readonly #start: Start;
  #waiting: Kept | undefined;
  #standing: Kept | undefined;
  #running: DeskLink | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(itinerary: Itinerary, start: Start) {
    this.#itinerary = itinerary;
    this.#start = start;
  }

  wrote(position: Position, asked: WriteAsked, signal?: AbortSignal): Promise<Wrote> {
    const found = this.#last.catch(() => undefined).then(() => this.#find(position, asked, signal));
    this.#last = found;
    return found;
  }

  close(): void {
    for (const desk of [this.#waiting?.desk, this.#standing?.desk, this.#running]) desk?.end();
  }

  async #find(position: Position, asked: WriteAsked, signal: AbortSignal | undefined): Promise<Wrote> {
    const thread = this.#itinerary.threadOf(position.order);
    if (thread === undefined)
      throw new EngineError('TT_NO_POSITION', 'nothing runs at the end: ask where something does');
    const abort = (): void => this.#running?.end();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      let phase = this.#itinerary.phaseBefore(position.order);
      for (;;) {
        const wrote = await this.#ask(phase, thread, position, asked);
        if (wrote.is !== 'unwritten' || phase === undefined) {
          this.#prepare(wrote.position?.order ?? position.order, thread);
          return wrote;
        }
        phase = this.#itinerary.phaseBelow(phase);
      }
    } catch (error) {
      if (signal?.aborted === true)
        throw new EngineError('TT_ABORTED', 'nobody wants to know any more', { cause: signal.reason });
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async #ask(phase: number | undefined, thread: ThreadName, position: Position, asked: WriteAsked): Promise<Wrote> {
    const begin = this.#itinerary.firstOf(phase);
    const { desk, position: at } = this.#take(phase, thread, position);
    this.#running = desk;
    let isKept = false;
    try {
      if (at === undefined) await this.#go(desk, thread, position, begin);
      const { at: noted, isPure, ...told } = await desk.ask(thread, 'wrote', { ...asked, isAll: phase === undefined });
      isKept = isPure && told.is !== 'unwritten';
      if (isKept) this.#standing = { ...thread, phase, desk, position };
      const [stretch = 0, list = 0, statement = 0] = noted ?? [];
      const order = noted && this.#itinerary.orderOf(thread, stretch, begin);
      return { ...told, position: order === undefined ? undefined : { order, list, statement } };
    } finally {
      this.#running = undefined;
      if (!isKept) desk.end();
    }
  }

  async #go(desk: DeskLink, thread: ThreadName, position: Position, begin: number): Promise<void> {
    const { order, list, statement } = position;
    const isIn = !isBeginning(position);
    const limits = this.#itinerary.limits(order, isIn, begin);
    const threads = await desk.go(limits, isIn ? { ...thread, list, statement } : undefined, false);
    const difference = differenceIn(threads, () => 'where writes are noted');
    if (difference !== undefined) throw difference;
  }

  /** One that stands there, one that waits, or another one. */
  #take(phase: number | undefined, thread: ThreadName, position: Position): Kept {
    const [standing, waiting] = [this.#standing, this.#waiting];
    const isOne = (kept: Kept): boolean => kept.phase === phase && isSame(kept, thread) && !kept.desk.isLost;
    this.#standing = undefined;
    if (standing?.position !== undefined && isOne(standing) && comparePositions(standing.position, position) === 0)
      return standing;
    standing?.desk.end();
    this.#waiting = undefined;
    if (waiting !== undefined && isOne(waiting)) return waiting;
    waiting?.desk.end();
    return this.#process(phase, thread);
  }

  /** The next question is asked where this one has led. */
  #prepare(order: number, thread: ThreadName): void {
    const phase = this.#itinerary.phaseBefore(order);
    const waiting = this.#waiting;
    if (waiting !== undefined && waiting.phase === phase && isSame(waiting, thread) && !waiting.desk.isLost) return;
    waiting?.desk.end();
    this.#waiting = this.#process(phase, thread);
  }

  #process(phase: number | undefined, thread: ThreadName): Kept {
    return { ...thread, phase, desk: new DeskLink(this.#start(phase, thread)), position: undefined };
  }
}

function isSame(one: ThreadName, other: ThreadName): boolean {
  return one.worker === other.worker && one.life === other.life;
}
