// The events of a worker's trace, in their order. Together with the code they determine the worker's run. The format of
// bytes is defined elsewhere.

/** Plain data, as recorded outcomes are. */
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

/** Messages of another worker were taken. */
export interface MessagesEvent {
  readonly type: 'messages';
  /** Rounds of the scheduler before it; idle rounds do not count. */
  readonly round: number;
  /** Turns before it. */
  readonly turns: number;
  readonly worker: number;
  readonly count: number;
}

/** An event that the scheduler handled between two rounds. */
export interface SchedulerEvent {
  readonly type: 'scheduler';
  readonly round: number;
  readonly turns: number;
  /** A word of the runtime. */
  readonly kind: string;
  /** The subject of the event. */
  readonly key: string;
  readonly value: TraceValue;
}

/** A host callback: native code called the program, for a timer or a device. */
export interface EntryEvent {
  readonly type: 'entry';
  readonly round: number;
  /** Ticks and non-empty drains of the job queue before it. */
  readonly step: number;
  /** A number of `TRACE_SOURCES`. */
  readonly source: number;
  /** The callback, numbered by its source. */
  readonly id: number;
  readonly value: TraceValue;
}

/** The outcome of a host call. It has no position: replay takes it when the program repeats the call. */
export interface OutcomeEvent {
  readonly type: 'outcome';
  readonly source: number;
  readonly value: TraceValue;
}

export type TraceEvent = MessagesEvent | SchedulerEvent | EntryEvent | OutcomeEvent;

/** Receives a worker's events. It never throws or waits; lost events are reported once by the implementation. */
export interface TraceSink {
  /** Events are dropped, at least until the next cut. */
  readonly isPaused: boolean;
  writeMessages(round: number, turns: number, worker: number, count: number): void;
  writeSchedulerEvent(round: number, turns: number, kind: string, key: string, value?: TraceValue): void;
  writeEntry(round: number, step: number, source: number, id: number, value?: TraceValue): void;
  writeOutcome(source: number, value: TraceValue): void;
  /** Makes all events so far survive this thread. Call it before others can see their effects. */
  commit(): void;
  /** The worker enters a phase: a new segment starts. Phases rise. */
  cut(phase: number): void;
  /** The worker has ended in order. Without it, the trace counts as cut off. */
  end(): void;
}

/** A worker's trace as replay reads it, event by event. */
export interface TraceSource {
  /** The next event; undefined at the end. */
  readonly next: TraceEvent | undefined;
  /** How many events were taken, for messages about divergences. */
  readonly takenCount: number;
  /** Why there are no more events. */
  readonly end: 'ended' | 'cut off';
  /** Advances to the next event. */
  take(): void;
}
