// The tape of a worker in a replay: its trace, event by event. Requests are answered from it, entries are performed at
// their positions, and the scheduler takes its ingests. Where the program or the scheduler does anything other than the
// next event, the replay has diverged and stops.

import type { EntryQueue, EntryChaining, PerformEntry, StepCounter, TapePlayer, TapeValue } from '@turntable/core';
import type { EntryEvent, OutputSum, TraceEvent, TraceSource } from '@turntable/recording';
import { sourceRequestText, traceSourceName, TRACE_SOURCES } from '@turntable/recording/sources';
import { RuntimeError } from '../runtime-error.ts';
import type { RoundCounter } from './recording-tape.ts';

/** The reason why a replayed program stopped, and its position. */
export interface Halt {
  /** `ended`: as recorded; `cut off`: the trace ends here; `diverged`: the replay differs from it. */
  readonly reason: 'ended' | 'cut off' | 'diverged';
  /** Number of events taken from the trace. */
  readonly events: number;
  readonly messages: number;
  readonly turns: number;
  /** Whether the thread stopped between two turns with no work left and an empty stack. */
  readonly isBetweenTurns?: boolean;
  /** Of a trace that is cut off: whether it has all events of its worker, which was lost. */
  readonly isTraceWhole?: boolean;
  readonly divergence?: TraceDivergence;
  readonly error?: RuntimeError;
}

/** Divergence of a replay: plain data. */
export interface TraceDivergence {
  /** Number of the event in its trace, from 1. */
  readonly ordinal: number;
  /** Recorded and actual event, for the labels "recorded:" and "now:". */
  readonly expected: string;
  readonly actual: string;
  /** Name of the running actor, and the worker's number of turns. */
  readonly actor: string;
  readonly turn: number;
  readonly stack: string | undefined;
  /** Whether the event is the same, but not the output before it. */
  readonly isInOutput?: boolean;
}

/** Descriptions of the recorded and the actual output. */
export interface OutputDifference {
  readonly expected: string;
  readonly actual: string;
}

/** The output of a replayed thread since its last event. */
export interface ReplayedOutput {
  /** @param output a text is printed in UTF-8 */
  note(stream: number, output: string | Uint8Array): void;
  /** Compares the output with the recorded one, and starts again. */
  compare(recorded: readonly OutputSum[]): OutputDifference | undefined;
}

export interface ReplayTapeDeps {
  /** Compares the program's output; left out if the replay re-executes tasks. */
  readonly output?: ReplayedOutput | undefined;
  /** Node's own functions: a new macrotask, the microtask queue, the tick queue. */
  setImmediate(callback: () => void): void;
  queueMicrotask(callback: () => void): void;
  nextTick?(callback: () => void): void;
  /** Reports the error of an entry that was performed before a step, as if the step were not on the stack. */
  reportUncaught?(error: unknown): void;
  /** Whether the entry point has still to start: no event precedes it, though its imports were resolved. */
  isEntryPending?(): boolean;
  /** Called before each entry is performed, and again if it had to be put back. */
  onEntry?(entry: EntryEvent): void;
  /** Called before each tick or drain of jobs, in a turn or outside of turns. */
  onStep?(): void;
  onHalt?(halt: Halt): void;
  /** Ends the thread in the middle of the program; returns only if that is impossible. */
  endThread?(): void;
  /** Called when the thread exits, after its stop has been reported. It may block the thread. */
  onThreadExit?(): void;
}

/** Access of a tape to its worker's scheduler. */
export interface ReplayedScheduler {
  readonly rounds: RoundCounter;
  readonly turns: number;
  /** Whether messages are queued. */
  readonly hasTurns: boolean;
  /** Number of messages taken from other workers. */
  readonly messages: number;
  /** Name of the actor whose code runs. */
  currentActorName(): string;
  wake(): void;
  pause(): void;
}

interface EntryPerformer {
  readonly perform: PerformEntry;
  from(value: TapeValue): EntryQueue;
  chaining?(value: TapeValue): EntryChaining;
}

/** Sources whose entries also come from Node's microtasks, several in a row. */
const CHAINABLE_SOURCES: ReadonlySet<number> = new Set([
  TRACE_SOURCES.device,
  TRACE_SOURCES.settled,
  TRACE_SOURCES.promise,
]);

/** Frames of a divergence's stack: enough to reach the program. */
const STACK_FRAMES = 50;

/** Default until a scheduler is attached. */
const NO_SCHEDULER: ReplayedScheduler = {
  rounds: { roundCount: 0 },
  turns: 0,
  hasTurns: false,
  messages: 0,
  currentActorName: () => 'the main program',
  wake() {},
  pause() {},
};

