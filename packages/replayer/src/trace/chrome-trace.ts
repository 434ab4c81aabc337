// The time line of a recording as a trace of Chrome's, which Perfetto and chrome://tracing open: a track for each thread, a slice for each thing that came
// to it, marks for what was asked meanwhile and for snapshots, arrows for messages. A trace does not say where a message was sent: its arrow begins at
// the last thing its sender is known to have done before.
import { DeviceWords } from '@turntable/boundary/inert';
import type { Json, Manifest, Recording } from '@turntable/recording';
import { eventName, workerName } from './event-line.ts';
import type { TimedEvent } from './timeline.ts';

interface Slice {
  readonly name: string;
  readonly category: string;
  /** Microseconds. */
  readonly start: number;
  last: number;
  readonly args: Readonly<Record<string, Json>>;
}

interface Track {
  readonly thread: number;
  readonly words: DeviceWords;
  slice: Slice | undefined;
}

/** Microseconds: what takes no time is seen all the same. */
const SEEN = 1;
const PROCESS = 1;
/** Lives of a worker have tracks of their own beside each other. */
const LIVES = 1000;

export function* chromeTrace(
  recording: Recording,
  manifest: Manifest,
  events: Iterable<TimedEvent>,
): Generator<string, void, undefined> {
  const tracks = new Tracks(Date.parse(manifest.created));
  const { entry, created, ended, versions, argv } = manifest;
  yield `{"displayTimeUnit":"ms","otherData":${JSON.stringify({ created, ended, entry, versions, argv })},"traceEvents":[\n`;
  yield JSON.stringify({ ph: 'M', name: 'process_name', pid: PROCESS, args: { name: entry ?? 'a program' } });
  for (const { phase, time, bytes } of recording.snapshots())
    yield line({
      ph: 'i',
      s: 'g',
      name: `snapshot ${phase}`,
      cat: 'snapshot',
      ts: tracks.at(time),
      tid: 0,
      args: { bytes },
    });
  for (const event of events) yield* tracks.add(event).map(line);
  yield* tracks.end().map(line);
  yield '\n]}\n';
}

type Entry = Readonly<Record<string, Json>>;

function line(entry: Entry): string {
  return `,\n${JSON.stringify({ pid: PROCESS, ...entry })}`;
}

class Tracks {
  readonly #began: number;
  readonly #tracks = new Map<number, Track>();
  /** Of each worker, that of the life that was met last. */
  readonly #current = new Map<number, Track>();
  #arrows = 0;

  constructor(began: number) {
    this.#began = began;
  }

  /** Microseconds since the recording was begun. */
  at(milliseconds: number): number {
    return Math.round((milliseconds - this.#began) * 1e6) / 1000;
  }

  add(timed: TimedEvent): Entry[] {
    const { event, number, time } = timed;
    const entries: Entry[] = [];
    const track = this.#track(timed, entries);
    const { thread } = track;
    const ts = this.at(time);
    if (event.what === 'outcome') {
      track.slice ??= { name: 'the program begins', category: 'start', start: ts, last: ts, args: {} };
      track.slice.last = ts;
      const [name, value] = parts(eventName(event, track.words));
      entries.push({ ph: 'i', s: 't', name, cat: event.what, ts, tid: thread, args: { event: number, value } });
      return entries;
    }
    entries.push(...closed(track, ts));
    const [name, value] = parts(eventName(event, track.words));
    const position = event.what === 'entry' ? { step: event.step } : { turns: event.turns };
    const args = { event: number, round: event.round, ...position, ...(value === '' ? {} : { value }) };
    track.slice = { name, category: event.what, start: ts, last: ts, args };
    if (event.what === 'messages') entries.push(...this.#arrow(event.worker, thread, ts, event.count));
    return entries;
  }

  end(): Entry[] {
    return [...this.#tracks.values()].flatMap((track) => closed(track, Infinity));
  }

  #track({ worker, life, phase }: TimedEvent, entries: Entry[]): Track {
    const thread = worker * LIVES + life;
    let track = this.#tracks.get(thread);
    if (track === undefined) {
      track = { thread, slice: undefined, words: new DeviceWords(phase === 0) };
      this.#tracks.set(thread, track);
      const name = `${workerName(worker)}${life === 0 ? '' : `, life ${life}`}`;
      entries.push(
        { ph: 'M', name: 'thread_name', tid: thread, args: { name } },
        { ph: 'M', name: 'thread_sort_index', tid: thread, args: { sort_index: thread } },
      );
    }
    this.#current.set(worker, track);
    return track;
  }

  #arrow(from: number, to: number, ts: number, count: number): Entry[] {
    const sender = this.#current.get(from);
    if (sender?.slice === undefined) return [];
    const arrow = { name: 'messages', cat: 'messages', id: ++this.#arrows };
    return [
      { ph: 's', ...arrow, ts: sender.slice.start, tid: sender.thread, args: { count } },
      { ph: 'f', bp: 'e', ...arrow, ts, tid: to, args: { count } },
    ];
  }
}

/** The slice that a track is in, which goes on to the last thing that was asked in it, but not beyond the next one. */
function closed(track: Track, next: number): Entry[] {
  const { slice, thread } = track;
  if (slice === undefined) return [];
  const { name, category, start, last, args } = slice;
  const length = Math.round(Math.min(Math.max(last - start, SEEN), next - start) * 1000) / 1000;
  return [{ ph: 'X', name, cat: category, ts: start, dur: length, tid: thread, args }];
}

/** What it is, and with what. */
function parts(name: string): readonly [name: string, value: string] {
  const at = name.indexOf(': ');
  return at === -1 ? [name, ''] : [name.slice(0, at), name.slice(at + 2)];
}
