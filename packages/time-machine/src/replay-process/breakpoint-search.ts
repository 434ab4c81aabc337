// A search for breakpoint hits. Its replay process does nothing else: it runs without a pause from one requested
// position to the next, while its threads report hits. The threads run in parallel, so the search sorts the hits of a
// range when the range is complete.
import { comparePositions, isTaskStart, type Position } from '../position.ts';
import { CoordinatorLink, type ReplayProcess } from './coordinator-link.ts';
import { ReplayError } from './replay-error.ts';
import type { SeekPlan } from './seek-plan.ts';
import { divergenceIn } from './divergence.ts';
import type { ThreadHit } from './protocol.ts';
import type { ThreadName } from './thread-name.ts';

/** One arrival of the program at a breakpoint. */
export interface BreakpointHit {
  readonly position: Position;
  /** Index of the breakpoint in the list of the search. */
  readonly breakpoint: number;
  readonly logValue: string | undefined;
  /** Whether the log value, or one in its list, is an object. */
  readonly hasParts?: boolean | undefined;
  /** Message of the error that the condition or the log expression threw. */
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
  /** Hits that were found ahead of the current position, because tasks run as a whole. */
  #pendingHits: BreakpointHit[] = [];
  /** Position up to which the search has returned all hits. */
  #position: Position;
  /** The first task that has not run. */
  #reachedOrder: number;
  #queue: Promise<unknown> = Promise.resolve();
  /** Called now and then during a run with the number of tasks that have run. */
  onProgress: ((tasks: number) => void) | undefined;

  constructor({ plan, from, start }: BreakpointSearchOptions) {
    this.#plan = plan;
    this.#start = start;
    this.#position = from;
    [this.#startOrder, this.#coordinator] = this.#startProcess();
    this.#reachedOrder = this.#startOrder;
  }

  /** Starts a process from the last snapshot before the position. */
  #startProcess(): [startOrder: number, coordinator: CoordinatorLink] {
    const phase = this.#plan.snapshotBefore(this.#position.order);
    const startOrder = this.#plan.firstTaskOfPhase(phase);
    const coordinator = new CoordinatorLink(this.#start(phase), {
      hits: (hits, thread) => this.#addHits(hits, thread),
      progress: (done) => this.onProgress?.(startOrder - 1 + done),
    });
    return [startOrder, coordinator];
  }

  /** Runs to a later position; returns the hits since the last call that are before the position, in order. */
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
    // A task that contains the position runs as a whole.
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
      const hint = 'perhaps because a condition or log expression has side effects';
      const divergence = divergenceIn(threads, () => hint);
      if (divergence !== undefined) throw divergence;
      this.#reachedOrder = order;
    } catch (error) {
      if (signal?.aborted === true)
        throw new ReplayError('TT_ABORTED', 'the search was aborted', { cause: signal.reason });
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  #addHits(hits: readonly ThreadHit[], thread: ThreadName): void {
    for (const [task, list, statement, breakpoint, logValue, error, hasParts] of hits) {
      const order = this.#plan.orderOf(thread, task, this.#startOrder);
      if (order === undefined) continue;
      const position = { order, list, statement };
      this.#pendingHits.push({
        position,
        breakpoint,
        logValue: logValue ?? undefined,
        hasParts,
        error: error ?? undefined,
      });
    }
  }
}
