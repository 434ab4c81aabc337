// `turntable inspect DIR --trace`: lists the inputs of a recording's workers event by event, or counts them.
import { DeviceEventText } from '@turntable/boundary/inert';
import {
  NO_TRACES,
  openRecording,
  RecordingError,
  type Recording,
  type TraceEntry,
  type TraceReader,
} from '@turntable/recording';
import { EventRedaction, type Redaction } from '@turntable/recording/redaction';
import { formatCount } from '../output/wording.ts';
import { eventJson } from './event-json.ts';
import { eventLine, workerName } from './event-line.ts';
import { summarizeTrace, type TraceSummary } from './trace-summary.ts';

export interface TraceQuery {
  /** Worker and epoch; undefined for all, or with `from` or `count` for the main thread. */
  readonly worker: number | undefined;
  readonly epoch: number | undefined;
  /** Phase of the first segment; undefined for the first phase of the trace. */
  readonly phase: number | undefined;
  /** Number of the first event, from 1. */
  readonly from: number | undefined;
  readonly count: number | undefined;
  readonly json: boolean;
  /** Redacts the secrets in events; undefined to show them. */
  readonly redaction?: Redaction | undefined;
}

const DEFAULT_EVENT_COUNT = 100;

/** Lines of output, read lazily. @throws {RecordingError} at damage, after the lines before it */
export function* inspectTrace(directory: string, query: TraceQuery): Generator<string, void, undefined> {
  const recording = openRecording(directory);
  const { worker, epoch, from, count, json } = query;
  const traces = recording
    .traces()
    .filter((each) => (worker ?? each.worker) === each.worker && (epoch ?? each.epoch) === each.epoch);
  if (traces.length === 0) throw missingTraceError(recording, query);
  if (from === undefined && count === undefined) {
    const summaries = traces.map((each) => summarizeTrace(recording, each));
    yield json ? `${JSON.stringify(summaries)}\n` : summaries.map((each) => summaryText(each)).join('\n');
    return;
  }
  const matching = traces.filter((each) => each.worker === (worker ?? 0));
  const [one] = matching;
  if (one === undefined) throw missingTraceError(recording, { ...query, worker: 0 });
  if (matching.length > 1)
    throw new RecordingError(
      'TT_RECORDING_USE',
      `${workerName(one.worker)} has epochs ${matching.map((each) => each.epoch).join(', ')}: select one with --worker ${one.worker}.${one.epoch}`,
    );
  yield* eventLines(recording, one, query);
}

function missingTraceError(recording: Recording, { worker, epoch }: TraceQuery): RecordingError {
  const available = recording
    .traces()
    .map((each) => (each.epoch === 0 ? `${each.worker}` : `${each.worker}.${each.epoch}`));
  const threadText =
    worker === undefined ? 'no thread' : `${workerName(worker)}${epoch === undefined ? '' : `, epoch ${epoch}`}`;
  return new RecordingError(
    'TT_RECORDING_MISSING',
    available.length === 0
      ? NO_TRACES
      : `there is no trace of ${threadText}; available: --worker ${available.join(', ')}`,
  );
}

function* eventLines(
  recording: Recording,
  { worker, epoch }: TraceEntry,
  { phase, from = 1, count = DEFAULT_EVENT_COUNT, json, redaction }: TraceQuery,
): Generator<string, void, undefined> {
  if (redaction !== undefined) learnUntil(redaction, recording.trace(worker, epoch, phase), from + count);
  const trace = recording.trace(worker, epoch, phase);
  try {
    let lastPhase = trace.phase;
    const eventText = new DeviceEventText(trace.phase === 0);
    const events = redaction && new EventRedaction(redaction);
    for (let { next } = trace; next !== undefined; { next } = trace) {
      const number = trace.takenCount + 1;
      if (number >= from + count) {
        if (!json) yield `more events: --from ${number}\n`;
        return;
      }
      const shown = events?.redact(next) ?? next;
      const line = json ? '' : eventLine(shown, eventText);
      if (number >= from) {
        if (json)
          yield `${JSON.stringify({ worker, epoch, phase: trace.phase, event: number, ...eventJson(shown) })}\n`;
        else {
          if (lastPhase !== trace.phase) yield `${' '.repeat(8)}  phase ${trace.phase}\n`;
          yield `${String(number).padStart(8)}  ${line}\n`;
        }
      }
      lastPhase = trace.phase;
      trace.take();
    }
    if (!json) yield `${' '.repeat(8)}  ${trace.end.reason === 'ended' ? 'end of trace' : 'trace cut off here'}\n`;
  } finally {
    trace.close();
  }
}

/** Learns the secrets of the events before the one with this number. Damage is reported when they are listed. */
function learnUntil(redaction: Redaction, trace: TraceReader, number: number): void {
  const events = new EventRedaction(redaction);
  try {
    for (let { next } = trace; next !== undefined && trace.takenCount + 1 < number; { next } = trace) {
      events.learn(next);
      trace.take();
    }
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
  } finally {
    trace.close();
  }
}

function summaryText(summary: TraceSummary): string {
  const { worker, epoch, phases, bytes, events, rounds, turns, end, reason, ...counts } = summary;
  const [first = 0] = phases;
  const epochText = epoch === 0 ? '' : `, epoch ${epoch}`;
  const since = first === 0 ? '' : ` from phase ${first} on`;
  const lines = [
    `${workerName(worker)}${epochText}${since}: ${formatCount(events, 'event')} in ${formatCount(bytes, 'byte')}, ${formatCount(rounds, 'round')}, ${formatCount(turns, 'turn')}, ${end}`,
  ];
  const messages = Object.entries(counts.messages).map(([from, count]) => `${count} of ${workerName(Number(from))}`);
  if (messages.length > 0) lines.push(`  messages   ${messages.join(', ')}`);
  for (const [title, countsByName] of [
    ['scheduler', counts.schedulerEvents],
    ['calls', counts.entries],
    ['asked', counts.outcomes],
  ] as const) {
    const items = Object.entries(countsByName).map(([name, count]) => `${name} ${count}`);
    if (items.length > 0) lines.push(`  ${title.padEnd(9)}  ${items.join(', ')}`);
  }
  if (reason !== undefined) lines.push(`  ${reason}`);
  return `${lines.join('\n')}\n`;
}
