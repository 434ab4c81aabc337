// `turntable unpack FILE`: unpacks a recording into a directory next to the others.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { unpackRecording, type UnpackedRecording } from '@turntable/recording/packed';
import { UNPACK } from '../command-line/maintain-commands.ts';
import { parseArguments } from './arguments.ts';
import { ProgressLine } from '@turntable/replayer/replay';
import { formatCount, formatSize } from '@turntable/replayer/entry';
import { reportFailure, reportUsageError } from './failure.ts';

const DEFAULT_DIRECTORY = 'recordings';

export async function unpack(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, UNPACK, { subjectName: 'file', maxPositionals: 2 });
  const [file, target = DEFAULT_DIRECTORY] = typeof parsed === 'string' ? [] : parsed.positionals;
  if (typeof parsed === 'string' || file === undefined)
    return reportUsageError('unpack', typeof parsed === 'string' ? parsed : 'which file?');
  if (!existsSync(file)) return reportUsageError('unpack', `there is no file ${file}`);
  const progress = new ProgressLine();
  try {
    const unpacked = await unpackRecording(file, resolve(target), (done, total) =>
      progress.show(() => `unpacking ${formatSize(done)} of ${formatSize(total)}`),
    );
    progress.clear();
    process.stdout.write(parsed.values.json ? `${JSON.stringify(unpacked)}\n` : resultText(unpacked));
    return 0;
  } catch (error) {
    progress.clear();
    return reportFailure('unpack', file, error);
  }
}

function resultText({ directory, files, bytes }: UnpackedRecording): string {
  return `${directory}: ${formatCount(files, 'file')}, ${formatSize(bytes)}\n`;
}
