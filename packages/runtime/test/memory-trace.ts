// A trace in memory: one worker of a test writes it, another replays it.
import {
  OutputSums,
  type TraceEnd,
  type TraceEvent,
  type TraceSink,
  type TraceSource,
  type TraceValue,
} from '@turntable/recording';

export class MemorySink implements TraceSink {
  readonly isPaused = false;
  readonly events: TraceEvent[] = [];
  /** Number of committed events, whose effects others may see. */
  committed = 0;
  startedRounds = 0;
  /** Number of events before each phase. */
  readonly cuts = new Map<number, number>();
  readonly #output = new OutputSums();

  writeMessages(round: number, turns: number, worker: number, count: number): void {
    this.#add({ type: 'messages', round, turns, worker, count });
  }
  writeSchedulerEvent(round: number, turns: number, kind: string, key: string, value?: TraceValue): void {
    this.#add({ type: 'scheduler', round, turns, kind, key, value: structuredClone(value) });
  }
  writeEntry(round: number, step: number, source: number, id: number, value?: TraceValue): void {
    this.#add({ type: 'entry', round, step, source, id, value });
  }
  writeOutcome(source: number, value: TraceValue): void {
    this.#add({ type: 'outcome', source, value });
  }
  noteOutput(stream: number, output: string | Uint8Array): void {
    this.#output.add(stream, output);
  }
  #add(event: TraceEvent): void {
    this.events.push(this.#output.isEmpty ? event : { ...event, output: this.#output.take() });
  }
  beginRound(round: number): void {
    this.startedRounds = round;
  }
  settle(): void {}
  commit(): void {
    this.committed = this.events.length;
  }
  cut(phase: number): void {
    this.cuts.set(phase, this.events.length);
  }

  end(): void {}
}

export class MemorySource implements TraceSource {
  readonly #events: readonly TraceEvent[];
  readonly end: TraceEnd;
  takenCount = 0;

  constructor(events: readonly TraceEvent[], reason: TraceEnd['reason'] = 'ended') {
    this.#events = events;
    this.end = { reason };
  }
  get next(): TraceEvent | undefined {
    return this.#events[this.takenCount];
  }
  take(): void {
    this.takenCount++;
  }
}
