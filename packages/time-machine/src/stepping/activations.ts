// Steps within one activation, which is one call of a function with all its runs: `next` stays in it over calls and over
// suspensions, and leaves it only at its end, to the caller or to the function that awaits it, which for a method of an
// actor is in the sender of the message. Everything is found in statement traces: of the task, for suspended functions
// of later or earlier tasks of the same thread, and for messages of the sender's tasks.
import type { RunName, StatementLocation } from '../replay-process/task-trace.ts';
import type { StatementTrace } from '../replay-process/statement-trace.ts';
import type { TracedMessages, TracedStatement } from './traced-messages.ts';

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
  readonly messages: TracedMessages;
}

/** A run in the trace of its task. */
interface FoundRun {
  readonly trace: StatementTrace;
  readonly run: number;
}

export class Activations {
  readonly #deps: ActivationsDeps;

  constructor(deps: ActivationsDeps) {
    this.#deps = deps;
  }

  /** The next statement of the activation. After its last one: of its caller, or of what awaits it. */
  next({ trace, index }: TracedStatement): Promise<ActivationStep | NoStep> {
    return this.#nextOf(trace, trace.callOf(index), index, true);
  }

  /** The first statement of the next callee of the activation or, after its end, of its caller; otherwise as `next`. */
  async into(at: TracedStatement): Promise<ActivationStep | NoStep> {
    const { trace, index } = at;
    const call = trace.callOf(index);
    if (index + 1 < trace.count && trace.callOf(index + 1) !== call) {
      const outer = trace.nextOfCall(call, index) === -1 ? outermostAfter(trace, call) : call;
      if (trace.isWithin(trace.callOf(index + 1), outer)) return otherActivation(trace, index + 1);
    }
    const next = await this.next(at);
    if ('reason' in next || !next.isSameActivation) return next;
    // A statement that was resumed may call, before the next one begins.
    const run = next.trace.runOf(next.index);
    const { start = next.index } = next.trace.run(run);
    const isResumed = next.trace !== trace || run !== trace.runOf(index);
    const isCalled = start < next.index && next.trace.isWithin(next.trace.callOf(start), next.trace.callOf(next.index));
    return isResumed && isCalled ? otherActivation(next.trace, start) : next;
  }

  /** The last statement of the previous callee of the activation or its caller; otherwise as `previous`. */
  backInto(at: TracedStatement): Promise<ActivationStep | NoStep> {
    const { trace, index } = at;
    const call = trace.callOf(index);
    if (index > 0 && trace.callOf(index - 1) !== call) {
      const outer = trace.isStartOfFunction(index) ? trace.callerOf(call) : call;
      if (outer !== -1 && trace.isWithin(trace.callOf(index - 1), outer))
        return Promise.resolve(otherActivation(trace, index - 1));
    }
    return this.previous(at);
  }

  /** The next statement of the caller; in a function that was resumed, of what awaits it. */
  async finish({ trace, index }: TracedStatement): Promise<ActivationStep | NoStep> {
    const call = trace.callOf(index);
    const caller = trace.callerOf(call);
    if (caller !== -1) return this.#nextOf(trace, caller, index, false);
    if (!trace.isOwnCall(call)) return this.#afterHostCall(trace, index);
    const answer = await this.#answerOf({ trace, run: trace.runOfCall(call) });
    if (answer === undefined) return notResumed(trace, index);
    return this.#inAwaiter(answer, trace.location(index));
  }

