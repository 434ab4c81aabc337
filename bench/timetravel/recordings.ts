// Recordings of the benches, made by Turntable as it is published: small programs, and Acme Air under load.

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { listRecordings } from '@turntable/recording';
import { pacedLoad } from '../acmeair/paced.ts';
import { BenchError } from '../harness/session.ts';
import { BUNDLED_CLI_ARGS, recordProgram } from '../harness/whole-run.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));
const MANY = fileURLToPath(new URL('./many.ts', import.meta.url));
const LONG = fileURLToPath(new URL('./long-program.ts', import.meta.url));
const AIRLINE = fileURLToPath(new URL('../../examples/acmeair/src/main.ts', import.meta.url));
const CONNECTIONS = 16;
/** Time limit for starting to listen, and for ending. */
const TIMEOUT_MS = 60_000;

/** Arguments of `program.ts`. */
export interface ProgramSize {
  readonly megabytes: number;
  readonly entries: number;
  readonly turns: number;
}

/** Records `program.ts` and returns the directory of the recording. */
export async function recordLedger(recordings: string, { megabytes, entries, turns }: ProgramSize): Promise<string> {
  await recordProgram(recordings, [PROGRAM, String(megabytes), String(entries), String(turns)], BUNDLED_CLI_ARGS);
  return onlyRecordingIn(recordings);
}

/** Records `many.ts` and returns the directory of the recording. */
export async function recordMany(recordings: string, actors: number, turns: number): Promise<string> {
  await recordProgram(recordings, [MANY, String(actors), String(turns)], BUNDLED_CLI_ARGS);
  return onlyRecordingIn(recordings);
}

/** Records `long-program.ts` and returns the directory of the recording. */
export async function recordLong(recordings: string, form: string, statements: number): Promise<string> {
  await recordProgram(recordings, [LONG, form, String(statements)], BUNDLED_CLI_ARGS);
  return onlyRecordingIn(recordings);
}

export interface LoadSize {
  readonly seconds: number;
  /** Requests per second. */
  readonly rate: number;
  readonly customers: number;
  /** Value of `--snapshots`. */
  readonly snapshots: string;
}

/** Records Acme Air under load and returns the directory of the recording. */
export async function recordAirline(
  recordings: string,
  { seconds, rate, customers, snapshots }: LoadSize,
): Promise<string> {
  mkdirSync(recordings, { recursive: true });
  const child = spawn(
    process.execPath,
    [...BUNDLED_CLI_ARGS, 'record', '--recordings', recordings, '--snapshots', snapshots, AIRLINE],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        ACMEAIR_PORT: '0',
        ACMEAIR_WORKERS: '2',
        ACMEAIR_CUSTOMERS: String(customers),
      },
    },
  );
  const exited = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  const listenTimer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
  try {
    const url = await new Promise<string>((resolve, reject) => {
      void exited.then((status) => reject(new BenchError('TT_BENCH_PROCESS', `Acme Air does not listen (${status})`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /https?:\/\/\S+$/.exec(line)?.[0];
        if (found !== undefined) resolve(found);
      });
    });
    clearTimeout(listenTimer);
    await (await fetch(`${url}/rest/api/loader/load`)).text();
    const requests = Math.round(seconds * rate);
    const { failed } = await pacedLoad({ url, connections: CONNECTIONS, customers, requests, rate, seed: 1 });
    if (failed > 0) throw new BenchError('TT_BENCH_FAILURE', `Acme Air refused ${failed} requests`);
  } finally {
    clearTimeout(listenTimer);
    child.kill('SIGTERM');
    const killTimer = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS);
    await exited;
    clearTimeout(killTimer);
  }
  return onlyRecordingIn(recordings);
}

function onlyRecordingIn(recordings: string): string {
  const [first] = listRecordings(recordings);
  if (first === undefined) throw new BenchError('TT_BENCH_FAILURE', `nothing was recorded in ${recordings}`);
  return first.directory;
}
