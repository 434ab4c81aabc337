// The tape of a worker in a replay: its trace, event by event. Requests are answered from it, entries are performed at their positions, and the scheduler
// takes its ingests. Where the program or the scheduler does something else than the next event, the run has diverged and stops.

import type { EntryQueue, EntryChaining, PerformEntry, StepCounter, TapePlayer, TapeValue } from '@turntable/core';
import type { EntryEvent, TraceEvent, TraceSource } from '@turntable/recording';
import { traceSourceName } from '@turntable/recording/sources';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { RuntimeError } from '../runtime-error.ts';
import type { RoundCounter } from './recording-tape.ts';

/** Why nothing of the program goes on. */
export interface Halt {
  /** It has come to its end as it did; the trace stops there; it is not what it was. */
  readonly reason: 'ended' | 'cut off' | 'diverged';
  /** So many were taken; of others, so many messages. */
  readonly events: number;
  readonly messages: number;
  readonly turns: number;
  /** Between two turns, with nothing of the program on the stack and nothing left to do. */
  readonly isBetweenTurns?: boolean;
  readonly divergence?: TraceDivergence;
  readonly error?: RuntimeError;
}

/** Where a run is not what it was: plain data. */
export interface TraceDivergence {
  /** Of the event in its trace, counted from 1. */
  readonly ordinal: number;
  /** What was, and what is, each as the rest of a sentence. */
  readonly expected: string;
  readonly actual: string;
  /** Whose code was running, and after how many turns of the worker. */
  readonly actor: string;
  readonly turn: number;
  readonly stack: string | undefined;
}

export interface ReplayTapeDeps {
  /** Of Node's: a macrotask of its own, the queue of microtasks, that of ticks. */
  setImmediate(callback: () => void): void;
  queueMicrotask(callback: () => void): void;
  nextTick?(callback: () => void): void;
  /** An entry that is performed before a step has thrown: Node is to be told so as if nothing of the step were on the stack. */
  reportUncaught?(error: unknown): void;
  /** The entry point has not begun to run: nothing was taken before it did, though something was asked (where what it imports is). */
  isEntryPending?(): boolean;
  /** For who looks on: an entry is about to be performed; once more if it could not be. */
  onEntry?(entry: EntryEvent): void;
  /** A tick or jobs are about to run, in a turn or outside of all. */
  onStep?(): void;
  /** Once. */
  onHalt?(halt: Halt): void;
  /** The thread ends here, in the middle of the program; answers only if it cannot. */
  endThread?(): void;
}

/** The worker's scheduler, as its tape knows it. */
export interface ReplayedScheduler {
  readonly rounds: RoundCounter;
  readonly turns: number;
  /** Whether any is left to be had. */
  readonly hasTurns: boolean;
  /** Messages of other workers that were taken. */
  readonly messages: number;
  /** Whose code runs. */
  currentActorName(): string;
  wake(): void;
  pause(): void;
}

interface EntryPerformer {
  readonly perform: PerformEntry;
  from(value: TapeValue): EntryQueue;
  chaining?(value: TapeValue): EntryChaining;
}

/** Who calls from Node's microtasks as well, several times in a row. */
const CHAINABLE_SOURCES: ReadonlySet<number> = new Set([
  TRACE_SOURCES.device,
  TRACE_SOURCES.settled,
  TRACE_SOURCES.promise,
]);

