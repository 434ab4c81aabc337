// `turntable pack DIR`: a recording as one file, to be sent about. With --redact it is made of a copy from which that has been taken out.
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { openRecording, RecordingError } from '@turntable/recording';
import {
  isPacked,
  packRecording,
  Redaction,
  redactRecording,
  type Packed,
  type Told,
} from '@turntable/recording/packed';
import { argumentsAbout } from './arguments.ts';
import { namesIn } from './export.ts';
import { isDirectory, lastRecordingsIn, Progress, Room } from '@turntable/replayer/replay';
import { counted, sizeText } from '@turntable/replayer/entry';
import { toldFailure, usageError } from './told-failure.ts';

const USAGE = 'Usage: turntable pack DIR [-o FILE] [--redact NAME,…] [--json]';

export const PACK_USAGE = `${USAGE}

A recording, the last one in DIR that has traces or snapshots, as one file. What Turntable replays, inspects and exports may be such a file.
  -o FILE           into that file, which must not be there; without, here, under the name of the recording and .ttr
  --redact NAME,…   values of variables, fields and headers of these names are taken out of manifest and traces, wherever they stand, and snapshots
                    are left out: what remains can be looked at, and is not replayed; /…/ for what a regular expression finds, * for all texts and
                    bytes; may be given several times
  --json            what has been packed, as a line of JSON

A recording holds what its program knew, secrets among it.

  turntable pack recordings -o yesterday.ttr
  turntable pack recordings --redact authorization,cookie,DATABASE_URL`;

interface Wishes {
  readonly directory: string;
  readonly file: string | undefined;
  readonly redact: readonly string[];
  readonly json: boolean;
}

export async function pack(args: readonly string[]): Promise<number> {
  const wishes = wishesOf(args);
  if (typeof wishes === 'string') return usageError('pack', wishes);
  try {
    const made = await packed(wishes);
    process.stdout.write(wishes.json ? `${JSON.stringify(made)}\n` : textOf(made));
    return 0;
  } catch (error) {
    return toldFailure('pack', wishes.directory, error);
  }
}

function wishesOf(args: readonly string[]): Wishes | string {
  const given = argumentsAbout(
    args,
    {
      output: { type: 'string', short: 'o' },
      redact: { type: 'string', multiple: true, default: [] },
      json: { type: 'boolean', default: false },
    },
    { usage: USAGE, about: 'recording' },
  );
  if (typeof given === 'string') return given;
  const { values, subject: directory } = given;
  if (isPacked(directory)) return `${directory} is packed already`;
  if (!isDirectory(directory)) return `there is no directory ${directory}`;
  return { directory, file: values.output, redact: namesIn(values.redact), json: values.json };
}

interface Made extends Packed {
  readonly recording: string;
  /** Names of what has been taken out; null if nothing was to be. */
  readonly redacted: readonly string[] | null;
}

async function packed({ directory, file, redact }: Wishes): Promise<Made> {
  const recording = openRecording(lastIn(resolve(directory)));
  const into = resolve(file ?? `${basename(recording.directory)}${redact.length === 0 ? '' : '.redacted'}.ttr`);
  const progress = new Progress();
  const told: Told = (done, of) => progress.show(() => `packing ${sizeText(done)} of ${sizeText(of)}`);
  try {
    if (redact.length === 0)
      return {
        ...(await packRecording(recording.directory, into, told)),
        recording: recording.directory,
        redacted: null,
      };
    using room = new Room();
    const copy = join(room.directory, basename(recording.directory));
    progress.show(() => `redacting ${recording.directory}`);
    redactRecording(recording, copy, new Redaction(redact));
    return { ...(await packRecording(copy, into, told)), recording: recording.directory, redacted: redact };
  } finally {
    progress.done();
  }
}

/** The directory of a recording; of several the last one that has traces or snapshots. */
function lastIn(directory: string): string {
  if (existsSync(join(directory, 'manifest.json'))) return directory;
  const all = lastRecordingsIn(directory);
  return (all.find((each) => hasAnything(each.directory)) ?? all[0])?.directory ?? directory;
}

function hasAnything(directory: string): boolean {
  try {
    const recording = openRecording(directory);
    return recording.traces().length > 0 || recording.snapshots().length > 0;
  } catch (error) {
    // One that ended very early has not even a manifest.
    if (error instanceof RecordingError) return false;
    throw error;
  }
}

function textOf({ file, files, length, bytes, recording, redacted }: Made): string {
  const taken = redacted === null ? '' : `; taken out: ${redacted.join(', ')}`;
  return `${file}: ${basename(recording)}, ${counted(files, 'file')}, ${sizeText(length)} in ${sizeText(bytes)}${taken}\n`;
}
