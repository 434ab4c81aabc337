// Steps within one activation, which is one call of a function with all its runs: `next` stays in it over calls and over
// suspensions, and leaves it only at its end, to the caller or to the function that awaits it. Everything is found in
// statement traces: of the task, and for suspended functions of later or earlier tasks of the same thread.
import type { RunName, StatementLocation } from '../replay-process/protocol.ts';
import { functionKey, isCallStart, type FunctionKey, type StatementTrace } from './statement-trace.ts';

/** A statement in the trace of its task. */
export interface TracedStatement {
  readonly trace: StatementTrace;
  readonly index: number;
}

export interface ActivationStep extends TracedStatement {
  /** Whether the statement belongs to the activation of the step's start. */
  readonly isSameActivation: boolean;
}

/** Why there is no statement, for users. */
export interface NoStep {
  readonly reason: string;
}

export interface ActivationsDeps {
  /** The trace of a task. @param since task from which on the runs of frames must be known */
  trace(order: number, since?: number): Promise<StatementTrace>;
  /** The traces of the later tasks of a thread, in order. @param since as above */
  tracesAfter(order: number, since: number): AsyncIterable<StatementTrace>;
}

/** A run in the trace of its task. */
interface FoundRun {
  readonly trace: StatementTrace;
  readonly run: number;
}

interface InRunOptions {
  /** The statement at which the step began. */
  readonly from: StatementLocation;
  readonly frameFunction: FunctionKey | undefined;
  readonly isSameActivation: boolean;
  /** Index of the statement after which the next one is searched. */
  readonly after: number;
}

export class Activations {
  readonly #deps: ActivationsDeps;

  constructor(deps: ActivationsDeps) {
    this.#deps = deps;
  }

  /** The next statement of the activation. After its last one: of its caller, or of what awaits it. */
  async next({ trace, index }: TracedStatement): Promise<ActivationStep | NoStep> {
    const next = nextInCall(trace, index, index);
    if (next !== -1) return { trace, index: next, isSameActivation: true };
    return this.#afterCall(trace, index, index, true);
  }

  /** The first statement of what the statement calls; otherwise the next statement of the activation. */
  async into(at: TracedStatement): Promise<ActivationStep | NoStep> {
    const { trace, index } = at;
    if (index + 1 < trace.count && trace.isCalledFrom(index + 1, index)) return entered(trace, index + 1);
    const next = await this.next(at);
    if ('reason' in next || !next.isSameActivation) return next;
    // A statement that was resumed may call, before the next one begins.
    const first = next.trace.startOfRun(next.trace.runOf(next.index));
    const isResumed = next.trace !== trace || first > index;
    return isResumed && first < next.index && next.trace.isCalledFrom(first, next.index)
      ? entered(next.trace, first)
      : next;
  }

  /** The last statement of what the statement before has called; otherwise that statement. */
  backInto(at: TracedStatement): Promise<ActivationStep | NoStep> {
    const { trace, index } = at;
    if (index > 0 && trace.isCalledFrom(index - 1, index)) return Promise.resolve(entered(trace, index - 1));
    return this.previous(at);
  }

  /** The next statement of the caller; in a function that was resumed, of what awaits it. */
  async finish({ trace, index }: TracedStatement): Promise<ActivationStep | NoStep> {
    const caller = trace.callerInRun(index);
    if (caller !== -1) return this.#nextOf(trace, caller, index);
    const run = trace.runOf(index);
    const { number, caller: callerRun } = trace.run(run);
    if (number === undefined) return notCalled(trace, index);
    if (callerRun !== undefined) return this.#inCaller({ trace, run }, index, trace.location(index));
    const ended = await this.#endOf({ trace, run });
    if (ended === undefined) return notResumed(trace, index);
    return this.#inAwaiter(ended, trace.location(index));
  }

