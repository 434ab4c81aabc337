// `turntable ls [DIR]`: the recordings in a directory, packed ones among them: of what, how large, and what can be done with each.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listRecordings, openRecording, RecordingError, type Manifest } from '@turntable/recording';
import { describePacked, isPacked } from '@turntable/recording/packed';
import { argumentsOf } from './arguments.ts';
import { isDirectory, shown, whyNoPlace } from '@turntable/replayer/replay';
import { counted, sizeText } from '@turntable/replayer/entry';
import { usageError } from './told-failure.ts';

const DIRECTORY = 'recordings';
const USAGE = 'Usage: turntable ls [DIR|FILE.ttr] [--json]';

export interface ListedRecording {
  readonly name: string;
  /** Or the file. */
  readonly directory: string;
  readonly isPacked: boolean;
  /** It takes a key to read more of it. */
  readonly isSealed?: boolean;
  /** Why nothing more is known of it. */
  readonly why?: string;
  readonly entry?: string | null;
  readonly created?: string;
  /** Null if it goes on, or was killed. */
  readonly ended?: string | null;
  /** Of the recorded process that has started this one. */
  readonly parent?: string;
  /** On the disk, all together. */
  readonly bytes: number;
  readonly snapshots?: number;
  readonly workers?: number;
  /** Phases that traces begin with; none without traces. */
  readonly traces?: readonly number[];
  readonly devices?: readonly string[];
}

export const LS_USAGE = `${USAGE}

The recordings in DIR (${DIRECTORY} if it is left out), packed ones among them, or the one that DIR or FILE is: of which program, how large, with how many snapshots, and whether its run
can be had again. Runs nothing of them.
  --json            all of it, as a list of JSON
  --key FILE        for those that are sealed: how many of their snapshots can be read; also as TURNTABLE_KEY

  turntable ls
  turntable ls recordings --json`;

export function ls(args: readonly string[]): number {
  const given = argumentsOf(args, { json: { type: 'boolean', default: false } }, { usage: USAGE, about: 'directory' });
  const [place = DIRECTORY] = typeof given === 'string' ? [] : given.positionals;
  const isUsual = typeof given !== 'string' && given.positionals.length === 0;
  const why = typeof given === 'string' ? given : isUsual ? whyNothingHere() : whyNoPlace(place);
  if (typeof given === 'string' || why !== undefined) return usageError('ls', why);
  const all = recordingsIn(place);
  process.stdout.write(given.values.json ? `${JSON.stringify(all)}\n` : listText(all, place));
  return 0;
}

function whyNothingHere(): string | undefined {
  if (isDirectory(DIRECTORY)) return undefined;
  return `there is no directory ${DIRECTORY} here; turntable record FILE makes one, turntable ls DIR lists another`;
}

/** Oldest first, packed ones last; one, if it is a recording itself. */
export function recordingsIn(place: string): ListedRecording[] {
  if (!isDirectory(place)) return [describedPacked(place)];
  if (existsSync(join(place, 'manifest.json'))) return [described(place)];
  const packed = readdirSync(place).filter((name) => name.endsWith('.ttr') && isPacked(join(place, name)));
  return [
    ...listRecordings(place).map((each) => described(each.directory)),
    ...packed.toSorted().map((name) => describedPacked(join(place, name))),
  ];
}

function described(directory: string): ListedRecording {
  const at = { name: basename(directory), directory, bytes: bytesIn(directory), isPacked: false };
  return orWhy(at, () => {
    const recording = openRecording(directory);
    const isSealed = recording.isSealed();
    return {
      ...at,
      ...factsOf(recording.manifest),
      isSealed,
      // Of those that cannot be read here only that they are there is known.
      snapshots: isSealed ? recording.phases().length : recording.snapshots().length,
      traces: [...new Set(recording.traces().flatMap(({ phases }) => phases))].toSorted((a, b) => a - b),
    };
  });
}

function describedPacked(file: string): ListedRecording {
  const at = { name: basename(file), directory: file, bytes: statSync(file).size, isPacked: true };
  return orWhy(at, () => {
    const { manifest, snapshots, traces } = describePacked(file);
    return { ...at, ...factsOf(manifest), snapshots: snapshots.length, traces };
  });
}

function factsOf({ entry, created, ended, workers, devices, parent }: Manifest): Partial<ListedRecording> {
  return { entry, created, ended, workers, devices: devices.map(String), ...(parent !== undefined && { parent }) };
}

function orWhy(at: ListedRecording, describe: () => ListedRecording): ListedRecording {
  try {
    return describe();
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return { ...at, why: error.message };
  }
}

/** Of what can be seen of it: one that is somebody else's keeps none of the others from being listed. */
function bytesIn(directory: string): number {
  try {
    return readdirSync(directory, { withFileTypes: true }).reduce((sum, each) => {
      const path = join(directory, each.name);
      if (each.isDirectory()) return sum + bytesIn(path);
      return sum + (each.isFile() ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0);
    }, 0);
  } catch {
    return 0;
  }
}

function listText(all: readonly ListedRecording[], directory: string): string {
  if (all.length === 0) return `no recordings in ${directory}\n`;
  const rows = all.map((each) => [
    each.name,
    sizeText(each.bytes),
    ...(each.why === undefined
      ? [programOf(each), counted(each.snapshots ?? 0, 'snapshot'), tracesText(each), stateText(each)]
      : [each.why]),
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(
      ...rows.map((row) => (row.length > 3 ? (row[column]?.length ?? 0) : column < 2 ? (row[column]?.length ?? 0) : 0)),
    ),
  );
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 1 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${shown(line)}\n`)
    .join('');
}

function programOf({ entry }: ListedRecording): string {
  if (entry?.startsWith('file:') !== true) return entry ?? 'a program';
  const file = fileURLToPath(entry);
  const near = relative(process.cwd(), file);
  return near.startsWith('..') ? file : near;
}

function tracesText({ traces = [], devices = [] }: ListedRecording): string {
  const [first] = traces;
  if (first === undefined) return 'no traces';
  const since = first === 0 ? 'traces' : `traces from ${first} on`;
  return devices.length === 0 ? since : `${since} without ${devices.join(', ')}`;
}

function stateText({ ended, isPacked, isSealed, parent }: ListedRecording): string {
  const child = parent === undefined ? '' : `, started by ${parent}`;
  const more = `${isPacked ? ', packed' : ''}${isSealed === true ? ', sealed' : ''}`;
  return `${ended === null ? 'not ended' : 'ended'}${more}${child}`;
}
