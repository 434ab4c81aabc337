// `turntable unpack FILE`: a packed recording as a directory again, beside the others.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { unpackRecording, type Unpacked } from '@turntable/recording/packed';
import { argumentsOf } from './arguments.ts';
import { Progress } from '@turntable/replayer/replay';
import { counted, sizeText } from '@turntable/replayer/entry';
import { toldFailure, usageError } from './told-failure.ts';

const DIRECTORY = 'recordings';

const USAGE = 'Usage: turntable unpack FILE [DIR] [--json]';

export const UNPACK_USAGE = `${USAGE}

A packed recording as a directory again, under the name it had, in DIR (${DIRECTORY} if it is left out). It is there whole or not at all, and nothing that
is there already is touched.
  --json            what has been unpacked, as a line of JSON

  turntable unpack yesterday.ttr elsewhere && turntable replay elsewhere`;

export async function unpack(args: readonly string[]): Promise<number> {
  const given = argumentsOf(
    args,
    { json: { type: 'boolean', default: false } },
    { usage: USAGE, about: 'file', most: 2 },
  );
  const [file, into = DIRECTORY] = typeof given === 'string' ? [] : given.positionals;
  if (typeof given === 'string' || file === undefined)
    return usageError('unpack', typeof given === 'string' ? given : `which file? ${USAGE}`);
  if (!existsSync(file)) return usageError('unpack', `there is no file ${file}`);
  const progress = new Progress();
  try {
    const unpacked = await unpackRecording(file, resolve(into), (done, of) =>
      progress.show(() => `unpacking ${sizeText(done)} of ${sizeText(of)}`),
    );
    progress.done();
    process.stdout.write(given.values.json ? `${JSON.stringify(unpacked)}\n` : textOf(unpacked));
    return 0;
  } catch (error) {
    progress.done();
    return toldFailure('unpack', file, error);
  }
}

function textOf({ directory, files, bytes }: Unpacked): string {
  return `${directory}: ${counted(files, 'file')}, ${sizeText(bytes)}\n`;
}