/** Until there is a scheduler. */
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
  /** Was taken from the source and could not be done yet. */
  #putBack: EntryEvent | undefined;
  #isLookScheduled = false;
  #isEarlyLookScheduled = false;
  /** The entry that was performed last. */
  #lastEntry: EntryEvent | undefined;
  #halt: Halt | undefined;
  /** The scheduler was woken to look at it when nothing else was left to do. */
  #wokenFor: TraceEvent | undefined;
  readonly #listeners: ((halt: Halt) => void)[] = [];
  /** What runs is no part of the run again. */
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

  /** Undefined behind the last one. */
  get nextEvent(): TraceEvent | undefined {
    return this.#putBack ?? this.#source.next;
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
    if (this.#putBack !== undefined) this.#putBack = undefined;
    else this.#source.take();
  }

  /** Only for what it takes: a round that nothing begins runs what is left of the program, ahead of what Node has in its own queues. */
  #wakeScheduler(): void {
    const what = this.nextEvent?.type;
    if ((what === 'messages' || what === 'scheduler') && this.#deps.isEntryPending?.() !== true) this.#scheduler.wake();
  }

  outcome(source: number, describeRequest?: () => string): TapeValue {
    if (this.#isApart) throw unansweredError(source, describeRequest?.());
    if (this.#halt !== undefined) throw this.#stopProgram();
    const { nextEvent } = this;
    if (nextEvent?.type === 'outcome' && nextEvent.source === source) {
      this.take();
      return nextEvent.value;
    }
    if (nextEvent === undefined && this.#source.end === 'cut off') return this.endAtCutOff();
    const request = describeRequest === undefined ? '' : `: ${describeRequest()}`;
    return this.diverge(describeEvent(nextEvent), `the program asks ${traceSourceName(source)}${request}`);
  }

  get isRunningApart(): boolean {
    return this.#isApart;
  }

  /** Runs code that is no part of the run again: it is told nothing of what comes from outside. */
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

  /** The same, where nobody is to be told by an error. */
  reportDivergence(expected: string, actual: string): void {
    if (this.#halt !== undefined) return;
    const ordinal = this.#eventsTaken + 1;
    const { turns: turn } = this.#scheduler;
    const actor = this.#scheduler.currentActorName();
    const where = `${actor}, after ${turn} turns of the worker`;
    const error = new RuntimeError(
      'TT_DIVERGED',
      `event ${ordinal} of the trace: it was expected that ${expected}; now ${actual} (${where})`,
    );
    const divergence = { ordinal, expected, actual, actor, turn, stack: error.stack };
    this.#haltWith({ reason: 'diverged', ...this.progress, divergence, error });
  }

  /** It has come to its end in order, or as far as the trace goes. */
  finish(reason: 'ended' | 'cut off'): void {
    if (this.#halt === undefined) this.#haltWith({ reason, ...this.progress });
  }

  /** Behind the last event, in the middle of the program: it goes no further than this. */
  endAtCutOff(): never {
    this.finish('cut off');
    throw this.#stopProgram();
  }

  /** So far. */
  get progress(): Omit<Halt, 'reason'> {
    const { turns, messages } = this.#scheduler;
    return { events: this.#eventsTaken, turns, messages };
  }

  #haltWith(halt: Halt): void {
    this.#halt = halt;
    this.#steps?.onBeforeStep(undefined);
    this.#scheduler.pause();
    this.#deps.onHalt?.(halt);
    for (const listener of this.#listeners) listener(halt);
  }

  /** Is told, too, even if it has been already. */
  onHalt(listener: (halt: Halt) => void): void {
    this.#listeners.push(listener);
    if (this.#halt !== undefined) listener(this.#halt);
  }

  /** In the middle of the program, of which nothing is to go on. */
  #stopProgram(): RuntimeError {
    this.#deps.endThread?.();
    const { reason, error } = this.#halt as Halt;
    return (
      error ??
      new RuntimeError(
        'TT_DIVERGED',
        reason === 'cut off' ? 'the trace of this worker stops here' : 'this worker has come to the end of its trace',
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

  /** The entry that stands next, if its position is now. */
  #dueEntry(): EntryEvent | undefined {
    const { nextEvent } = this;
    if (nextEvent?.type !== 'entry' || this.#halt !== undefined) return undefined;
    const round = this.#scheduler.rounds.roundCount;
    const { steps } = this.#steps as StepCounter;
    if (nextEvent.round > round || nextEvent.step > steps) return undefined;
    if (nextEvent.round === round && nextEvent.step === steps) return nextEvent;
    this.reportDivergence(describeEvent(nextEvent), `there have been ${round} rounds and ${steps} steps`);
    return undefined;
  }

  /** Looks at what stands next once Node has done what it has to. */
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

  /** In the turn of Node's that goes on, if it may have come there. */
  #scheduleEarlyLook(nextEvent: EntryEvent): void {
    const isChained = this.#isChained(nextEvent);
    const { nextTick, queueMicrotask } = this.#deps;
    // A macrotask's ticks come before its jobs; behind a microtask they would come after them.
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
        // Jobs wait that this turn has made, and there was no step before the entry: it came among the ticks of that turn, and so do those that it makes.
        this.#performNow(nextEvent);
      }
    };
    if (isAmongTicks) nextTick(look);
    else queueMicrotask(look);
  }

  /** Whether it came in the same turn of Node as the event before it: then it is due before Node reports rejections, since it may handle one. */
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

  /** Performs the entry that is due, unless a step comes first. */
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
      // Jobs that were made from Node's microtasks come when these are done, and before the tick.
      if (!isTick || !hasMicrotaskEntry) {
        if (this.#halt === undefined) this.#deps.onStep?.();
        return;
      }
      this.#steps?.drain();
    }
  }

  /** All that is due; whether any of it came from Node's microtasks. */
  #performAllDue(): boolean {
    let hasMicrotaskEntry = false;
    for (let entry = this.#dueEntry(); entry !== undefined; entry = this.#dueEntry()) {
      const performer = this.#performers.get(entry.source);
      if (performer === undefined) break;
      try {
        if (!this.#perform(entry, performer)) break;
      } catch (error) {
        // Not into the step, which has nothing to do with it.
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

  /** Whether it could be. */
  #perform(entry: EntryEvent, { perform }: EntryPerformer): boolean {
    this.#lastEntry = entry;
    // Nobody is woken yet: what cannot be performed is put back, and who is woken looks at it again.
    this.#advance();
    this.#deps.onEntry?.(entry);
    let isDone = true as boolean;
    try {
      // Whoever's code is running here, Node called where nobody's was.
      (this.#steps as StepCounter).runInRootContext(() => (isDone = perform(entry.id, entry.value) !== false));
    } finally {
      if (!isDone) this.#putBack = entry;
      else {
        this.#scheduleLook();
        // Once Node has done what it has to, and told of rejections: what is taken, or turns that have waited for it.
        this.#deps.setImmediate(() => {
          if (this.#scheduler.hasTurns) this.#scheduler.wake();
          else this.#wakeScheduler();
        });
      }
    }
    return isDone;
  }

  /** The thread ends, by itself or because it is told to. */
  onThreadExit(): void {
    if (this.#halt !== undefined) return;
    const { nextEvent } = this;
    if (nextEvent === undefined) this.finish(this.#source.end);
    else this.reportDivergence(describeEvent(nextEvent), 'the thread ends');
  }

  /** Node has nothing left to do here. Answers the next event if another thread has to act first; otherwise the replay has ended, and has said so. */
  checkEnd(): TraceEvent | undefined {
    if (this.#halt !== undefined) return undefined;
    const { nextEvent } = this;
    if (nextEvent === undefined) {
      this.#haltWith({ reason: this.#source.end, ...this.progress, isBetweenTurns: true });
      return undefined;
    }
    const isIngest = nextEvent.type === 'messages' || nextEvent.type === 'scheduler';
    if (
      isIngest &&
      nextEvent.round === this.#scheduler.rounds.roundCount &&
      nextEvent.turns === this.#scheduler.turns
    ) {
      // The scheduler may have had no reason yet to look; where it has looked in vain somebody else has to do something first.
      if (this.#wokenFor !== nextEvent) {
        this.#wokenFor = nextEvent;
        this.#scheduler.wake();
      }
      return nextEvent;
    }
    this.reportDivergence(describeEvent(nextEvent), 'nothing is left to do');
    return undefined;
  }
}

function unansweredError(source: number, request?: string): RuntimeError {
  const subject = request === undefined ? traceSourceName(source) : request;
  return new RuntimeError(
    'TT_DIVERGED',
    `${subject} cannot be asked here: in a run again the recording answers, which does not know of what is evaluated; what the program itself has read by here is known`,
  );
}

/** An event, in a sentence. */
export function describeEvent(event: TraceEvent | undefined): string {
  switch (event?.type) {
    case undefined:
      return 'nothing more is taken from outside: the trace has ended';
    case 'messages':
      return `${event.count === 1 ? '1 message' : `${event.count} messages`} of worker ${event.worker} ${event.count === 1 ? 'is' : 'are'} taken after ${event.turns} turns (${event.round} rounds)`;
    case 'scheduler':
      return `this happens after ${event.turns} turns (${event.round} rounds): ${event.kind} ${event.key}`;
    case 'entry':
      return `${traceSourceName(event.source)} calls (its callback ${event.id}) after ${event.round} rounds and ${event.step} steps`;
    case 'outcome':
      return `the program asks ${traceSourceName(event.source)}`;
  }
}
