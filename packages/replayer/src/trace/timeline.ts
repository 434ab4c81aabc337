// All inputs of a recording's threads in chronological order. Traces have no timestamps. The known times are the clock
// readings of the program (`Date`, `performance`, `hrtime`) and the starts of threads. Events between two known times
// are spread evenly, and events after the last one are a microsecond apart. So the order within a thread is exact; the
// order between threads depends on how often they read a clock.
import {
  RecordingError,
  TRACE_SOURCES,
  type Recording,
  type TraceEntry,
  type TraceEvent,
  type TraceReader,
  type TraceValue,
} from '@turntable/recording';

export interface TimedEvent {
  readonly worker: number;
  readonly epoch: number;
  /** Phase of the event's segment. */
  readonly phase: number;
  /** Number of the event in its thread, from 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Whether the program has read this time; otherwise it is an estimate. */
  readonly isRead: boolean;
  readonly event: TraceEvent;
}

export interface ThreadEnd {
  readonly worker: number;
  readonly epoch: number;
  readonly events: number;
  readonly end: 'ended' | 'cut off' | 'damaged';
  readonly reason?: string;
}

/** Time between two events after the last known time. */
const EVENT_SPACING_MS = 0.001;
/** Maximum number of events buffered until the next known time. More of them get times by `EVENT_SPACING_MS`. */
const MAX_UNTIMED_EVENTS = 1 << 20;
/** Larger `hrtime` values count from 1970, smaller ones from the start of the machine. */
const MIN_UNIX_NANOSECONDS = 10n ** 18n;

/** Events in order of time, with equal times in order of worker. @param ends gets an entry for each thread */
export function* timeline(recording: Recording, ends: ThreadEnd[]): Generator<TimedEvent, void, undefined> {
  const threads = recording.traces().map((entry) => threadEvents(recording, entry, ends));
  const heads = threads.map((each) => each.next().value);
  try {
    for (;;) {
      let first: number | undefined;
      for (const [i, head] of heads.entries())
        if (head !== undefined && (first === undefined || head.time < (heads[first]?.time ?? 0))) first = i;
      const event = first === undefined ? undefined : heads[first];
      if (first === undefined || event === undefined) return;
      yield event;
      heads[first] = threads[first]?.next().value;
    }
  } finally {
    for (const each of threads) each.return(undefined);
  }
}

function* threadEvents(
  recording: Recording,
  entry: TraceEntry,
  ends: ThreadEnd[],
): Generator<TimedEvent, undefined, undefined> {
  const { worker, epoch } = entry;
  const clock = new TraceClock(traceStartTime(recording, entry));
  let untimed: Omit<TimedEvent, 'time' | 'isRead'>[] = [];
  let events = 0;
  let ending: Pick<ThreadEnd, 'end' | 'reason'>;
  let reader: TraceReader | undefined;
  const timeUntimed = function* (until: number | undefined): Generator<TimedEvent> {
    const from = clock.now;
    const step = until === undefined ? EVENT_SPACING_MS : (until - from) / (untimed.length + 1);
    for (const each of untimed) {
      clock.now += step;
      yield { ...each, time: clock.now, isRead: false };
    }
    untimed = [];
  };
  try {
    reader = recording.trace(worker, epoch);
    for (let { next: event } = reader; event !== undefined; { next: event } = reader) {
      const located = { worker, epoch, phase: reader.phase, number: ++events, event };
      reader.take();
      const time = clock.read(event);
      if (time === undefined) untimed.push(located);
      if (time !== undefined || untimed.length >= MAX_UNTIMED_EVENTS) yield* timeUntimed(time);
      if (time === undefined) continue;
      clock.now = time;
      yield { ...located, time, isRead: true };
    }
    ending = { end: reader.end.reason };
  } catch (error) {
    if (!(error instanceof RecordingError) || error.code === 'TT_RECORDING_KEY') throw error;
    ending = { end: 'damaged', reason: error.message };
  } finally {
    reader?.close();
  }
  yield* timeUntimed(undefined);
  ends.push({ worker, epoch, events, ...ending });
  return undefined;
}

/** Earliest possible time of the first event of a trace, or of the phase `from`. */
export function traceStartTime(recording: Recording, { phases }: TraceEntry, from?: number): number {
  const first = from ?? phases[0] ?? 0;
  const snapshot = first === 0 ? undefined : recording.snapshots().find(({ phase }) => phase === first);
  return snapshot?.time ?? Date.parse(recording.manifest.created);
}

/** Clock of a thread, driven by its clock readings. It never runs backwards. */
export class TraceClock {
  now: number;
  /** Offsets of `performance` and `hrtime` from 1970, in milliseconds. */
  readonly #offsets: { performance?: number; hrtime?: number } = {};

  constructor(now: number) {
    this.now = now;
  }

  /** Milliseconds since 1970; undefined if the event is not a clock reading. */
  read(event: TraceEvent): number | undefined {
    const time = event.type === 'outcome' ? this.#timeOf(event.source, event.value) : undefined;
    return time === undefined || !Number.isFinite(time) ? undefined : Math.max(this.now, time);
  }

  #timeOf(source: number, value: TraceValue): number | undefined {
    if (source === TRACE_SOURCES.date && typeof value === 'number') return value;
    if (source === TRACE_SOURCES.performance && typeof value === 'number')
      return this.#sinceFirstReading('performance', value);
    if (source === TRACE_SOURCES.hrtime && typeof value === 'bigint')
      return value > MIN_UNIX_NANOSECONDS
        ? Number(value / 1000n) / 1000
        : this.#sinceFirstReading('hrtime', Number(value) / 1e6);
    if (source !== TRACE_SOURCES.machine || !Array.isArray(value) || value[0] !== 'start') return undefined;
    const { timeOrigin } = (value[2] ?? {}) as { readonly timeOrigin?: TraceValue };
    if (typeof timeOrigin !== 'number') return undefined;
    return (this.#offsets.performance = timeOrigin);
  }

  /** Absolute time of a relative reading. If the clock's start is unknown, its first reading counts as `now`. */
  #sinceFirstReading(clock: 'performance' | 'hrtime', milliseconds: number): number {
    return (this.#offsets[clock] ??= this.now - milliseconds) + milliseconds;
  }
}
