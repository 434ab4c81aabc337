// `turntable export DIR`: exports the timeline of a recording as a file, for other programs and for viewers.
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { NO_TRACES, openRecording, RecordingError } from '@turntable/recording';
import { EventRedaction, redactManifest, type Redaction } from '@turntable/recording/redaction';
import { print, printError, printTo } from '../printing.ts';
import { displayRedaction, parseNames } from '../redaction.ts';
import {
  chromeTrace,
  learnSecrets,
  ProgressLine,
  type ThreadEnd,
  type TimedEvent,
  timeline,
  timelineJson,
  workerName,
} from '@turntable/replayer/replay';
import { EXPORT } from '../command-line/inspect-commands.ts';
import { runOnRecording, parseRecordingArguments } from './recording-command.ts';
import { formatCount } from '@turntable/replayer/entry';

const FORMATS = ['json', 'chrome'] as const;

interface ExportOptions {
  readonly path: string;
  readonly format: (typeof FORMATS)[number];
  readonly file: string | undefined;
  readonly redact: readonly string[];
  readonly json: boolean;
}

export function exportCommand(args: readonly string[]): Promise<number> {
  return runOnRecording('export', parseExportArguments(args), exportRecording);
}

function parseExportArguments(args: readonly string[]): ExportOptions | string {
  const parsed = parseRecordingArguments(args, EXPORT);
  if (typeof parsed === 'string') return parsed;
  const { values, subject: path } = parsed;
  const format = FORMATS.find((each) => each === (values.as ?? 'json'));
  if (format === undefined) return `--as must be "json" or "chrome", not "${values.as}"`;
  if (values.json && values.output === undefined) return '--json prints a summary of the file written with -o FILE';
  return { path, format, file: values.output, redact: parseNames(values.redact), json: values.json };
}

async function exportRecording(
  directory: string,
  name: string | undefined,
  { format, file, redact, json }: ExportOptions,
): Promise<number> {
  const recording = openRecording(directory);
  if (recording.traces().length === 0) throw new RecordingError('TT_RECORDING_MISSING', NO_TRACES);
  const redaction = displayRedaction(redact);
  if (redaction !== undefined) await learnSecrets(redaction, recording);
  const manifest =
    redaction === undefined
      ? recording.manifest
      : { ...redactManifest(recording.manifest, redaction), redacted: [...redaction.names] };
  const ends: ThreadEnd[] = [];
  const count = { events: 0 };
  const progress = new ProgressLine();
  const events = countEvents(timeline(recording, ends), redaction, count, progress);
  const chunks =
    format === 'json' ? timelineJson(recording, manifest, events, ends) : chromeTrace(recording, manifest, events);
  const isRead = file === undefined ? await printTo(process.stdout, chunks) : await writeAtomically(file, chunks);
  progress.clear();
  if (file !== undefined) {
    const summary = { recording: name ?? directory, file: resolve(file), as: format, events: count.events, ends };
    const text = `${formatCount(count.events, 'event')} of ${formatCount(ends.length, 'thread')} in ${file}`;
    print(`${json ? JSON.stringify(summary) : text}\n`);
  }
  const damage = isRead ? damageReports(name ?? directory, ends) : [];
  for (const each of damage) printError(`turntable export: ${each}\n`);
  return damage.length === 0 ? 0 : 1;
}

function* countEvents(
  events: Iterable<TimedEvent>,
  redaction: Redaction | undefined,
  count: { events: number },
  progress: ProgressLine,
): Generator<TimedEvent, void, undefined> {
  const threads = new Map<string, EventRedaction>();
  for (const each of events) {
    count.events++;
    if (count.events % 1024 === 0) progress.show(() => formatCount(count.events, 'event'));
    if (redaction === undefined) yield each;
    else {
      const thread = `${each.worker}.${each.epoch}`;
      let events = threads.get(thread);
      if (events === undefined) threads.set(thread, (events = new EventRedaction(redaction)));
      yield { ...each, event: events.redact(each.event) };
    }
  }
}

/** Writes a file completely or not at all. Resolves with whether the file was written. */
async function writeAtomically(file: string, chunks: Iterable<string>): Promise<boolean> {
  const temporary = join(dirname(file), `.${basename(file)}.tmp`);
  const output = createWriteStream(temporary, { mode: 0o600 });
  // A failed write is reported again by `end`.
  output.on('error', () => {});
  try {
    const isWritten = await printTo(output, chunks);
    await new Promise<void>((settle, reject) =>
      output.end((error?: Error | null) => (error ? reject(error) : settle())),
    );
    renameSync(temporary, file);
    return isWritten;
  } catch (error) {
    output.destroy();
    rmSync(temporary, { force: true });
    if (typeof (error as { code?: unknown }).code !== 'string') throw error;
    const reason = (error as Error).message.replaceAll(temporary, file);
    throw new RecordingError('TT_RECORDING_WRITE', `${file} cannot be written: ${reason}`, { cause: error });
  }
}

function damageReports(path: string, ends: readonly ThreadEnd[]): string[] {
  return ends.flatMap(({ worker, reason }) =>
    reason === undefined ? [] : [`${path}: the trace of ${workerName(worker)} is incomplete: ${reason}`],
  );
}
