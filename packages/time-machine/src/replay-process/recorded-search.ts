// A search for places in a recording: a process of its own goes on from one position to the next, as fast as it can, and its threads tell of what they come by. As they run side by side, what
// they tell is put in order here.
import { comparePositions, isBeginning, type Position } from '../position.ts';
import { CoordinatorLink, type ReplayProcess } from './coordinator-link.ts';
import { EngineError } from './engine-error.ts';
import type { Itinerary } from './itinerary.ts';
import { differenceIn } from './differing.ts';
import type { ThreadHit, ThreadName } from './protocol.ts';

/** One time that the program came to such a place. */
export interface Hit {
  readonly position: Position;
  /** Index of the place. */
  readonly place: number;
  readonly log: string | undefined;
  /** What the condition or the log expression has thrown. */
  readonly error: string | undefined;
}

export interface SearchParts {
  readonly itinerary: Itinerary;
  readonly from: Position;
  start(phase: number | undefined): ReplayProcess;
}

export class RecordedSearch {
  readonly #itinerary: Itinerary;
  readonly #start: SearchParts['start'];
  #coordinator: CoordinatorLink;
  #begin: number;
  /** Of stretches that have begun, and what is behind the position. */
  #ahead: Hit[] = [];
  #position: Position;
  /** Stretches before this one have been run, as a whole. */
  #reached: number;
  #last: Promise<unknown> = Promise.resolve();
  /** Called now and then, on the way, with the number of stretches that have run. */
  onProgress: ((stretches: number) => void) | undefined;

  constructor({ itinerary, from, start }: SearchParts) {
    this.#itinerary = itinerary;
    this.#start = start;
    this.#position = from;
    [this.#begin, this.#coordinator] = this.#process();
    this.#reached = this.#begin;
  }

  /** One that begins before the position, and the stretch with which it does. */
  #process(): [begin: number, coordinator: CoordinatorLink] {
    const phase = this.#itinerary.phaseBefore(this.#position.order);
    const begin = this.#itinerary.firstOf(phase);
    const coordinator = new CoordinatorLink(this.#start(phase), {
      hits: (hits, of) => this.#hear(hits, of),
      progress: (done) => this.onProgress?.(begin - 1 + done),
    });
    return [begin, coordinator];
  }

  /** Runs on to a position; returns the hits since the last one, in order. */
  upTo(position: Position, signal?: AbortSignal): Promise<readonly Hit[]> {
    const found = this.#last.catch(() => undefined).then(() => this.#goTo(position, signal));
    this.#last = found;
    return found;
  }

  close(): void {
    this.#coordinator.end();
  }

  async #goTo(position: Position, signal: AbortSignal | undefined): Promise<readonly Hit[]> {
    const from = this.#position;
    if (comparePositions(position, from) <= 0) return [];
    // In a stretch: all of it.
    const order = Math.min(isBeginning(position) ? position.order : position.order + 1, this.#itinerary.last);
    if (order > this.#reached) await this.#run(order, signal);
    this.#position = position;
    const ahead = this.#ahead.toSorted((a, b) => comparePositions(a.position, b.position));
    this.#ahead = ahead.filter((hit) => comparePositions(hit.position, position) >= 0);
    return ahead.filter(
      (hit) => comparePositions(hit.position, from) >= 0 && comparePositions(hit.position, position) < 0,
    );
  }

  async #run(order: number, signal: AbortSignal | undefined): Promise<void> {
    const abort = (): void => this.close();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const go = (): ReturnType<CoordinatorLink['run']> =>
        this.#coordinator.run(this.#itinerary.limits(order, false, this.#begin), undefined);
      const threads = await this.#itinerary.orFromStart(go, () => {
        [this.#begin, this.#coordinator] = this.#process();
        return go();
      });
      const difference = differenceIn(
        threads,
        () => 'perhaps for what is evaluated on the way, which must change nothing',
      );
      if (difference !== undefined) throw difference;
      this.#reached = order;
    } catch (error) {
      if (signal?.aborted === true)
        throw new EngineError('TT_ABORTED', 'nobody searches any more', { cause: signal.reason });
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  #hear(hits: readonly ThreadHit[], of: ThreadName): void {
    for (const [stretch, list, statement, place, log, error] of hits) {
      const order = this.#itinerary.orderOf(of, stretch, this.#begin);
      if (order === undefined) continue;
      this.#ahead.push({ position: { order, list, statement }, place, log: log ?? undefined, error });
    }
  }
}