  /**
   * The statement of a call after a statement; if the call has ended, of its caller.
   * @param isStart whether it is the activation of the step's start
   */
  async #nextOf(
    trace: StatementTrace,
    call: number,
    after: number,
    isStart: boolean,
  ): Promise<ActivationStep | NoStep> {
    const next = trace.nextOfCall(call, after);
    if (next !== -1) return { trace, index: next, isSameActivation: isStart };
    const last = trace.lastOfCall(call);
    const from = trace.location(last === -1 ? after : last);
    const run = trace.runOfCall(call);
    if (trace.isOwnCall(call)) {
      const { hasEnded } = trace.run(run);
      if (hasEnded === undefined) return { reason: `the recording ends in ${functionName(from)}` };
      if (!hasEnded) return this.#resumed({ trace, run }, from, isStart);
    }
    const caller = trace.callerOf(call);
    if (caller !== -1) return this.#nextOf(trace, caller, after, false);
    return trace.isOwnCall(call) ? this.#inAwaiter({ trace, run }, from) : this.#afterHostCall(trace, after);
  }

  /** The first own statement of a frame after its suspension at the end of a run. */
  async #resumed(
    suspended: FoundRun,
    from: StatementLocation,
    isSameActivation: boolean,
  ): Promise<ActivationStep | NoStep> {
    const next = await this.#nextRun([nameOf(suspended)], suspended.trace);
    if (next === undefined) return { reason: `${functionName(from)} does not resume in this recording` };
    return this.#inRun(next, from, isSameActivation, noAwaiter(from));
  }

  /** The first own statement of a frame in a run; if there is none, after the run. @param unawaited as for #inAwaiter */
  async #inRun(
    found: FoundRun,
    from: StatementLocation,
    isSameActivation: boolean,
    unawaited: string,
  ): Promise<ActivationStep | NoStep> {
    const { trace, run } = found;
    const index = trace.firstOwn(run);
    if (index !== -1) return { trace, index, isSameActivation };
    const { hasEnded, call = -1, start = 0 } = trace.run(run);
    if (hasEnded !== true) return this.#resumed(found, from, isSameActivation);
    const caller = trace.callerOf(call);
    return caller === -1 ? this.#inAwaiter(found, from, unawaited) : this.#nextOf(trace, caller, start - 1, false);
  }

  /**
   * The first statement after the `await` of the frame that awaits a frame which has ended or yielded.
   * @param unawaited the reason if there is none
   */
  async #inAwaiter(
    { trace, run }: FoundRun,
    from: StatementLocation,
    unawaited: string = noAwaiter(from),
  ): Promise<ActivationStep | NoStep> {
    const { awaiters = [], hasOlderAwaiters } = trace.run(run);
    if (hasOlderAwaiters === true && trace.since > 1)
      return this.#inAwaiter({ trace: await this.#withEarlierRuns(trace), run }, from, unawaited);
    if (awaiters.length === 0) return this.#inSender(trace, from, unawaited);
    const next = await this.#nextRun(awaiters, trace);
    if (next === undefined) return { reason: `what awaits ${functionName(from)} does not resume in this recording` };
    const noLater = `end of ${functionName(from)}; what awaits it has no later statement; use continue`;
    // The search for an earlier statement may need a process from an earlier snapshot.
    const isEmpty = next.trace.firstOwn(next.run) === -1;
    const isOver = isEmpty && isSameActivation(await this.#beforeRun(next, from));
    const found = await this.#inRun(next, from, false, isOver ? noLater : unawaited);
    // Awaiting functions of packages are passed over.
    if ('reason' in found || !isInPackage(found.trace.location(found.index)) || isInPackage(from)) return found;
    const answer = await this.#answerOf({ trace: found.trace, run: found.trace.runOf(found.index) });
    return answer === undefined ? { reason: unawaited } : this.#inAwaiter(answer, from, unawaited);
  }

  /** After a function that the host has called: the first statement that follows the `await` of the sender, if any. */
  #afterHostCall(trace: StatementTrace, index: number): Promise<ActivationStep | NoStep> | NoStep {
    const from = trace.location(index);
    const reason = `end of ${functionName(from)}, which no function called; use continue`;
    return this.#deps.messages.isMethodCall(trace.order) ? this.#inSender(trace, from, reason) : { reason };
  }

  /**
   * The first statement after the `await` of a reply of a task.
   * @param unawaited the reason if there is none
   */
  async #inSender(
    { order }: StatementTrace,
    from: StatementLocation,
    unawaited: string,
  ): Promise<ActivationStep | NoStep> {
    const replies = this.#deps.messages.replies(order);
    const [reply] = replies;
    if (reply === undefined) return { reason: unawaited };
    if (replies.length > 1)
      return { reason: `end of ${functionName(from)}; this task sends ${replies.length} replies: use reply NUMBER` };
    const trace = await this.#deps.trace(reply);
    const run = trace.firstResumed;
    return run === -1 ? { reason: unawaited } : this.#inRun({ trace, run }, from, false, unawaited);
  }

  /**
   * The run at whose end the frame of a run has ended, or an async generator yields to an awaiting frame; undefined if
   * it is not in the recording.
   */
  async #answerOf(found: FoundRun): Promise<FoundRun | undefined> {
    let current = found;
    for (;;) {
      const { hasEnded, awaiters } = current.trace.run(current.run);
      if (hasEnded === true || awaiters !== undefined) return current;
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
    const call = trace.callOf(index);
    const previous = trace.previousOfCall(call, index);
    if (previous !== -1) return { trace, index: previous, isSameActivation: true };
    if (!trace.isOwnCall(call)) return this.#callingStatement(trace, call, trace.location(index));
    return this.#beforeRun({ trace, run: trace.runOfCall(call) }, trace.location(index));
  }

  /** The last own statement of a frame before a run; before its first run, the statement that called it. */
  async #beforeRun(found: FoundRun, from: StatementLocation): Promise<ActivationStep | NoStep> {
    const before = await this.#runBefore(found);
    if (before === 'none') return this.#callingStatement(found.trace, found.trace.run(found.run).call ?? -1, from);
    if (before === 'unknown') return olderThanRecording(from);
    const index = before.trace.lastOwn(before.run);
    if (index !== -1) return { trace: before.trace, index, isSameActivation: true };
    return this.#beforeRun(before, from);
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

  /** The statement at which a frame was suspended at the end of a run. */
  async suspension([order, number]: RunName): Promise<TracedStatement | NoStep> {
    const trace = await this.#deps.trace(order);
    const run = trace.runWithNumber(number);
    if (run === -1) return { reason: 'the statement of this frame is not traced, because its task is too long' };
    const index = trace.lastOwn(run);
    if (index !== -1) return { trace, index };
    return this.#beforeRun({ trace, run }, trace.location(0));
  }

  /** The statement that called the activation. */
  async call({ trace, index }: TracedStatement): Promise<ActivationStep | NoStep> {
    const call = trace.callOf(index);
    const from = trace.location(index);
    if (!trace.isOwnCall(call)) return this.#callingStatement(trace, call, from);
    let current: FoundRun = { trace, run: trace.runOfCall(call) };
    for (;;) {
      const before = await this.#runBefore(current);
      if (before === 'none')
        return this.#callingStatement(current.trace, current.trace.run(current.run).call ?? -1, from);
      if (before === 'unknown') return olderThanRecording(from);
      current = before;
    }
  }

  /** The statement that has called a call. A frame that was just resumed may have called it within its last statement. */
  async #callingStatement(
    trace: StatementTrace,
    call: number,
    from: StatementLocation,
  ): Promise<ActivationStep | NoStep> {
    const index = call === -1 ? -1 : trace.callerStatement(call);
    if (index !== -1) return otherActivation(trace, index);
    const caller = call === -1 ? -1 : trace.callerOf(call);
    if (caller === -1 || !trace.isOwnCall(caller)) {
      const send = this.#deps.messages.isMethodCall(trace.order)
        ? await this.#deps.messages.sendOf(trace.order)
        : undefined;
      return send === undefined
        ? { reason: `start of ${functionName(from)}, which no function called` }
        : otherActivation(send.trace, send.index);
    }
    const before = await this.#beforeRun({ trace, run: trace.runOfCall(caller) }, from);
    return 'reason' in before ? before : otherActivation(before.trace, before.index);
  }
}

