// `turntable pack DIR`: packs a recording into one file. With --redact, it packs a copy without the redacted values.
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { openRecording } from '@turntable/recording';
import {
  isPackedFile,
  packRecording,
  Redaction,
  redactRecording,
  type PackedRecording,
  type PackProgress,
} from '@turntable/recording/packed';
import { PACK } from '../command-line/maintain-commands.ts';
import { parseSubjectArguments } from './arguments.ts';
import { parseNames } from './export.ts';
import {
  isDirectory,
  isReported,
  recordingsNewestFirst,
  ProgressLine,
  TemporaryDirectory,
} from '@turntable/replayer/replay';
import { formatCount, formatSize } from '@turntable/replayer/entry';
import { reportFailure, reportUsageError } from './failure.ts';

interface PackOptions {
  readonly directory: string;
  readonly file: string | undefined;
  readonly redact: readonly string[];
  readonly json: boolean;
}

export async function pack(args: readonly string[]): Promise<number> {
  const options = parsePackArguments(args);
  if (typeof options === 'string') return reportUsageError('pack', options);
  try {
    const result = await packDirectory(options);
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : resultText(result));
    return 0;
  } catch (error) {
    return reportFailure('pack', options.directory, error);
  }
}

function parsePackArguments(args: readonly string[]): PackOptions | string {
  const parsed = parseSubjectArguments(args, PACK, { subjectName: 'recording' });
  if (typeof parsed === 'string') return parsed;
  const { values, subject: directory } = parsed;
  if (isPackedFile(directory)) return `${directory} is packed already`;
  if (!isDirectory(directory)) return `there is no directory ${directory}`;
  return { directory, file: values.output, redact: parseNames(values.redact), json: values.json };
}

interface PackResult extends PackedRecording {
  readonly recording: string;
  /** Names of the redacted values; null without --redact. */
  readonly redacted: readonly string[] | null;
}

async function packDirectory({ directory, file, redact }: PackOptions): Promise<PackResult> {
  const recording = openRecording(latestRecordingIn(resolve(directory)));
  const target = resolve(file ?? `${basename(recording.directory)}${redact.length === 0 ? '' : '.redacted'}.ttr`);
  const progress = new ProgressLine();
  const onProgress: PackProgress = (done, total) =>
    progress.show(() => `packing ${formatSize(done)} of ${formatSize(total)}`);
  try {
    if (redact.length === 0)
      return {
        ...(await packRecording(recording.directory, target, { onProgress })),
        recording: recording.directory,
        redacted: null,
      };
    using room = new TemporaryDirectory();
    const copy = join(room.path, basename(recording.directory));
    progress.show(() => `redacting ${recording.directory}`);
    redactRecording(recording, copy, new Redaction(redact));
    return { ...(await packRecording(copy, target, { onProgress })), recording: recording.directory, redacted: redact };
  } finally {
    progress.clear();
  }
}

/** Directory of the recording. Of a directory of several: the newest recording that has traces or snapshots. */
function latestRecordingIn(directory: string): string {
  if (existsSync(join(directory, 'manifest.json'))) return directory;
  const all = recordingsNewestFirst(directory);
  return (all.find((each) => hasContents(each.directory)) ?? all[0])?.directory ?? directory;
}

function hasContents(directory: string): boolean {
  try {
    const recording = openRecording(directory);
    return recording.traces().length > 0 || recording.snapshots().length > 0;
  } catch (error) {
    return isReported(error);
  }
}

function resultText({ file, files, length, bytes, recording, redacted }: PackResult): string {
  const redactedText = redacted === null ? '' : `; redacted: ${redacted.join(', ')}`;
  return `${file}: ${basename(recording)}, ${formatCount(files, 'file')}, ${formatSize(length)} in ${formatSize(bytes)}${redactedText}\n`;
}
