// `turntable pack DIR`: packs a recording into one file. With --redact, it packs a copy without the redacted values.
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { openRecording } from '@turntable/recording';
import {
  countRedacted,
  isPackedFile,
  packRecording,
  redactRecording,
  type PackedRecording,
  type PackEncryption,
  type PackProgress,
} from '@turntable/recording/packed';
import { Redaction } from '@turntable/recording/redaction';
import { PACK } from '../command-line/maintain-commands.ts';
import { parseSubjectArguments } from './arguments.ts';
import {
  isDirectory,
  isReported,
  recordingsNewestFirst,
  ProgressLine,
  TemporaryDirectory,
} from '@turntable/replayer/replay';
import { formatCount, formatSize } from '@turntable/replayer/entry';
import { reportFailure, reportUsageError } from './failure.ts';
import { print } from '../printing.ts';
import { parseNames } from '../redaction.ts';

interface PackOptions {
  readonly directory: string;
  readonly file: string | undefined;
  readonly redact: readonly string[];
  /** Recipients of age, or files of these; empty without encryption. */
  readonly recipients: readonly string[];
  /** Whether to count what would be redacted, and to pack nothing. */
  readonly isDryRun: boolean;
  readonly json: boolean;
}

export async function pack(args: readonly string[]): Promise<number> {
  const options = parsePackArguments(args);
  if (typeof options === 'string') return reportUsageError('pack', options);
  try {
    if (options.isDryRun) {
      printDryRun(options);
      return 0;
    }
    const result = await packDirectory(options);
    print(options.json ? `${JSON.stringify(result)}\n` : resultText(result));
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
  const redact = parseNames(values.redact);
  if (values['dry-run'] && redact.length === 0) return '--dry-run is for --redact';
  return {
    directory,
    file: values.output,
    redact,
    isDryRun: values['dry-run'],
    recipients: values.for,
    json: values.json,
  };
}

function printDryRun({ directory, redact, json }: PackOptions): void {
  const recording = openRecording(latestRecordingIn(resolve(directory)));
  const counts = [...countRedacted(recording, new Redaction(redact))].map(([rule, count]) => ({ rule, count }));
  if (json) {
    print(`${JSON.stringify({ recording: recording.directory, redacted: redact, counts })}\n`);
    return;
  }
  const width = Math.max(0, ...counts.map(({ rule }) => rule.length));
  const lines = counts.map(({ rule, count }) => `  ${rule.padEnd(width)}  ${count}`);
  const title = `${basename(recording.directory)}: --redact would remove ${counts.length === 0 ? 'nothing but snapshots' : 'snapshots, and values by these rules'}`;
  print(`${[title, ...lines].join('\n')}\n`);
}

interface PackResult extends PackedRecording {
  readonly recording: string;
  /** Names of the redacted values; null without --redact. */
  readonly redacted: readonly string[] | null;
  readonly isEncrypted: boolean;
}

async function packDirectory({ directory, file, redact, recipients }: PackOptions): Promise<PackResult> {
  const encrypt = await encryptionFor(recipients);
  const isEncrypted = encrypt !== undefined;
  const recording = openRecording(latestRecordingIn(resolve(directory)));
  const suffix = `${redact.length === 0 ? '' : '.redacted'}.ttr${isEncrypted ? '.age' : ''}`;
  const target = resolve(file ?? `${basename(recording.directory)}${suffix}`);
  const progress = new ProgressLine();
  const onProgress: PackProgress = (done, total) =>
    progress.show(() => `packing ${formatSize(done)} of ${formatSize(total)}`);
  const packAs = async (packed: string, redacted: PackResult['redacted']): Promise<PackResult> => ({
    ...(await packRecording(packed, target, { onProgress, encrypt })),
    recording: recording.directory,
    redacted,
    isEncrypted,
  });
  try {
    if (redact.length === 0) return await packAs(recording.directory, null);
    using room = new TemporaryDirectory();
    const copy = join(room.path, basename(recording.directory));
    progress.show(() => `redacting ${recording.directory}`);
    redactRecording(recording, copy, new Redaction(redact));
    return await packAs(copy, redact);
  } finally {
    progress.clear();
  }
}

/** Encryption to recipients of age; undefined if there are none. @throws {RecordingError} if one is invalid */
async function encryptionFor(recipients: readonly string[]): Promise<PackEncryption | undefined> {
  if (recipients.length === 0) return undefined;
  const { createEncrypter } = await import('../age/age-keys.ts');
  const encrypter = createEncrypter(recipients);
  return async (content) => encrypter.encrypt(content);
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

function resultText({ file, files, length, bytes, recording, redacted, isEncrypted }: PackResult): string {
  const encryptedText = isEncrypted ? ', encrypted' : '';
  const redactedText = redacted === null ? '' : `; redacted: ${redacted.join(', ')}`;
  return `${file}: ${basename(recording)}, ${formatCount(files, 'file')}, ${formatSize(length)} in ${formatSize(bytes)}${encryptedText}${redactedText}\n`;
}