  /** The statement of an activation after a later statement, in which the activation's callee has ended. */
  async #nextOf(trace: StatementTrace, index: number, after: number): Promise<ActivationStep | NoStep> {
    const next = nextInCall(trace, index, after);
    if (next !== -1) return { trace, index: next, isSameActivation: false };
    return this.#afterCall(trace, index, after, false);
  }

  /**
   * @param after index of a statement after which the activation has no statement in this run
   * @param isStart whether it is the activation of the step's start
   */
  async #afterCall(
    trace: StatementTrace,
    index: number,
    after: number,
    isStart: boolean,
  ): Promise<ActivationStep | NoStep> {
    // The callers on the stack, up to the frame whose run this is.
    const caller = trace.callerInRun(index);
    if (caller !== -1) return this.#nextOf(trace, caller, after);
    const run = trace.runOf(index);
    const { number, hasEnded } = trace.run(run);
    const from = trace.location(index);
    if (number === undefined) return notCalled(trace, index);
    if (hasEnded === undefined) return { reason: `the recording ends in ${functionName(from)}` };
    const frameFunction = trace.isFrameLevel(index) ? functionKey(from) : undefined;
    if (!hasEnded) return this.#resumed({ trace, run }, from, frameFunction, isStart);
    return this.#inCaller({ trace, run }, after, from);
  }

  /**
   * The next statement of what has started or resumed the frame of a run, or of what awaits the frame.
   * @param after index of the last statement of the run
   */
  async #inCaller({ trace, run }: FoundRun, after: number, from: StatementLocation): Promise<ActivationStep | NoStep> {
    const calling = trace.callOfRun(run);
    if (calling !== -1) return this.#nextOf(trace, calling, after);
    const { caller } = trace.run(run);
    if (caller === undefined || trace.run(caller).number === undefined) return this.#inAwaiter({ trace, run }, from);
    // The calling frame had just been resumed, within a statement.
    return this.#inRun({ trace, run: caller }, { from, frameFunction: undefined, isSameActivation: false, after });
  }

  /** The first own statement of a frame after its suspension at the end of a run. */
  async #resumed(
    suspended: FoundRun,
    from: StatementLocation,
    frameFunction: FunctionKey | undefined,
    isSameActivation: boolean,
  ): Promise<ActivationStep | NoStep> {
    const next = await this.#nextRun([nameOf(suspended)], suspended.trace);
    if (next === undefined) return { reason: `${functionName(from)} does not resume in this recording` };
    return this.#inRun(next, { from, frameFunction, isSameActivation, after: -1 });
  }

  /** The first own statement of a frame in a run, or after the run. */
  async #inRun(found: FoundRun, options: InRunOptions): Promise<ActivationStep | NoStep> {
    const { trace, run } = found;
    const { from, frameFunction, isSameActivation, after } = options;
    const index = trace.firstOwn(run, frameFunction, after);
    if (index !== -1) return { trace, index, isSameActivation };
    if (trace.run(run).hasEnded !== true) return this.#resumed(found, from, frameFunction, isSameActivation);
    return this.#inCaller(found, Math.max(after, trace.lastOfRun(run)), from);
  }

  /** The first statement after the `await` of the frame that awaits a frame which has ended. */
  async #inAwaiter({ trace, run }: FoundRun, from: StatementLocation): Promise<ActivationStep | NoStep> {
    const { awaiters = [], hasOlderAwaiters } = trace.run(run);
    if (hasOlderAwaiters === true && trace.since > 1)
      return this.#inAwaiter({ trace: await this.#withEarlierRuns(trace), run }, from);
    const unawaited = { reason: `end of ${functionName(from)}, which no function awaits; use continue` };
    if (awaiters.length === 0) return unawaited;
    const next = await this.#nextRun(awaiters, trace);
    if (next === undefined) return { reason: `what awaits ${functionName(from)} does not resume in this recording` };
    const found = await this.#inRun(next, { from, frameFunction: undefined, isSameActivation: false, after: -1 });
    // Awaiting functions of packages are passed over.
    if ('reason' in found || !isInPackage(found.trace.location(found.index)) || isInPackage(from)) return found;
    const ended = await this.#endOf({ trace: found.trace, run: found.trace.runOf(found.index) });
    return ended === undefined ? unawaited : this.#inAwaiter(ended, from);
  }

  /** The run at whose end the frame of a run has ended; undefined if it is not in the recording. */
  async #endOf(found: FoundRun): Promise<FoundRun | undefined> {
    let current = found;
    for (;;) {
      const { hasEnded } = current.trace.run(current.run);
      if (hasEnded === true) return current;
      if (hasEnded === undefined) return undefined;
      const next = await this.#nextRun([nameOf(current)], current.trace);
      if (next === undefined) return undefined;
      current = next;
    }
  }

  /** The nearest run that follows one of some runs in its frame, in a trace or later ones. */
  async #nextRun(names: readonly RunName[], from: StatementTrace): Promise<FoundRun | undefined> {
    const run = from.runAfter(names);
    if (run !== -1) return { trace: from, run };
    const since = Math.min(...names.map(([order]) => order));
    for await (const trace of this.#deps.tracesAfter(from.order, since)) {
      const later = trace.runAfter(names);
      if (later !== -1) return { trace, run: later };
    }
    return undefined;
  }

  /** The statement before in the activation; before its first one, the statement that called it. */
  async previous({ trace, index }: TracedStatement): Promise<ActivationStep | NoStep> {
    const previous = previousInCall(trace, index);
    if (previous !== -1) return { trace, index: previous, isSameActivation: true };
    const caller = trace.callerInRun(index);
    if (caller !== -1) return { trace, index: caller, isSameActivation: false };
    const from = trace.location(index);
    const frameFunction = trace.isFrameLevel(index) ? functionKey(from) : undefined;
    return this.#beforeRun({ trace, run: trace.runOf(index) }, from, frameFunction);
  }

  /** The last own statement of a frame before a run; before its first run, the statement that called it. */
  async #beforeRun(
    found: FoundRun,
    from: StatementLocation,
    frameFunction: FunctionKey | undefined,
  ): Promise<ActivationStep | NoStep> {
    const before = await this.#runBefore(found);
    if (before === 'none') return this.#callOf(found, from);
    if (before === 'unknown') return olderThanRecording(from);
    const { trace, run } = before;
    const index = trace.lastOwn(run, frameFunction);
    if (index !== -1) return { trace, index, isSameActivation: frameFunction !== undefined };
    return this.#beforeRun(before, from, frameFunction);
  }

  /** The run before in the same frame. */
  async #runBefore({ trace, run }: FoundRun): Promise<FoundRun | 'none' | 'unknown'> {
    const { previous, number } = trace.run(run);
    if (number === undefined || previous === null) return 'none';
    if (previous === undefined)
      return trace.since > 1 ? this.#runBefore({ trace: await this.#withEarlierRuns(trace), run }) : 'unknown';
    const [order, before] = previous;
    const earlier = order === trace.order ? trace : await this.#deps.trace(order);
    const earlierRun = earlier.runWithNumber(before);
    return earlierRun === -1 ? 'unknown' : { trace: earlier, run: earlierRun };
  }

  /** The same trace, of a process that has started earlier and knows more runs. */
  #withEarlierRuns({ order, since }: StatementTrace): Promise<StatementTrace> {
    return this.#deps.trace(order, Math.max(1, Math.min(since - 1, order - 2 * (order - since))));
  }

  /** The statement that called the activation. */
  async call({ trace, index }: TracedStatement): Promise<ActivationStep | NoStep> {
    const caller = trace.callerInRun(index);
    if (caller !== -1) return { trace, index: caller, isSameActivation: false };
    const from = trace.location(index);
    let current: FoundRun = { trace, run: trace.runOf(index) };
    for (;;) {
      const before = await this.#runBefore(current);
      if (before === 'none') return this.#callOf(current, from);
      if (before === 'unknown') return olderThanRecording(from);
      current = before;
    }
  }

  /** The statement that started the frame of its first run. */
  async #callOf({ trace, run }: FoundRun, from: StatementLocation): Promise<ActivationStep | NoStep> {
    const index = trace.callOfRun(run);
    if (index !== -1) return { trace, index, isSameActivation: false };
    const { caller } = trace.run(run);
    if (caller !== undefined && trace.run(caller).number !== undefined)
      return this.#beforeRun({ trace, run: caller }, from, undefined);
    return { reason: `start of ${functionName(from)}, which no function called` };
  }
}

