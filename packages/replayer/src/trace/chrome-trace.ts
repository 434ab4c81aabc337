// Timeline of a recording in Chrome's trace format, for Perfetto and chrome://tracing: a track for each thread, a slice
// for each input, marks for host calls and snapshots, arrows for messages. Traces do not say when a message was sent,
// so the arrow of a message starts at the sender's last known event before the message was taken.
import { DeviceEventText } from '@turntable/boundary/inert';
import type { Json, Manifest, Recording } from '@turntable/recording';
import { eventName, workerName } from './event-line.ts';
import type { TimedEvent } from './timeline.ts';

interface Slice {
  readonly name: string;
  readonly category: string;
  /** Microseconds since the start of the recording. */
  readonly start: number;
  lastAt: number;
  readonly args: Readonly<Record<string, Json>>;
}

interface Track {
  readonly thread: number;
  readonly eventText: DeviceEventText;
  slice: Slice | undefined;
}

/** Minimum width of a slice, so that it is visible. */
const MIN_SLICE_US = 1;
const PROCESS_ID = 1;
/** Factor of track numbers, so that the epochs of a worker have separate tracks. */
const EPOCHS_PER_WORKER = 1000;

export function* chromeTrace(
  recording: Recording,
  manifest: Manifest,
  events: Iterable<TimedEvent>,
): Generator<string, void, undefined> {
  const tracks = new TrackSet(Date.parse(manifest.created));
  const { entry, created, ended, versions, argv } = manifest;
  yield `{"displayTimeUnit":"ms","otherData":${JSON.stringify({ created, ended, entry, versions, argv })},"traceEvents":[\n`;
  yield JSON.stringify({ ph: 'M', name: 'process_name', pid: PROCESS_ID, args: { name: entry ?? 'a program' } });
  for (const { phase, time, bytes } of recording.snapshots())
    yield jsonLine({
      ph: 'i',
      s: 'g',
      name: `snapshot ${phase}`,
      cat: 'snapshot',
      ts: tracks.timestamp(time),
      tid: 0,
      args: { bytes },
    });
  for (const event of events) yield* tracks.add(event).map(jsonLine);
  yield* tracks.closeAll().map(jsonLine);
  yield '\n]}\n';
}

type ChromeEvent = Readonly<Record<string, Json>>;

function jsonLine(entry: ChromeEvent): string {
  return `,\n${JSON.stringify({ pid: PROCESS_ID, ...entry })}`;
}

class TrackSet {
  readonly #startMs: number;
  readonly #tracks = new Map<number, Track>();
  /** Track of each worker's latest epoch. */
  readonly #current = new Map<number, Track>();
  #arrowCount = 0;

  constructor(startTime: number) {
    this.#startMs = startTime;
  }

  /** Microseconds since the start of the recording. */
  timestamp(milliseconds: number): number {
    return Math.round((milliseconds - this.#startMs) * 1e6) / 1000;
  }

  add(timed: TimedEvent): ChromeEvent[] {
    const { event, number, time } = timed;
    const entries: ChromeEvent[] = [];
    const track = this.#track(timed, entries);
    const { thread } = track;
    const ts = this.timestamp(time);
    if (event.type === 'outcome') {
      track.slice ??= { name: 'program start', category: 'start', start: ts, lastAt: ts, args: {} };
      track.slice.lastAt = ts;
      const [name, value] = splitName(eventName(event, track.eventText));
      entries.push({ ph: 'i', s: 't', name, cat: event.type, ts, tid: thread, args: { event: number, value } });
      return entries;
    }
    entries.push(...closeSlice(track, ts));
    const [name, value] = splitName(eventName(event, track.eventText));
    const position = event.type === 'entry' ? { step: event.step } : { turns: event.turns };
    const args = { event: number, round: event.round, ...position, ...(value === '' ? {} : { value }) };
    track.slice = { name, category: event.type, start: ts, lastAt: ts, args };
    if (event.type === 'messages') entries.push(...this.#messageArrow(event.worker, thread, ts, event.count));
    return entries;
  }

  closeAll(): ChromeEvent[] {
    return [...this.#tracks.values()].flatMap((track) => closeSlice(track, Infinity));
  }

  #track({ worker, epoch, phase }: TimedEvent, entries: ChromeEvent[]): Track {
    const thread = worker * EPOCHS_PER_WORKER + epoch;
    let track = this.#tracks.get(thread);
    if (track === undefined) {
      track = { thread, slice: undefined, eventText: new DeviceEventText(phase === 0) };
      this.#tracks.set(thread, track);
      const name = `${workerName(worker)}${epoch === 0 ? '' : `, epoch ${epoch}`}`;
      entries.push(
        { ph: 'M', name: 'thread_name', tid: thread, args: { name } },
        { ph: 'M', name: 'thread_sort_index', tid: thread, args: { sort_index: thread } },
      );
    }
    this.#current.set(worker, track);
    return track;
  }

  #messageArrow(from: number, to: number, ts: number, count: number): ChromeEvent[] {
    const sender = this.#current.get(from);
    if (sender?.slice === undefined) return [];
    const arrow = { name: 'messages', cat: 'messages', id: ++this.#arrowCount };
    return [
      { ph: 's', ...arrow, ts: sender.slice.start, tid: sender.thread, args: { count } },
      { ph: 'f', bp: 'e', ...arrow, ts, tid: to, args: { count } },
    ];
  }
}

/** Ends the slice of a track at its last host call, but not after the start of the next slice. */
function closeSlice(track: Track, nextStart: number): ChromeEvent[] {
  const { slice, thread } = track;
  if (slice === undefined) return [];
  const { name, category, start, lastAt, args } = slice;
  const length = Math.round(Math.min(Math.max(lastAt - start, MIN_SLICE_US), nextStart - start) * 1000) / 1000;
  return [{ ph: 'X', name, cat: category, ts: start, dur: length, tid: thread, args }];
}

/** Splits an event's text into name and value. */
function splitName(name: string): readonly [name: string, value: string] {
  const at = name.indexOf(': ');
  return at === -1 ? [name, ''] : [name.slice(0, at), name.slice(at + 2)];
}
