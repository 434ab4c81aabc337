// `turntable reseal DIR TARGET`: copies recordings with another key, or without a seal.
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openRecording, readKey } from '@turntable/recording';
import { resealRecording, type ResealedRecording } from '@turntable/recording/packed';
import { formatCount, formatSize } from '@turntable/replayer/entry';
import { isDirectory, recordingsNewestFirst } from '@turntable/replayer/replay';
import { RESEAL } from '../command-line/maintain-commands.ts';
import { print } from '../printing.ts';
import { parseArguments } from './arguments.ts';
import { reportFailure, reportUsageError } from './failure.ts';

interface ResealOptions {
  readonly directory: string;
  readonly target: string;
  readonly newKey: Uint8Array | undefined;
  readonly json: boolean;
}

export async function reseal(args: readonly string[]): Promise<number> {
  const options = parseResealArguments(args);
  if (typeof options === 'string') return reportUsageError('reseal', options);
  const { directory, target, newKey, json } = options;
  const copies: ResealedRecording[] = [];
  let status = 0;
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const each of recordingsIn(directory))
    try {
      copies.push(await resealRecording(openRecording(each), target, newKey));
    } catch (error) {
      // The others can still be copied.
      status = reportFailure('reseal', each, error);
    }
  print(json ? `${JSON.stringify(copies)}\n` : copies.map((copy) => copyText(copy)).join(''));
  return status;
}

function parseResealArguments(args: readonly string[]): ResealOptions | string {
  const parsed = parseArguments(args, RESEAL, { subjectName: 'recording and target', maxPositionals: 2 });
  if (typeof parsed === 'string') return parsed;
  const { values, positionals } = parsed;
  const [directory, target] = positionals;
  if (directory === undefined) return 'which recording?';
  if (target === undefined) return 'name a directory for the copies: turntable reseal DIR TARGET';
  if (!isDirectory(directory)) return `there is no directory ${directory}`;
  const { 'new-key': newKeyFile, unseal, json } = values;
  if ((newKeyFile === undefined) !== unseal) return 'give either --new-key FILE or --unseal';
  const newKey = newKeyFile === undefined ? undefined : readKey(resolve(newKeyFile), '--new-key');
  return { directory: resolve(directory), target: resolve(target), newKey, json };
}

/** Directories of the recordings, oldest first. */
function recordingsIn(directory: string): string[] {
  if (existsSync(join(directory, 'manifest.json'))) return [directory];
  return recordingsNewestFirst(directory)
    .map((each) => each.directory)
    .toReversed();
}

function copyText({ directory, files, bytes }: ResealedRecording): string {
  return `${directory}: ${formatCount(files, 'file')}, ${formatSize(bytes)}\n`;
}