export class ReplayTape implements TapePlayer {
  readonly isReplay = true;
  readonly #source: TraceSource;
  readonly #deps: ReplayTapeDeps;
  readonly #performers = new Map<number, EntryPerformer>();
  #scheduler = NO_SCHEDULER;
  #steps: StepCounter | undefined;
  /** An entry that was taken from the source but could not be performed yet. */
  #putBack: EntryEvent | undefined;
  #isLookScheduled = false;
  #isEarlyLookScheduled = false;
  /** The entry that was performed last. */
  #lastEntry: EntryEvent | undefined;
  #halt: Halt | undefined;
  /** The event for which the scheduler was woken when no other work was left. */
  #wokenFor: TraceEvent | undefined;
  readonly #listeners: ((halt: Halt) => void)[] = [];
  /** Whether the running code is not part of the replayed run. */
  #isApart = false;

  constructor(source: TraceSource, deps: ReplayTapeDeps) {
    this.#source = source;
    this.#deps = deps;
  }

  attach(steps: StepCounter): void {
    this.#steps = steps;
    steps.onBeforeStep((isTick) => this.#beforeStep(isTick));
    this.#scheduleLook();
  }

  attachScheduler(scheduler: ReplayedScheduler): void {
    this.#scheduler = scheduler;
    if (this.#halt !== undefined) scheduler.pause();
  }

  /** The next event of the trace; undefined after the last one. */
  get nextEvent(): TraceEvent | undefined {
    return this.#putBack ?? this.#source.next;
  }

  /** Whether the replay has taken all events of a trace that has an end. */
  get isAtEnd(): boolean {
    return this.#halt === undefined && this.nextEvent === undefined && this.#source.end.reason === 'ended';
  }

  get #eventsTaken(): number {
    return this.#source.takenCount - (this.#putBack === undefined ? 0 : 1);
  }

  get halt(): Halt | undefined {
    return this.#halt;
  }

  take(): void {
    this.#advance();
    this.#scheduleLook();
    this.#wakeScheduler();
  }

  #advance(): void {
    if (this.#putBack !== undefined) {
      this.#putBack = undefined;
      return;
    }
    this.#compareOutput(this.#source.next?.output ?? []);
    this.#source.take();
    // The recorded thread ended in this round, after this event.
    if (this.#isPastLastRound(this.#scheduler.rounds.roundCount)) this.finish('cut off');
  }

  /** Whether a trace that is cut off has no event left, and the recorded thread may never have started this round. */
  #isPastLastRound(round: number): boolean {
    const { next, end } = this.#source;
    if (next !== undefined || end.reason === 'ended') return false;
    return end.lastRound !== undefined && round > end.lastRound;
  }

