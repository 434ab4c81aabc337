// `turntable ls [DIR]`: the recordings in a directory: of what, how large, and what can be done with each.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listRecordings, openRecording, RecordingError } from '@turntable/recording';
import { isDirectory } from './recording-in.ts';
import { counted, sizeText } from './wording.ts';

const DIRECTORY = 'recordings';

export interface ListedRecording {
  readonly name: string;
  readonly directory: string;
  /** Why nothing more is known of it. */
  readonly why?: string;
  readonly entry?: string | null;
  readonly created?: string;
  /** Null if it goes on, or was killed. */
  readonly ended?: string | null;
  /** On the disk, all together. */
  readonly bytes: number;
  readonly snapshots?: number;
  readonly workers?: number;
  /** Phases that traces begin with; none without traces. */
  readonly traces?: readonly number[];
  readonly devices?: readonly string[];
}

export function ls(args: readonly string[]): number {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options: { json: { type: 'boolean' } } });
  } catch (error) {
    process.stderr.write(`turntable ls: ${(error as Error).message}. Usage: turntable ls [DIR] [--json]\n`);
    return 2;
  }
  const { positionals, values } = parsed;
  const [directory = DIRECTORY, ...others] = positionals;
  const wrong =
    others.length > 0
      ? `one directory at a time, not ${others.join(' ')} too`
      : isDirectory(directory)
        ? undefined
        : `there is no directory ${directory}`;
  if (wrong !== undefined) {
    process.stderr.write(`turntable ls: ${wrong}\n`);
    return 2;
  }
  const all = recordingsIn(directory);
  process.stdout.write(values.json === true ? `${JSON.stringify(all)}\n` : listText(all, directory));
  return 0;
}

/** Oldest first; one, if it is a recording itself. */
export function recordingsIn(directory: string): ListedRecording[] {
  if (existsSync(join(directory, 'manifest.json'))) return [described(directory)];
  return listRecordings(directory).map((each) => described(each.directory));
}

function described(directory: string): ListedRecording {
  const [name, bytes] = [basename(directory), bytesIn(directory)];
  try {
    const recording = openRecording(directory);
    const { entry, created, ended, workers, devices } = recording.manifest;
    return {
      name,
      directory,
      entry,
      created,
      ended,
      bytes,
      snapshots: recording.snapshots().length,
      workers,
      traces: [...new Set(recording.traces().flatMap(({ phases }) => phases))].toSorted((a, b) => a - b),
      devices: devices.map(String),
    };
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return { name, directory, bytes, why: error.message };
  }
}

function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
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
    .map((line) => `${line.replaceAll(CONTROL, '\uFFFD')}\n`)
    .join('');
}

/** Names in a recording are whatever somebody has put there. */
const CONTROL = /\p{Cc}/gu;

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

function stateText({ ended }: ListedRecording): string {
  return ended === null ? 'not ended' : 'ended';
}
