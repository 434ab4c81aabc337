// How much of what is in the trace of one life of a worker.
import { sourceName, type Recording, RecordingError, type TraceEntry, type TraceEvent } from '@turntable/recording';

export interface TraceSummary {
  readonly worker: number;
  readonly life: number;
  /** That have a segment. */
  readonly phases: readonly number[];
  /** On the disk. */
  readonly bytes: number;
  readonly events: number;
  readonly rounds: number;
  readonly turns: number;
  /** Messages that were taken, by the worker they are from. */
  readonly messages: Readonly<Record<string, number>>;
  /** What happened between rounds, by kind; by the source, who called and who was asked. */
  readonly happened: Readonly<Record<string, number>>;
  readonly entries: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly end: 'ended' | 'cut off' | 'damaged';
  /** What is damaged. */
  readonly why?: string;
}

class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string | number, more = 1): void {
    const key = String(name);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + more);
  }

  /** The most first. */
  get all(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([, one], [, other]) => other - one));
  }
}

/** Reads all of it. */
export function summaryOf(recording: Recording, { worker, life, phases, bytes }: TraceEntry): TraceSummary {
  const [messages, happened, entries, outcomes] = [new Counts(), new Counts(), new Counts(), new Counts()];
  let [events, rounds, turns] = [0, 0, 0];
  const add = (event: TraceEvent): void => {
    events++;
    if (event.what === 'outcome') return outcomes.add(sourceName(event.source));
    rounds = event.round;
    if (event.what === 'entry') return entries.add(sourceName(event.source));
    ({ turns } = event);
    if (event.what === 'messages') messages.add(event.worker, event.count);
    else happened.add(event.kind);
  };
  const how = readAll(recording, worker, life, add);
  return {
    worker,
    life,
    phases,
    bytes,
    events,
    rounds,
    turns,
    messages: messages.all,
    happened: happened.all,
    entries: entries.all,
    outcomes: outcomes.all,
    ...how,
  };
}

function readAll(
  recording: Recording,
  worker: number,
  life: number,
  add: (event: TraceEvent) => void,
): Pick<TraceSummary, 'end' | 'why'> {
  try {
    const trace = recording.trace(worker, life);
    try {
      for (let { next } = trace; next !== undefined; { next } = trace) {
        add(next);
        trace.take();
      }
      return { end: trace.end };
    } finally {
      trace.close();
    }
  } catch (error) {
    if (!(error instanceof RecordingError) || error.code === 'TT_RECORDING_KEY') throw error;
    return { end: 'damaged', why: error.message };
  }
}
