// `turntable unpack FILE`: a packed recording as a directory again, beside the others.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { unpackRecording, type Unpacked } from '@turntable/recording/packed';
import { Progress } from './progress.ts';
import { counted, sizeText } from './wording.ts';
import { toldFailure } from './told-failure.ts';

const DIRECTORY = 'recordings';

const USAGE = 'Usage: turntable unpack FILE [DIR] [--json]';

export const UNPACK_USAGE = `${USAGE}

A packed recording as a directory again, under the name it had, in DIR (${DIRECTORY} if it is left out). It is there whole or not at all, and nothing that
is there already is touched.
  --json            what has been unpacked, as a line of JSON

  turntable unpack yesterday.ttr && turntable replay recordings`;

export async function unpack(args: readonly string[]): Promise<number> {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options: { json: { type: 'boolean' } } });
  } catch (error) {
    process.stderr.write(`turntable unpack: ${(error as Error).message}. ${USAGE}\n`);
    return 2;
  }
  const [file, into = DIRECTORY, ...others] = parsed.positionals;
  const wrong =
    file === undefined
      ? `which file? ${USAGE}`
      : others.length > 0
        ? `one file at a time, not ${others.join(' ')} too`
        : undefined;
  if (file === undefined || wrong !== undefined) {
    process.stderr.write(`turntable unpack: ${wrong}\n`);
    return 2;
  }
  const progress = new Progress();
  try {
    const unpacked = await unpackRecording(file, resolve(into), (done, of) =>
      progress.show(() => `unpacking ${sizeText(done)} of ${sizeText(of)}`),
    );
    progress.done();
    process.stdout.write(parsed.values.json === true ? `${JSON.stringify(unpacked)}\n` : textOf(unpacked));
    return 0;
  } catch (error) {
    progress.done();
    return toldFailure('unpack', file, error);
  }
}

function textOf({ directory, files, bytes }: Unpacked): string {
  return `${directory}: ${counted(files, 'file')}, ${sizeText(bytes)}\n`;
}
