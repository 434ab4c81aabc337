// Events of a worker's trace, in the order in which they happened. A worker's code and trace determine its run. Writers
// and readers of events know nothing of bytes; the storage knows nothing of the meaning of events.

import type { OutputSum } from './output-sums.ts';

/** Plain data that an outcome or entry can hold. */
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

interface EventAfterOutput {
  /** What the thread has printed since its previous event; left out if nothing. */
  readonly output?: readonly OutputSum[];
}

/** The worker took `count` messages of another worker. */
export interface MessagesEvent extends EventAfterOutput {
  readonly type: 'messages';
  /** Number of earlier scheduler rounds, without idle ones. */
  readonly round: number;
  /** Number of earlier turns. */
  readonly turns: number;
  readonly worker: number;
  readonly count: number;
}

/** Event that the scheduler noticed between two rounds. */
export interface SchedulerEvent extends EventAfterOutput {
  readonly type: 'scheduler';
  readonly round: number;
  readonly turns: number;
  /** Kind of the event, defined by the runtime. */
  readonly kind: string;
  /** Subject of the event. Its meaning depends on the kind. */
  readonly key: string;
  readonly value: TraceValue;
}

/** Native code called the program: a timer fired, or a device's result arrived. */
export interface EntryEvent extends EventAfterOutput {
  readonly type: 'entry';
  readonly round: number;
  /** Number of earlier ticks and non-empty drains of the job queue. */
  readonly step: number;
  /** Number of the caller in `TRACE_SOURCES`. */
  readonly source: number;
  /** Number of the callback, counted by its source. */
  readonly id: number;
  readonly value: TraceValue;
}

/**
 * Result of a request of the program to the host. It has no position: replay takes it at the program's next request.
 */
export interface OutcomeEvent extends EventAfterOutput {
  readonly type: 'outcome';
  readonly source: number;
  readonly value: TraceValue;
}

export type TraceEvent = MessagesEvent | SchedulerEvent | EntryEvent | OutcomeEvent;

/** Destination of a running worker's trace. Its methods never throw or wait; the storage reports each gap once. */
export interface TraceSink {
  /** Whether events are dropped, at least until the next cut. */
  readonly isPaused: boolean;
  writeMessages(round: number, turns: number, worker: number, count: number): void;
  writeSchedulerEvent(round: number, turns: number, kind: string, key: string, value?: TraceValue): void;
  writeEntry(round: number, step: number, source: number, id: number, value?: TraceValue): void;
  writeOutcome(source: number, value: TraceValue): void;
  /** Notes what the program has printed; its sum precedes the next event. @param output a text is printed in UTF-8 */
  noteOutput(stream: number, output: string | Uint8Array): void;
  /**
   * Notes that a scheduler round starts. Survives this thread. Before this round there were no events except the
   * committed ones, which a trace that is cut off does not show by itself.
   */
  beginRound(round: number): void;
  /** Notes that all work so far is done, before other threads can see its messages. Survives this thread. */
  settle(): void;
  /** Makes the events so far survive this thread. Must be called before other threads can see their effects. */
  commit(): void;
  /** Begins a new segment for the phase that the worker enters. Phases ascend. */
  cut(phase: number): void;
  /** Marks a normal end of the worker. Without this mark the trace counts as cut off. */
  end(): void;
}

/** Destination of a trace that is written to files. */
export interface FileTraceSink extends TraceSink {
  /**
   * Resolves when the events that all workers have committed so far are written and survive a kill, or with `isSynced`
   * a loss of power. Also resolves if they cannot be written, which the writer reports.
   */
  flush(isSynced: boolean): Promise<void>;
}

/** Why a trace has no next event: its worker ended normally, or the trace is cut off. */
export type TraceEnd =
  | {
      readonly reason: 'ended';
      /** What the worker printed after its last event. */
      readonly lastOutput?: readonly OutputSum[];
    }
  | {
      readonly reason: 'cut off';
      /**
       * The last round that is known to have started, without the one in which the worker ran out of memory. Before it
       * there were no events except those in the trace.
       */
      readonly lastRound?: number;
      /** Whether the trace has all events of its worker, which was lost after them. */
      readonly isWhole?: boolean;
    };

/** A worker's trace during replay, read as its events are taken. */
export interface TraceSource {
  /** The next event; undefined after the last one. */
  readonly next: TraceEvent | undefined;
  /** Number of events taken, for reports of a divergence. */
  readonly takenCount: number;
  /** Known once there is no next event. */
  readonly end: TraceEnd;
  /** Moves to the following event. */
  take(): void;
}
