// A trace in memory: what a worker of a test has written, and what another one takes again.
import type { TraceEvent, TraceSink, TraceSource, TraceValue } from '@turntable/recording';

export class MemorySink implements TraceSink {
  readonly isResting = false;
  readonly events: TraceEvent[] = [];
  /** How many events there are that others may know the effects of. */
  committed = 0;
  /** Of each phase, how many events came before it. */
  readonly cuts = new Map<number, number>();

  messages(round: number, turns: number, worker: number, count: number): void {
    this.events.push({ what: 'messages', round, turns, worker, count });
  }
  happened(round: number, turns: number, kind: string, key: string, value?: TraceValue): void {
    this.events.push({ what: 'happened', round, turns, kind, key, value: structuredClone(value) });
  }
  entry(round: number, step: number, source: number, id: number, value?: TraceValue): void {
    this.events.push({ what: 'entry', round, step, source, id, value });
  }
  outcome(source: number, value: TraceValue): void {
    this.events.push({ what: 'outcome', source, value });
  }
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
  readonly end: TraceSource['end'];
  taken = 0;

  constructor(events: readonly TraceEvent[], end: TraceSource['end'] = 'ended') {
    this.#events = events;
    this.end = end;
  }
  get next(): TraceEvent | undefined {
    return this.#events[this.taken];
  }
  take(): void {
    this.taken++;
  }
}