function entered(trace: StatementTrace, index: number): ActivationStep {
  return { trace, index, isSameActivation: false };
}

function nameOf({ trace, run }: FoundRun): RunName {
  return [trace.order, trace.run(run).number as number];
}

/** The next statement of a call, after another statement; -1 if the call has ended, or its run has. */
function nextInCall(trace: StatementTrace, index: number, after: number): number {
  const run = trace.runOf(index);
  const depth = trace.depth(index);
  // Deeper calls cannot be told apart, so the step enters them.
  if (trace.isDepthUnknown(index))
    return after < trace.lastOfRun(run) && trace.runOf(after + 1) === run ? after + 1 : -1;
  for (let at = after + 1; at <= trace.lastOfRun(run); at++) {
    if (trace.runOf(at) !== run || trace.depth(at) > depth) continue;
    return trace.depth(at) === depth && continuesCall(trace, index, at) ? at : -1;
  }
  return -1;
}

/** The statement of a call before one of its statements; -1 if that is the first of the call in this run. */
function previousInCall(trace: StatementTrace, index: number): number {
  const run = trace.runOf(index);
  if (trace.isDepthUnknown(index)) return index > 0 && trace.runOf(index - 1) === run ? index - 1 : -1;
  if (!trace.isFrameLevel(index) && isCallStart(trace.location(index))) return -1;
  const depth = trace.depth(index);
  for (let at = index - 1; at >= trace.firstOfRun(run); at--) {
    if (trace.runOf(at) !== run || trace.depth(at) > depth) continue;
    return trace.depth(at) === depth && functionKey(trace.location(at)) === functionKey(trace.location(index))
      ? at
      : -1;
  }
  return -1;
}

/** Whether a later statement at the same depth belongs to the same call, and not to the next one from native code. */
function continuesCall(trace: StatementTrace, index: number, later: number): boolean {
  if (functionKey(trace.location(index)) !== functionKey(trace.location(later))) return false;
  return trace.isFrameLevel(later) || !isCallStart(trace.location(later));
}

function functionName({ function: name, ordinal }: StatementLocation): string {
  return name === '' ? (ordinal === -1 ? 'the top-level code' : 'this function') : name;
}

function isInPackage({ file }: StatementLocation): boolean {
  return file.includes('/node_modules/');
}

function notCalled(trace: StatementTrace, index: number): NoStep {
  return { reason: `end of ${functionName(trace.location(index))}, which no function called; use continue` };
}

function notResumed(trace: StatementTrace, index: number): NoStep {
  return { reason: `${functionName(trace.location(index))} does not end in this recording` };
}

/** The recorded program was restored from a snapshot of another recording. */
function olderThanRecording(from: StatementLocation): NoStep {
  return { reason: `${functionName(from)} was suspended before this recording` };
}
