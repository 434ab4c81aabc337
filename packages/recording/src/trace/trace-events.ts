// What a worker's run is a function of, beside its code: its trace, in the one order in which it came. Whoever writes it and whoever takes
// it again know nothing of bytes; who keeps it knows nothing of what it means.

/** Plain data, as outcomes are kept. */
export type TraceValue =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly TraceValue[]
  | { readonly [key: string]: TraceValue };

/** So many messages of another worker were taken. */
export interface MessagesEvent {
  readonly type: 'messages';
  /** Rounds of the scheduler before, those in which there was nothing to do left out. */
  readonly round: number;
  /** Turns before. */
  readonly turns: number;
  readonly worker: number;
  readonly count: number;
}

/** Something has happened that the scheduler looked at between two rounds. */
export interface SchedulerEvent {
  readonly type: 'scheduler';
  readonly round: number;
  readonly turns: number;
  /** What kind of thing, a word of the runtime's. */
  readonly kind: string;
  /** To what. */
  readonly key: string;
  readonly value: TraceValue;
}

/** Native code has called the program: a timer has fired, what was asked of a device has come. */
export interface EntryEvent {
  readonly type: 'entry';
  readonly round: number;
  /** Ticks that were run and drains of the job queue that had something to do, before. */
  readonly step: number;
  /** Who calls: a number of `TRACE_SOURCES`. */
  readonly source: number;
  /** Which of the source's callbacks, counted by the source. */
  readonly id: number;
  readonly value: TraceValue;
}

/** The program has asked the outside for something, and this is the answer. It has no position: it is taken when the program asks again. */
export interface OutcomeEvent {
  readonly type: 'outcome';
  readonly source: number;
  readonly value: TraceValue;
}

export type TraceEvent = MessagesEvent | SchedulerEvent | EntryEvent | OutcomeEvent;

/** Where a worker's trace goes while it runs. Nothing here throws or waits; what cannot be kept is told once by whoever keeps it. */
export interface TraceSink {
  /** What it is given is dropped, until a cut at the least. */
  readonly isPaused: boolean;
  writeMessages(round: number, turns: number, worker: number, count: number): void;
  writeSchedulerEvent(round: number, turns: number, kind: string, key: string, value?: TraceValue): void;
  writeEntry(round: number, step: number, source: number, id: number, value?: TraceValue): void;
  writeOutcome(source: number, value: TraceValue): void;
  /** What was written so far is not lost if this thread dies. To be called before anything of it can be seen by others. */
  commit(): void;
  /** The worker enters a phase: a new segment begins. Phases rise. */
  cut(phase: number): void;
  /** The worker has ended in order. A thread that dies without leaves a trace that is cut off. */
  end(): void;
}

/** A worker's trace, to be taken again. It is read while it is taken. */
export interface TraceSource {
  /** The next event; undefined behind the last. */
  readonly next: TraceEvent | undefined;
  /** How many have been taken, for messages about where a run differs. */
  readonly takenCount: number;
  /** Why there is no more, once there is no next: the worker has ended in order, or the trace stops there. */
  readonly end: 'ended' | 'cut off';
  /** Goes behind the next one. */
  take(): void;
}
