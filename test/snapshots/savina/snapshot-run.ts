// Runs Savina programs in a process that takes snapshots, and resumes each snapshot in another process.

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadProgram } from '../../../bench/savina/catalog.ts';
import type { WorkerSetup } from '../../../bench/savina/options.ts';
import { CASES, type SavinaOutputLine } from './savina-cases.ts';
import { FLAGS, REGISTER, RESUME } from '../../../scripts/tested-form.ts';

/** Limit after which a process counts as hung. */
const TIMEOUT_MINUTES = 8;
/** Whether a pause is long depends on the machine. */
const NO_PAUSE_WARNING = '--disable-warning=TT_LONG_PAUSE';
const at = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Output of a process. */
export interface SavinaOutput {
  /** Result of each program. */
  readonly results: ReadonlyMap<string, unknown>;
  /** Programs that have ended in this process. */
  readonly over: readonly string[];
  /** Phase of the snapshot taken half-way through each program. */
  readonly halfway: ReadonlyMap<string, number>;
}

export interface SnapshotRunOptions {
  readonly workerSetup: WorkerSetup;
  /** Programs to run side by side. */
  readonly ids: readonly string[];
  /** Numbers of turns after which a snapshot is taken, in addition to those half-way. */
  readonly snapshotTurns: readonly number[];
  /** An empty directory. */
  readonly recordings: string;
}

/** Output of a run and the files of its snapshots, in order. */
export interface SnapshotRun extends SavinaOutput {
  readonly snapshots: readonly string[];
}

/** Runs programs and takes snapshots. */
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

/** Resumes from a snapshot. New snapshots are taken if `recordings` names a directory for them. */
export async function resumeFrom(snapshot: string, recordings?: string): Promise<SnapshotRun> {
  const output = await runNode(['--import', REGISTER, RESUME], {
    TURNTABLE_RESTORE: dirname(dirname(snapshot)),
    TURNTABLE_RESTORE_PHASE: basename(snapshot, '.tts'),
    ...(recordings === undefined ? {} : { TURNTABLE_RECORDINGS: recordings }),
  });
  return { ...output, snapshots: recordings === undefined ? [] : snapshotsIn(recordings) };
}

/** Snapshot files of the only recording in a directory. */
function snapshotsIn(recordings: string): string[] {
  const directory = join(recordings, readdirSync(recordings)[0] ?? '', 'snapshots');
  return readdirSync(directory)
    .toSorted()
    .map((file) => join(directory, file));
}

/** Programs without a result or with a wrong one. */
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
    execFile(process.execPath, [...FLAGS, NO_PAUSE_WARNING, ...args], options, (error, stdout, stderr) => {
      if (error === null && stderr === '') return resolve(parseOutput(stdout));
      const reason = error === null ? 'it wrote to stderr' : error.killed === true ? 'it did not end' : 'it failed';
      return reject(new Error(`${reason}; output:\n${stdout.replace(/^(.{200}).*$/gm, '$1…')}${stderr}`));
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
