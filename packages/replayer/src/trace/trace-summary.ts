// Summary of the trace of a worker in one epoch: counts of its events by kind.
import {
  traceSourceName,
  type Recording,
  RecordingError,
  type TraceEntry,
  type TraceEvent,
} from '@turntable/recording';

export interface TraceSummary {
  readonly worker: number;
  readonly epoch: number;
  /** Phases with a segment. */
  readonly phases: readonly number[];
  /** Size on disk. */
  readonly bytes: number;
  readonly events: number;
  readonly rounds: number;
  readonly turns: number;
  /** Messages taken, by sending worker. */
  readonly messages: Readonly<Record<string, number>>;
  /** Numbers of scheduler events by kind, and of host callbacks (`entries`) and host calls (`outcomes`) by source. */
  readonly schedulerEvents: Readonly<Record<string, number>>;
  readonly entries: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly end: 'ended' | 'cut off' | 'damaged';
  /** Description of the damage, if `end` is `damaged`. */
  readonly reason?: string;
}

class NameCounts {
  readonly #counts = new Map<string, number>();

  add(name: string | number, increment = 1): void {
    const key = String(name);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + increment);
  }

  /** Counts by name, largest first. */
  get sorted(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([, one], [, other]) => other - one));
  }
}

/** Reads the whole trace. */
export function summarizeTrace(recording: Recording, { worker, epoch, phases, bytes }: TraceEntry): TraceSummary {
  const [messages, schedulerEvents] = [new NameCounts(), new NameCounts()];
  const [entries, outcomes] = [new NameCounts(), new NameCounts()];
  let [events, rounds, turns] = [0, 0, 0];
  const add = (event: TraceEvent): void => {
    events++;
    if (event.type === 'outcome') return outcomes.add(traceSourceName(event.source));
    rounds = event.round;
    if (event.type === 'entry') return entries.add(traceSourceName(event.source));
    ({ turns } = event);
    if (event.type === 'messages') messages.add(event.worker, event.count);
    else schedulerEvents.add(event.kind);
  };
  const ending = readTrace(recording, worker, epoch, add);
  return {
    worker,
    epoch,
    phases,
    bytes,
    events,
    rounds,
    turns,
    messages: messages.sorted,
    schedulerEvents: schedulerEvents.sorted,
    entries: entries.sorted,
    outcomes: outcomes.sorted,
    ...ending,
  };
}

function readTrace(
  recording: Recording,
  worker: number,
  epoch: number,
  add: (event: TraceEvent) => void,
): Pick<TraceSummary, 'end' | 'reason'> {
  try {
    const trace = recording.trace(worker, epoch);
    try {
      for (let { next } = trace; next !== undefined; { next } = trace) {
        add(next);
        trace.take();
      }
      return { end: trace.end.reason };
    } finally {
      trace.close();
    }
  } catch (error) {
    if (!(error instanceof RecordingError) || error.code === 'TT_RECORDING_KEY') throw error;
    return { end: 'damaged', reason: error.message };
  }
}
