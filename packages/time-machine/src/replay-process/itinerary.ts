// How far each thread may go for the whole program to stand at one place of the order: up to its first stretch that does not come before it. All is known by the survey; a
// process that begins with a snapshot counts the stretches of its threads from there.
import { firstThat } from '../first-from.ts';
import type { Survey } from '../survey/survey.ts';
import { EngineError } from './engine-error.ts';
import type { Limit, ThreadName } from './protocol.ts';

interface Thread extends ThreadName {
  readonly count: number;
}

export class Itinerary {
  readonly #survey: Survey;
  readonly #threads: readonly Thread[];
  /** Snapshots that a process can begin with, the lowest first. */
  #phases: readonly number[];
  readonly #isUsable: (phase: number) => boolean;
  readonly #used = new Set<number>();
  /** Of each place, what is run before it. */
  #work: Float64Array | undefined;

  readonly #warns: (text: string) => void;

  /**
   * @param isUsable of a snapshot that is about to be begun with: of one that is not, the one before is taken
   * @param warns of what makes all ways longer
   */
  constructor(
    survey: Survey,
    phases: readonly number[],
    isUsable: (phase: number) => boolean = () => true,
    warns: (text: string) => void = () => {},
  ) {
    this.#isUsable = isUsable;
    this.#warns = warns;
    this.#survey = survey;
    this.#threads = survey.threads;
    this.#phases = phases.toSorted((a, b) => a - b);
  }

  /** One more than there are: the end. */
  get last(): number {
    return this.#survey.count + 1;
  }

  /** The last snapshot that is not behind a stretch; nothing if only the beginning is. */
  phaseBefore(order: number): number | undefined {
    if (this.#survey.count === 0) return undefined;
    return this.#upTo(this.#survey.stretch(Math.min(order, this.#survey.count)).phase);
  }

  /** The snapshot before one; nothing if only the beginning is. */
  phaseBelow(phase: number): number | undefined {
    return this.#upTo(phase - 1);
  }

  #upTo(phase: number): number | undefined {
    for (;;) {
      const found = this.#phases.findLast((each) => each <= phase);
      if (found === undefined || this.#used.has(found)) return found;
      if (this.#isUsable(found)) this.#used.add(found);
      else this.#phases = this.#phases.filter((each) => each !== found);
    }
  }

  /** Something that begins with a snapshot; where none can, once more from the start: what one lacks here all do. */
  async orFromStart<T>(run: () => Promise<T>, again: () => Promise<T> = run): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'TT_UNBEGUN') throw error;
      // They may have gone meanwhile: what is kept somewhere makes room for others.
      const left = this.#phases.filter((phase) => this.#isUsable(phase));
      if (left.length < this.#phases.length) {
        this.#phases = left;
        return this.orFromStart(again);
      }
      if (this.#phases.length > 0)
        this.#warns(`snapshots are passed over, and all is run from the start: ${error.message}`);
      this.#phases = [];
      return again();
    }
  }

  /** The first stretch of a phase, or of one behind it; of no phase, the first of all. */
  firstOf(phase: number | undefined): number {
    if (phase === undefined) return 1;
    return firstThat(1, this.#survey.count + 1, (order) => this.#survey.stretch(order).phase >= phase);
  }

  /** What is run from the beginning of one stretch to that of another, in lists of statements; less than 0 the other way round. */
  work(from: number, to: number): number {
    const sums = (this.#work ??= workBefore(this.#survey));
    return (sums[to] as number) - (sums[from] as number);
  }

  /** Whose stretch it is; nobody's at the end. */
  threadOf(order: number): ThreadName | undefined {
    if (order >= this.last) return undefined;
    const { worker, life } = this.#survey.stretch(order);
    return { worker, life };
  }

  /** Whether files are evaluated in a stretch: nobody can go back in it in place. */
  isEvaluation(order: number): boolean {
    return order < this.last && this.#survey.stretch(order).kind === 'evaluation';
  }

  /** The life of a worker that is there before a stretch, or was last. */
  threadOn(worker: number, order: number): ThreadName | undefined {
    const lives = this.#threads.filter((each) => each.worker === worker);
    return lives.findLast((each) => this.#before(each, order) > 0) ?? lives[0];
  }

  /** Whose stretches are among some, the first and the last of which are given. */
  threadsIn(from: number, to: number): ThreadName[] {
    return this.#threads.filter((thread) => this.#before(thread, to + 1) > this.#before(thread, from));
  }

  /** Of the thread that has most of them between two places of the order: so many stretches. */
  mostOfOne(from: number, to: number): number {
    return Math.max(0, ...this.#threads.map((thread) => this.#before(thread, to) - this.#before(thread, from)));
  }

  /** For all that comes before a stretch, and for that itself if `isIn`, in a process that begins with another one. */
  limits(order: number, isIn: boolean, begin: number): Limit[] {
    const own = isIn ? this.threadOf(order) : undefined;
    return this.#threads.map((thread) => {
      const { worker, life } = thread;
      const more = own !== undefined && own.worker === worker && own.life === life ? 1 : 0;
      return { worker, life, stretches: this.#before(thread, order) - this.#before(thread, begin) + more };
    });
  }

  /** The place in the order of a stretch that a thread counts from the beginning of its process. */
  orderOf({ worker, life }: ThreadName, stretch: number, begin: number): number | undefined {
    const thread = this.#threads.find((each) => each.worker === worker && each.life === life);
    return thread && this.#survey.orderOf(worker, life, this.#before(thread, begin) + stretch);
  }

  /** How many stretches of a thread come before one of the order. */
  #before({ worker, life, count }: Thread, order: number): number {
    return firstThat(1, count + 1, (number) => (this.#survey.orderOf(worker, life, number) ?? 0) >= order) - 1;
  }
}

/** What a stretch takes besides its statements, as so many lists of them: an eighth of a millisecond, by what a service's take in a process that has run a few thousand of them. */
const A_STRETCH = 500;

function workBefore(survey: Survey): Float64Array {
  const { order, columns } = survey.parts;
  const sums = new Float64Array(order.length + 2);
  for (let i = 0; i < order.length; i++)
    sums[i + 2] = (sums[i + 1] as number) + A_STRETCH + columns.lists.at(order[i] as number);
  return sums;
}
