// `turntable unpack FILE`: unpacks a recording into a directory next to the others.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { bytesOf } from '@turntable/loader';
import { unpackRecording, type UnpackedRecording, type UnpackOptions } from '@turntable/recording/packed';
import { UNPACK } from '../command-line/maintain-commands.ts';
import { parseArguments } from './arguments.ts';
import { ProgressLine } from '@turntable/replayer/replay';
import { formatCount, formatSize } from '@turntable/replayer/entry';
import { reportFailure, reportUsageError } from './failure.ts';
import { print } from '../printing.ts';

const DEFAULT_DIRECTORY = 'recordings';

export async function unpack(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, UNPACK, { subjectName: 'file', maxPositionals: 2 });
  const [file, target = DEFAULT_DIRECTORY] = typeof parsed === 'string' ? [] : parsed.positionals;
  if (typeof parsed === 'string' || file === undefined)
    return reportUsageError('unpack', typeof parsed === 'string' ? parsed : 'which file?');
  if (!existsSync(file)) return reportUsageError('unpack', `there is no file ${file}`);
  const limits = parseLimits(parsed.values['max-size'], parsed.values['max-files']);
  if (typeof limits === 'string') return reportUsageError('unpack', limits);
  const progress = new ProgressLine();
  try {
    const unpacked = await unpackRecording(file, resolve(target), {
      ...limits,
      onProgress: (done, total) => progress.show(() => `unpacking ${formatSize(done)} of ${formatSize(total)}`),
    });
    progress.clear();
    print(parsed.values.json ? `${JSON.stringify(unpacked)}\n` : resultText(unpacked));
    return 0;
  } catch (error) {
    progress.clear();
    return reportFailure('unpack', file, error);
  }
}

/** Parses the limits; returns the usage problem, if any. */
function parseLimits(size: string | undefined, files: string | undefined): UnpackOptions | string {
  const maxBytes = size === undefined ? undefined : bytesOf(size);
  if (size !== undefined && maxBytes === undefined) return `--max-size must be a size such as 10GB, not "${size}"`;
  if (files !== undefined && !/^\d{1,15}$/.test(files)) return `--max-files must be a number, not "${files}"`;
  return { maxBytes, maxFiles: files === undefined ? undefined : Number(files) };
}

function resultText({ directory, files, bytes }: UnpackedRecording): string {
  return `${directory}: ${formatCount(files, 'file')}, ${formatSize(bytes)}\n`;
}
