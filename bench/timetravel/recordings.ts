// What is moved about in, recorded by Turntable as it is published: small programs, and Acme Air for as long as it is visited.

import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { listRecordings } from '@turntable/recording';
import { pacedLoad } from '../acmeair/paced.ts';
import { BenchError } from '../harness/session.ts';
import { PUBLISHED, recordProgram } from '../harness/whole-run.ts';

const PROGRAM = fileURLToPath(new URL('./program.ts', import.meta.url));
const MANY = fileURLToPath(new URL('./many.ts', import.meta.url));
const AIRLINE = fileURLToPath(new URL('../../examples/acmeair/src/main.ts', import.meta.url));
const CONNECTIONS = 16;
/** Milliseconds: who has not listened, or ended, by then never will. */
const LIMIT = 60_000;

/** Of `program.ts`. */
export interface ProgramSize {
  readonly megabytes: number;
  readonly entries: number;
  readonly turns: number;
}

/** Answers the directory of the recording. */
export async function recordLedger(into: string, { megabytes, entries, turns }: ProgramSize): Promise<string> {
  await recordProgram(into, [PROGRAM, String(megabytes), String(entries), String(turns)], PUBLISHED);
  return onlyIn(into);
}

/** Of `many.ts`. Answers the directory of the recording. */
export async function recordMany(into: string, actors: number, turns: number): Promise<string> {
  await recordProgram(into, [MANY, String(actors), String(turns)], PUBLISHED);
  return onlyIn(into);
}

export interface Visits {
  readonly seconds: number;
  /** Requests a second. */
  readonly rate: number;
  readonly customers: number;
  /** As `--snapshots` has them. */
  readonly snapshots: string;
}

/** Answers the directory of the recording. */
export async function recordAirline(into: string, { seconds, rate, customers, snapshots }: Visits): Promise<string> {
  mkdirSync(into, { recursive: true });
  const child = spawn(
    process.execPath,
    [...PUBLISHED, 'record', '--recordings', into, '--snapshots', snapshots, AIRLINE],
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
  const ended = new Promise<string>((settle) => {
    child.once('close', (code, signal) => settle(signal ?? `exit code ${code}`));
  });
  const clock = setTimeout(() => child.kill('SIGKILL'), LIMIT);
  try {
    const url = await new Promise<string>((resolve, reject) => {
      void ended.then((how) => reject(new BenchError('TT_BENCH_PROCESS', `Acme Air has not listened (${how})`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /https?:\/\/\S+$/.exec(line)?.[0];
        if (found !== undefined) resolve(found);
      });
    });
    clearTimeout(clock);
    await (await fetch(`${url}/rest/api/loader/load`)).text();
    const requests = Math.round(seconds * rate);
    const { failed } = await pacedLoad({ url, connections: CONNECTIONS, customers, requests, rate, seed: 1 });
    if (failed > 0) throw new BenchError('TT_BENCH_FAILURE', `Acme Air refused ${failed} requests`);
  } finally {
    clearTimeout(clock);
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), LIMIT);
    await ended;
    clearTimeout(late);
  }
  return onlyIn(into);
}

function onlyIn(recordings: string): string {
  const [first] = listRecordings(recordings);
  if (first === undefined) throw new BenchError('TT_BENCH_FAILURE', `nothing was recorded in ${recordings}`);
  return first.directory;
}
