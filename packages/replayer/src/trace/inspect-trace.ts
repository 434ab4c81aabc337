// `turntable inspect DIR --trace`: what came to the workers of a recording, event by event as they took it, or how much of what.
import { DeviceWords } from '@turntable/boundary/inert';
import { openRecording, RecordingError, type Recording, type TraceEntry } from '@turntable/recording';
import { counted } from '../output/wording.ts';
import { eventJson } from './event-json.ts';
import { eventLine, workerName } from './event-line.ts';
import { summaryOf, type TraceSummary } from './trace-summary.ts';

export interface TraceWishes {
  /** Of which, and in which of its lives; of all without a range, of the main thread with one. */
  readonly worker: number | undefined;
  readonly life: number | undefined;
  /** The segment to begin with; the first there is. */
  readonly phase: number | undefined;
  /** The number of the first event, from 1 on. */
  readonly from: number | undefined;
  readonly count: number | undefined;
  readonly json: boolean;
}

/** Events that are shown of themselves. */
const SCREEN = 100;

/** Lines, read while they are taken. @throws {RecordingError} where a file is damaged, behind what came before */
export function* inspectTrace(directory: string, wishes: TraceWishes): Generator<string, void, undefined> {
  const recording = openRecording(directory);
  const { worker, life, from, count, json } = wishes;
  const traces = recording
    .traces()
    .filter((each) => (worker ?? each.worker) === each.worker && (life ?? each.life) === each.life);
  if (traces.length === 0) throw nothingOf(recording, wishes);
  if (from === undefined && count === undefined) {
    const all = traces.map((each) => summaryOf(recording, each));
    yield json ? `${JSON.stringify(all)}\n` : all.map((each) => summaryText(each)).join('\n');
    return;
  }
  const those = traces.filter((each) => each.worker === (worker ?? 0));
  const [one] = those;
  if (one === undefined) throw nothingOf(recording, { ...wishes, worker: 0 });
  if (those.length > 1)
    throw new RecordingError(
      'TT_RECORDING_USE',
      `${workerName(one.worker)} has had lives ${those.map((each) => each.life).join(', ')}: say which, --worker ${one.worker}.${one.life}`,
    );
  yield* eventsOf(recording, one, wishes);
}

function nothingOf(recording: Recording, { worker, life }: TraceWishes): RecordingError {
  const there = recording.traces().map((each) => (each.life === 0 ? `${each.worker}` : `${each.worker}.${each.life}`));
  const whose =
    worker === undefined ? 'no thread' : `${workerName(worker)}${life === undefined ? '' : ` in its life ${life}`}`;
  return new RecordingError(
    'TT_RECORDING_MISSING',
    there.length === 0
      ? 'it has no traces: record the program with turntable record, or with the setting trace'
      : `there is no trace of ${whose}; there are those of --worker ${there.join(', ')}`,
  );
}

function* eventsOf(
  recording: Recording,
  { worker, life }: TraceEntry,
  { phase, from = 1, count = SCREEN, json }: TraceWishes,
): Generator<string, void, undefined> {
  const trace = recording.trace(worker, life, phase);
  try {
    let last = trace.phase;
    const words = new DeviceWords(trace.phase === 0);
    for (let { next } = trace; next !== undefined; { next } = trace) {
      const number = trace.taken + 1;
      if (number >= from + count) {
        if (!json) yield `more follow: --from ${number}\n`;
        return;
      }
      const line = json ? '' : eventLine(next, words);
      if (number >= from) {
        if (json) yield `${JSON.stringify({ worker, life, phase: trace.phase, event: number, ...eventJson(next) })}\n`;
        else {
          if (last !== trace.phase) yield `${' '.repeat(8)}  phase ${trace.phase}\n`;
          yield `${String(number).padStart(8)}  ${line}\n`;
        }
      }
      last = trace.phase;
      trace.take();
    }
    if (!json) yield `${' '.repeat(8)}  ${trace.end === 'ended' ? 'the end' : 'it stops here: cut off'}\n`;
  } finally {
    trace.close();
  }
}

function summaryText({
  worker,
  life,
  phases,
  bytes,
  events,
  rounds,
  turns,
  end,
  why,
  ...counts
}: TraceSummary): string {
  const [first = 0] = phases;
  const lives = life === 0 ? '' : `, life ${life}`;
  const since = first === 0 ? '' : ` from phase ${first} on`;
  const lines = [
    `${workerName(worker)}${lives}${since}: ${counted(events, 'event')} in ${counted(bytes, 'byte')}, ${counted(rounds, 'round')}, ${counted(turns, 'turn')}, ${end}`,
  ];
  const messages = Object.entries(counts.messages).map(([from, count]) => `${count} of ${workerName(Number(from))}`);
  if (messages.length > 0) lines.push(`  messages  ${messages.join(', ')}`);
  for (const [title, those] of [
    ['happened', counts.happened],
    ['calls', counts.entries],
    ['asked', counts.outcomes],
  ] as const) {
    const all = Object.entries(those).map(([name, count]) => `${name} ${count}`);
    if (all.length > 0) lines.push(`  ${title.padEnd(8)}  ${all.join(', ')}`);
  }
  if (why !== undefined) lines.push(`  ${why}`);
  return `${lines.join('\n').replaceAll(CONTROL, '\uFFFD')}\n`;
}

const CONTROL = /(?!\n)\p{Cc}/gu;