  /** Stops the replay before a round that the recorded thread may never have started. Returns whether it has stopped. */
  endBeforeRound(round: number): boolean {
    if (this.#halt !== undefined) return true;
    if (this.#putBack !== undefined || !this.#isPastLastRound(round)) return false;
    this.#haltWith({ reason: 'cut off', ...this.progress, isBetweenTurns: true });
    return true;
  }

  noteOutput(stream: number, output: string | Uint8Array): void {
    if (!this.#isApart) this.#deps.output?.note(stream, output);
  }

  /** Compares the output since the last event. */
  #compareOutput(recorded: readonly OutputSum[]): void {
    const difference = this.#deps.output?.compare(recorded);
    if (difference !== undefined) this.reportDivergence(difference.expected, difference.actual, true);
  }

  /** Compares the output after the last event of a trace with an end. */
  #compareLastOutput(): void {
    const { end } = this.#source;
    if (end.reason === 'ended') this.#compareOutput(end.lastOutput ?? []);
  }

  /** Wakes the scheduler only for events it takes: other rounds would run jobs ahead of Node's own queues. */
  #wakeScheduler(): void {
    const type = this.nextEvent?.type;
    if ((type === 'messages' || type === 'scheduler') && this.#deps.isEntryPending?.() !== true) this.#scheduler.wake();
  }

  outcome(source: number, describeRequest?: () => string): TapeValue {
    if (this.#isApart) throw unansweredError(source, describeRequest?.());
    if (this.#halt !== undefined) throw this.#stopProgram();
    const { nextEvent } = this;
    if (nextEvent?.type === 'outcome' && nextEvent.source === source) {
      this.take();
      if (this.halt !== undefined) throw this.#stopProgram();
      return nextEvent.value;
    }
    if (nextEvent === undefined && this.#source.end.reason === 'cut off') return this.endAtCutOff();
    const request = describeRequest === undefined ? '' : `: ${describeRequest()}`;
    return this.diverge(describeEvent(nextEvent), `the program ${sourceRequestText(source)}${request}`);
  }

  get isRunningApart(): boolean {
    return this.#isApart;
  }

  /** Runs code that is not part of the replayed run. The code must make no requests. */
  runApart<T>(run: () => T): T {
    this.#isApart = true;
    try {
      return run();
    } finally {
      this.#isApart = false;
    }
  }

  peek(source: number): TapeValue {
    if (this.#isApart) return undefined;
    const { nextEvent } = this;
    return nextEvent?.type === 'outcome' && nextEvent.source === source ? nextEvent.value : undefined;
  }

  diverge(expected: string, actual: string): never {
    this.reportDivergence(expected, actual);
    throw this.#stopProgram();
  }

  /** Stops the replay as diverged without throwing. */
  reportDivergence(expected: string, actual: string, isInOutput = false): void {
    if (this.#halt !== undefined) return;
    const ordinal = this.#eventsTaken + 1;
    const { turns: turn } = this.#scheduler;
    const actor = this.#scheduler.currentActorName();
    const where = `${actor}, after ${turn} turns of the worker`;
    const message = `event ${ordinal} of the trace: recorded: ${expected}; now: ${actual} (${where})`;
    const error = withFullStack(() => new RuntimeError('TT_DIVERGED', message));
    const divergence = {
      ordinal,
      expected,
      actual,
      actor,
      turn,
      stack: error.stack,
      ...(isInOutput && { isInOutput }),
    };
    this.#haltWith({ reason: 'diverged', ...this.progress, divergence, error });
  }

  /** Stops the replay at the orderly end, or where the trace is cut off. */
  finish(reason: 'ended' | 'cut off'): void {
    if (reason === 'ended') this.#compareLastOutput();
    if (this.#halt === undefined) this.#haltWith({ reason, ...this.progress });
  }

  /** Stops the replay after the last event of a trace that is cut off, in the middle of the program. */
  endAtCutOff(): never {
    this.finish('cut off');
    throw this.#stopProgram();
  }

  /** Numbers of taken events, taken messages and turns. */
  get progress(): Omit<Halt, 'reason'> {
    const { turns, messages } = this.#scheduler;
    return { events: this.#eventsTaken, turns, messages };
  }

  #haltWith(reason: Halt): void {
    const { end } = this.#source;
    const isTraceWhole = reason.reason === 'cut off' && end.reason === 'cut off' && end.isWhole === true;
    const halt = isTraceWhole ? { ...reason, isTraceWhole } : reason;
    this.#halt = halt;
    this.#steps?.onBeforeStep(undefined);
    this.#scheduler.pause();
    this.#deps.onHalt?.(halt);
    for (const listener of this.#listeners) listener(halt);
  }

  /** Adds a listener, and calls it at once if the replay has already stopped. */
  onHalt(listener: (halt: Halt) => void): void {
    this.#listeners.push(listener);
    if (this.#halt !== undefined) listener(this.#halt);
  }

  /** Stops the program during a task. Returns the error to throw if the thread cannot be ended. */
  #stopProgram(): RuntimeError {
    this.#deps.endThread?.();
    const { reason, error } = this.#halt as Halt;
    return (
      error ??
      new RuntimeError(
        'TT_DIVERGED',
        reason === 'cut off' ? 'the trace of this worker stops here' : 'the trace of this worker has ended',
      )
    );
  }

  setPerformer(
    source: number,
    perform: PerformEntry,
    from: EntryPerformer['from'] = () => 'macrotask',
    chaining?: EntryPerformer['chaining'],
  ): void {
    this.#performers.set(source, { perform, from, ...(chaining && { chaining }) });
    this.#scheduleLook();
  }

  skipEntry(source: number, matches: (value: TapeValue) => boolean): TapeValue | undefined {
    const { nextEvent } = this;
    if (this.#isApart || nextEvent?.type !== 'entry' || nextEvent.source !== source || !matches(nextEvent.value))
      return undefined;
    if (nextEvent.round !== this.#scheduler.rounds.roundCount || nextEvent.step !== this.#steps?.steps)
      return undefined;
    this.#lastEntry = nextEvent;
    this.take();
    return nextEvent.value;
  }

  wake(): void {
    this.#scheduleLook();
  }

  /** Returns the next entry, if its position has been reached. */
  #dueEntry(): EntryEvent | undefined {
    const { nextEvent } = this;
    if (nextEvent?.type !== 'entry' || this.#halt !== undefined) return undefined;
    const round = this.#scheduler.rounds.roundCount;
    const { steps } = this.#steps as StepCounter;
    if (nextEvent.round > round || nextEvent.step > steps) return undefined;
    if (nextEvent.round === round && nextEvent.step === steps) return nextEvent;
    this.reportDivergence(describeEvent(nextEvent), `the thread has reached round ${round}, step ${steps}`);
    return undefined;
  }

  /** Checks for a due entry after Node has done its pending work. */
  #scheduleLook(): void {
    const { nextEvent } = this;
    if (this.#halt !== undefined || nextEvent?.type !== 'entry') return;
    if (!this.#isEarlyLookScheduled) this.#scheduleEarlyLook(nextEvent);
    if (this.#isLookScheduled) return;
    this.#isLookScheduled = true;
    this.#deps.setImmediate(() => {
      this.#isLookScheduled = false;
      this.performIfDue();
    });
  }

  /** Checks within the current macrotask of Node, if the entry may belong to it. */
  #scheduleEarlyLook(nextEvent: EntryEvent): void {
    const isChained = this.#isChained(nextEvent);
    const { nextTick, queueMicrotask } = this.#deps;
    // The ticks of a macrotask come before its jobs, the ticks of a microtask after its jobs.
    const isMacrotask = this.#performers.get(nextEvent.source)?.from(nextEvent.value) === 'macrotask';
    const isAmongTicks = isMacrotask && nextTick !== undefined;
    if (!isChained && !isAmongTicks) return;
    this.#isEarlyLookScheduled = true;
    const look = (): void => {
      this.#isEarlyLookScheduled = false;
      if (this.nextEvent !== nextEvent) this.#scheduleLook();
      else if (this.#steps?.hasWork() !== true) {
        if (isChained) this.performIfDue();
      } else if (isAmongTicks && this.#dueEntry() === nextEvent) {
        // Jobs are pending and no step preceded the entry: it came among this macrotask's ticks.
        this.#performNow(nextEvent);
      }
    };
    if (isAmongTicks) nextTick(look);
    else queueMicrotask(look);
  }

  /** Whether an entry shares Node's macrotask with the previous event, so that reports of rejections come later. */
  #isChained(nextEvent: EntryEvent): boolean {
    const chaining = this.#chainingOf(nextEvent);
    if (chaining !== undefined) return chaining === 'chained';
    const previous = this.#lastEntry;
    if (previous === undefined || previous.round !== nextEvent.round || previous.step !== nextEvent.step) return false;
    return CHAINABLE_SOURCES.has(nextEvent.source) && this.#chainingOf(previous) !== 'apart';
  }

  #chainingOf({ source, value }: EntryEvent): EntryChaining {
    return this.#performers.get(source)?.chaining?.(value);
  }

  /** Performs the due entry, unless a step comes first. */
  performIfDue(): void {
    const entry = this.#dueEntry();
    const performer = entry && this.#performers.get(entry.source);
    if (entry === undefined || performer === undefined) return;
    if (this.#steps?.hasWork() === true) return this.#scheduleLook();
    if (performer.from(entry.value) === 'macrotask') this.#perform(entry, performer);
    else
      this.#deps.queueMicrotask(() => {
        if (this.#dueEntry() === entry) this.#perform(entry, performer);
      });
  }

  #performNow(entry: EntryEvent): void {
    const performer = this.#performers.get(entry.source);
    if (performer !== undefined) this.#perform(entry, performer);
  }

  #beforeStep(isTick: boolean): void {
    this.#scheduleLook();
    for (;;) {
      const hasMicrotaskEntry = this.#performAllDue();
      // Jobs created in Node's microtasks run after these microtasks and before the tick.
      if (!isTick || !hasMicrotaskEntry) {
        if (this.#halt === undefined) this.#deps.onStep?.();
        return;
      }
      this.#steps?.drain();
    }
  }

  /** Performs all due entries; returns whether any came from Node's microtasks. */
  #performAllDue(): boolean {
    let hasMicrotaskEntry = false;
    for (let entry = this.#dueEntry(); entry !== undefined; entry = this.#dueEntry()) {
      const performer = this.#performers.get(entry.source);
      if (performer === undefined) break;
      try {
        if (!this.#perform(entry, performer)) break;
      } catch (error) {
        // The step is unrelated to the error and must not throw it.
        if (this.#deps.reportUncaught === undefined)
          this.#deps.setImmediate(() => {
            throw error;
          });
        else this.#deps.reportUncaught(error);
      }
      if (performer.from(entry.value) === 'microtask') hasMicrotaskEntry = true;
    }
    return hasMicrotaskEntry;
  }

  /** Performs an entry. Returns false if the entry could not be performed yet. */
  #perform(entry: EntryEvent, { perform }: EntryPerformer): boolean {
    this.#lastEntry = entry;
    // Does not wake the scheduler, since an entry that cannot be performed is put back.
    this.#advance();
    if (this.#halt !== undefined) return true;
    this.#deps.onEntry?.(entry);
    let isDone = true as boolean;
    try {
      // Node calls entries outside of any actor, whatever code is running here.
      (this.#steps as StepCounter).runInRootContext(() => (isDone = perform(entry.id, entry.value) !== false));
    } finally {
      if (!isDone) this.#putBack = entry;
      else {
        this.#scheduleLook();
        // Later events are taken, or pending turns run, after Node has done its pending work and reported rejections.
        this.#deps.setImmediate(() => {
          if (this.#scheduler.hasTurns) this.#scheduler.wake();
          else this.#wakeScheduler();
        });
      }
    }
    return isDone;
  }

  /** Reports that the thread ends. */
  reportEnd(): void {
    if (this.#halt !== undefined) return;
    const { nextEvent } = this;
    if (nextEvent === undefined) this.finish(this.#source.end.reason);
    else this.reportDivergence(describeEvent(nextEvent), 'the thread ends');
  }

  onThreadExit(): void {
    if (this.#halt !== undefined) return;
    this.reportEnd();
    this.#deps.onThreadExit?.();
  }

  /** Stops the replay of a thread that waits for an event which cannot arrive. */
  endIdle(isCutOff: boolean): void {
    if (this.#halt !== undefined) return;
    if (isCutOff) this.#haltWith({ reason: 'cut off', ...this.progress, isBetweenTurns: true });
    else this.reportDivergence(describeEvent(this.nextEvent), 'no event is left, and every thread waits');
  }

  /** Called when Node has no work left. Returns the next event if it awaits another thread, else stops the replay. */
  checkEnd(): TraceEvent | undefined {
    if (this.#halt !== undefined) return undefined;
    const { nextEvent } = this;
    if (nextEvent === undefined) {
      this.#compareLastOutput();
      if (this.halt === undefined)
        this.#haltWith({ reason: this.#source.end.reason, ...this.progress, isBetweenTurns: true });
      return undefined;
    }
    const isIngest = nextEvent.type === 'messages' || nextEvent.type === 'scheduler';
    if (
      isIngest &&
      nextEvent.round === this.#scheduler.rounds.roundCount &&
      nextEvent.turns === this.#scheduler.turns
    ) {
      // The scheduler may not have polled for this event yet. If it has, another thread must act first.
      if (this.#wokenFor !== nextEvent) {
        this.#wokenFor = nextEvent;
        this.#scheduler.wake();
      }
      return nextEvent;
    }
    this.reportDivergence(describeEvent(nextEvent), 'the thread has no work left');
    return undefined;
  }
}

function unansweredError(source: number, request?: string): RuntimeError {
  const subject = request === undefined ? traceSourceName(source) : request;
  return new RuntimeError(
    'TT_DIVERGED',
    `${subject} is unavailable to evaluated code in a replay, because only requests of the program are recorded; use values that the program has read`,
  );
}

/** Returns the description of an event. */
export function describeEvent(event: TraceEvent | undefined): string {
  switch (event?.type) {
    case undefined:
      return 'no further event: the trace has ended';
    case 'messages':
      return `${event.count === 1 ? '1 message' : `${event.count} messages`} of worker ${event.worker} ${event.count === 1 ? 'is' : 'are'} taken after ${event.turns} turns (${event.round} rounds)`;
    case 'scheduler':
      return `${event.kind} ${event.key} after ${event.turns} turns (${event.round} rounds)`;
    case 'entry':
      return `${traceSourceName(event.source)} calls (its callback ${event.id}) after ${event.round} rounds and ${event.step} steps`;
    case 'outcome':
      return `the program ${sourceRequestText(event.source)}`;
  }
}

/** Creates an error whose stack reaches the program, beyond the frames of the membrane. */
function withFullStack(create: () => RuntimeError): RuntimeError {
  const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit');
  if (limit?.writable !== true) return create();
  Error.stackTraceLimit = STACK_FRAMES;
  try {
    return create();
  } finally {
    Error.stackTraceLimit = limit.value as number;
  }
}