function isSameActivation(step: ActivationStep | NoStep): boolean {
  return 'index' in step && step.isSameActivation;
}

/** The outermost of the calls on the stack that can continue when a call has run its last statement in the task. */
function outermostAfter(trace: StatementTrace, call: number): number {
  let outermost = call;
  for (let at = call; at !== -1; at = trace.callerOf(at)) {
    outermost = at;
    if (trace.isOwnCall(at) && trace.run(trace.runOfCall(at)).hasEnded !== true) break;
  }
  return outermost;
}

function otherActivation(trace: StatementTrace, index: number): ActivationStep {
  return { trace, index, isSameActivation: false };
}

function nameOf({ trace, run }: FoundRun): RunName {
  return [trace.order, trace.run(run).number as number];
}

function functionName({ function: name, ordinal }: StatementLocation): string {
  return name === '' ? (ordinal === -1 ? 'the top-level code' : 'this function') : name;
}

function isInPackage({ file }: StatementLocation): boolean {
  return file.includes('/node_modules/');
}

function noAwaiter(from: StatementLocation): string {
  return `end of ${functionName(from)}, which no function awaits; use continue`;
}

function notResumed(trace: StatementTrace, index: number): NoStep {
  return { reason: `${functionName(trace.location(index))} does not end in this recording` };
}

/** The recorded program was restored from a snapshot of another recording. */
function olderThanRecording(from: StatementLocation): NoStep {
  return { reason: `${functionName(from)} was suspended before this recording` };
}
