// Runs programs of the suite in one process that takes snapshots, and goes on from each of these in a process of its own.

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadProgram } from '../../../bench/savina/catalog.ts';
import type { WorkerSetup } from '../../../bench/savina/options.ts';
import { CASES, type SavinaOutputLine } from './savina-cases.ts';
import { FLAGS, REGISTER, RESUME } from '../../../scripts/tested-form.ts';

/** Minutes: what has not ended by then waits for something that will not come. */
const TIMEOUT_MINUTES = 8;
const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** What a process has said. */
export interface SavinaOutput {
  /** What came out, of each program. */
  readonly results: ReadonlyMap<string, unknown>;
  /** Programs that have ended in this process. */
  readonly over: readonly string[];
  /** The phases of the snapshots of programs that were half-way. */
  readonly halfway: ReadonlyMap<string, number>;
}

export interface SnapshotRunOptions {
  readonly workerSetup: WorkerSetup;
  /** Programs that run beside each other. */
  readonly ids: readonly string[];
  /** Turns after which a snapshot is taken, besides those half-way. */
  readonly snapshotTurns: readonly number[];
  /** A directory that is empty. */
  readonly recordings: string;
}

/** And its snapshots: files, in turn. */
export interface SnapshotRun extends SavinaOutput {
  readonly snapshots: readonly string[];
}

/** A run that takes snapshots. */
export async function runWithSnapshots({
  workerSetup,
  ids,
  snapshotTurns,
  recordings,
}: SnapshotRunOptions): Promise<SnapshotRun> {
  const hook = snapshotTurns.length === 0 ? [] : ['--import', at('moments.ts')];
  const output = await runNode([...hook, '--import', 'turntable/register', at('main.ts'), workerSetup, ...ids], {
    TURNTABLE_RECORDINGS: recordings,
    MOMENTS: snapshotTurns.join(','),
  });
  return { ...output, snapshots: snapshotsIn(recordings) };
}

/** What the run does from that snapshot on, and the snapshots that are taken then if it says where they go. */
export async function resumeFrom(snapshot: string, recordings?: string): Promise<SnapshotRun> {
  const output = await runNode(['--import', REGISTER, RESUME], {
    TURNTABLE_RESTORE: dirname(dirname(snapshot)),
    TURNTABLE_RESTORE_PHASE: basename(snapshot, '.tts'),
    ...(recordings === undefined ? {} : { TURNTABLE_RECORDINGS: recordings }),
  });
  return { ...output, snapshots: recordings === undefined ? [] : snapshotsIn(recordings) };
}

/** Of the only recording there. */
function snapshotsIn(recordings: string): string[] {
  const directory = join(recordings, readdirSync(recordings)[0] ?? '', 'snapshots');
  return readdirSync(directory)
    .toSorted()
    .map((file) => join(directory, file));
}

/** Programs of which nothing came, or something that must not. */
export async function wrongResults({ results }: SavinaOutput, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const id of ids) {
    const { program, size } = CASES[id]!;
    const { verify } = await loadProgram(program);
    const result = results.get(id);
    if (!results.has(id) || !verify(result, size)) found.push(`${id}: ${JSON.stringify(result)?.slice(0, 200)}`);
  }
  return found;
}

function runNode(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<SavinaOutput> {
  const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1', ...environment };
  const options = { env, timeout: TIMEOUT_MINUTES * 60_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...FLAGS, ...args], options, (error, stdout, stderr) => {
      if (error === null && stderr === '') return resolve(parseOutput(stdout));
      const reason = error === null ? 'it complained' : error.killed === true ? 'it did not end' : 'it failed';
      return reject(new Error(`${reason}, having said\n${stdout.replace(/^(.{200}).*$/gm, '$1…')}${stderr}`));
    });
  });
}

function parseOutput(stdout: string): SavinaOutput {
  const results = new Map<string, unknown>();
  const over: string[] = [];
  const halfway = new Map<string, number>();
  for (const text of stdout.trim().split('\n')) {
    const line = JSON.parse(text) as SavinaOutputLine;
    if ('over' in line) over.push(line.over);
    else if ('results' in line) for (const [id, result] of line.results) results.set(id, result);
    else if (line.phase !== null) halfway.set(line.halfway, line.phase);
  }
  return { results, over, halfway };
}
