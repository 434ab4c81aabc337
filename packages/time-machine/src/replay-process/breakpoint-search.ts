// A search for places in a recording: a process of its own goes on from one position to the next, as fast as it can, and its threads tell of what they come by. As they run side by side, what
// they tell is put in order here.
import { comparePositions, isTaskStart, type Position } from '../position.ts';
import { CoordinatorLink, type ReplayProcess } from './coordinator-link.ts';
import { ReplayError } from './replay-error.ts';
import type { SeekPlan } from './seek-plan.ts';
import { divergenceIn } from './divergence.ts';
import type { ThreadHit, ThreadName } from './protocol.ts';

/** One time that the program came to such a place. */
export interface BreakpointHit {
  readonly position: Position;
  /** Index of the place. */
  readonly breakpoint: number;
  readonly logValue: string | undefined;
  /** What the condition or the log expression has thrown. */
  readonly error: string | undefined;
}

export interface BreakpointSearchOptions {
  readonly plan: SeekPlan;
  readonly from: Position;
  start(phase: number | undefined): ReplayProcess;
}

export class BreakpointSearch {
  readonly #plan: SeekPlan;
  readonly #start: BreakpointSearchOptions['start'];
  #coordinator: CoordinatorLink;
  #startOrder: number;
  /** Of tasks that have begun, and what is behind the position. */
  #pendingHits: BreakpointHit[] = [];
  #position: Position;
  /** Tasks before this one have been run, as a whole. */
  #reachedOrder: number;
  #queue: Promise<unknown> = Promise.resolve();
  /** Called now and then, on the way, with the number of tasks that have run. */
  onProgress: ((tasks: number) => void) | undefined;

  constructor({ plan, from, start }: BreakpointSearchOptions) {
    this.#plan = plan;
    this.#start = start;
    this.#position = from;
    [this.#startOrder, this.#coordinator] = this.#startProcess();
    this.#reachedOrder = this.#startOrder;
  }

  /** One that begins before the position, and the task with which it does. */
  #startProcess(): [begin: number, coordinator: CoordinatorLink] {
    const phase = this.#plan.snapshotBefore(this.#position.order);
    const begin = this.#plan.firstTaskOfPhase(phase);
    const coordinator = new CoordinatorLink(this.#start(phase), {
      hits: (hits, thread) => this.#addHits(hits, thread),
      progress: (done) => this.onProgress?.(begin - 1 + done),
    });
    return [begin, coordinator];
  }

  /** Runs on to a position; returns the hits since the last one, in order. */
  runTo(position: Position, signal?: AbortSignal): Promise<readonly BreakpointHit[]> {
    const found = this.#queue.catch(() => undefined).then(() => this.#advance(position, signal));
    this.#queue = found;
    return found;
  }

  close(): void {
    this.#coordinator.end();
  }

  async #advance(position: Position, signal: AbortSignal | undefined): Promise<readonly BreakpointHit[]> {
    const from = this.#position;
    if (comparePositions(position, from) <= 0) return [];
    // In a task: all of it.
    const order = Math.min(isTaskStart(position) ? position.order : position.order + 1, this.#plan.endOrder);
    if (order > this.#reachedOrder) await this.#run(order, signal);
    this.#position = position;
    const pending = this.#pendingHits.toSorted((a, b) => comparePositions(a.position, b.position));
    this.#pendingHits = pending.filter((hit) => comparePositions(hit.position, position) >= 0);
    return pending.filter(
      (hit) => comparePositions(hit.position, from) >= 0 && comparePositions(hit.position, position) < 0,
    );
  }

  async #run(order: number, signal: AbortSignal | undefined): Promise<void> {
    const abort = (): void => this.close();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const runProcess = (): ReturnType<CoordinatorLink['run']> =>
        this.#coordinator.run(this.#plan.limitsFor(order, false, this.#startOrder), undefined);
      const threads = await this.#plan.runOrRestart(runProcess, () => {
        [this.#startOrder, this.#coordinator] = this.#startProcess();
        return runProcess();
      });
      const divergence = divergenceIn(
        threads,
        () => 'perhaps for what is evaluated on the way, which must change nothing',
      );
      if (divergence !== undefined) throw divergence;
      this.#reachedOrder = order;
    } catch (error) {
      if (signal?.aborted === true)
        throw new ReplayError('TT_ABORTED', 'nobody searches any more', { cause: signal.reason });
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  #addHits(hits: readonly ThreadHit[], thread: ThreadName): void {
    for (const [task, list, statement, breakpoint, logValue, error] of hits) {
      const order = this.#plan.orderOf(thread, task, this.#startOrder);
      if (order === undefined) continue;
      this.#pendingHits.push({
        position: { order, list, statement },
        breakpoint,
        logValue: logValue ?? undefined,
        error,
      });
    }
  }
}
