// Runs programs of the suite in one process that takes snapshots, and goes on from each of these in a process of its own.

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadProgram } from '../../../bench/savina/catalog.ts';
import type { Place } from '../../../bench/savina/options.ts';
import { PARTS, type Line } from './parts.ts';
import { FLAGS, REGISTER, RESUME } from '../../../scripts/tested.ts';

/** Minutes: what has not ended by then waits for something that will not come. */
const LIMIT = 8;
const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** What a process has said. */
export interface Performance {
  /** What came out, of each program. */
  readonly results: ReadonlyMap<string, unknown>;
  /** Programs that have ended in this process. */
  readonly over: readonly string[];
  /** The phases of the snapshots of programs that were half-way. */
  readonly halfway: ReadonlyMap<string, number>;
}

export interface Rehearsal {
  readonly place: Place;
  /** Programs that run beside each other. */
  readonly ids: readonly string[];
  /** Turns after which a snapshot is taken, besides those half-way. */
  readonly moments: readonly number[];
  /** A directory that is empty. */
  readonly recordings: string;
}

/** And its snapshots: files, in turn. */
export interface Performed extends Performance {
  readonly snapshots: readonly string[];
}

/** A run that takes snapshots. */
export async function perform({ place, ids, moments, recordings }: Rehearsal): Promise<Performed> {
  const hook = moments.length === 0 ? [] : ['--import', at('moments.ts')];
  const said = await node([...hook, '--import', 'turntable/register', at('main.ts'), place, ...ids], {
    TURNTABLE_RECORDINGS: recordings,
    MOMENTS: moments.join(','),
  });
  return { ...said, snapshots: snapshotsIn(recordings) };
}

/** What the run does from that snapshot on, and the snapshots that are taken then if it says where they go. */
export async function goOn(snapshot: string, recordings?: string): Promise<Performed> {
  const said = await node(['--import', REGISTER, RESUME], {
    TURNTABLE_RESTORE: dirname(dirname(snapshot)),
    TURNTABLE_RESTORE_PHASE: basename(snapshot, '.tts'),
    ...(recordings === undefined ? {} : { TURNTABLE_RECORDINGS: recordings }),
  });
  return { ...said, snapshots: recordings === undefined ? [] : snapshotsIn(recordings) };
}

/** Of the only recording there. */
function snapshotsIn(recordings: string): string[] {
  const directory = join(recordings, readdirSync(recordings)[0] ?? '', 'snapshots');
  return readdirSync(directory)
    .toSorted()
    .map((file) => join(directory, file));
}

/** Programs of which nothing came, or something that must not. */
export async function wrong({ results }: Performance, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids) {
    const { program, size } = PARTS[id]!;
    const { verify } = await loadProgram(program);
    const result = results.get(id);
    if (!results.has(id) || !verify(result, size)) found.push(`${id}: ${JSON.stringify(result)?.slice(0, 200)}`);
  }
  return found;
}

function node(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Performance> {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...environment };
  const options = { env, timeout: LIMIT * 60_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...FLAGS, ...args], options, (error, stdout, stderr) => {
      if (error === null && stderr === '') return resolve(performance(stdout));
      const why = error === null ? 'it complained' : error.killed === true ? 'it did not end' : 'it failed';
      return reject(new Error(`${why}, having said\n${stdout.replace(/^(.{200}).*$/gm, '$1…')}${stderr}`));
    });
  });
}

function performance(stdout: string): Performance {
  const results = new Map<string, unknown>();
  const over: string[] = [];
  const halfway = new Map<string, number>();
  for (const text of stdout.trim().split('\n')) {
    const line = JSON.parse(text) as Line;
    if ('over' in line) over.push(line.over);
    else if ('results' in line) for (const [id, result] of line.results) results.set(id, result);
    else if (line.phase !== null) halfway.set(line.halfway, line.phase);
  }
  return { results, over, halfway };
}
