// The whole service under load: recorded, and replayed from the start and from a snapshot.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { inSoak } from '../../../scripts/test-run/soak.ts';
import {
  replayAndCompare,
  ProgramProcess,
  snapshotPhasesOf,
  type ProgramExit,
  type Subject,
} from '../../../test/outside/recorded.ts';
import { load } from '../load/load.ts';
import { hasPostgres, PostgresServer } from './postgres-server.ts';

const CUSTOMERS = 30;
/** Requests under load; a snapshot is taken after a third of them. */
const REQUESTS = inSoak(150, 600);
const FILE = '../../../examples/acmeair/src/main.ts';
const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Fills the database and generates some load. */
async function visit(program: ProgramProcess): Promise<void> {
  const url = `http://127.0.0.1:${await program.port}`;
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  expect(await load({ url, connections: 4, requests: 150, customers: CUSTOMERS })).toMatchObject({
    answered: 150,
    failed: 0,
  });
}

it('replays from the beginning and from a snapshot under load', { timeout: 120_000 }, async () => {
  const subject: Subject = {
    file: FILE,
    workingDirectory: join(directory, 'place'),
    recordings: join(directory, 'recordings'),
    env: {
      ACMEAIR_PORT: '0',
      ACMEAIR_CUSTOMERS: String(CUSTOMERS),
      TURNTABLE_SNAPSHOTS: `requests=${REQUESTS / 3},end`,
    },
  };
  const program = new ProgramProcess('recorded', subject);
  const url = `http://127.0.0.1:${await program.port}`;
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  const { answered, failed } = await load({ url, connections: 8, requests: REQUESTS, customers: CUSTOMERS });
  expect([answered, failed]).toEqual([REQUESTS, 0]);
  program.terminate();
  const ended = await program.exited;
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  expect(replayAndCompare(subject, ended).differences).toEqual([]);
  const phases = snapshotPhasesOf(subject);
  expect(phases.length).toBeGreaterThan(2);
  const { replay: replayed } = replayAndCompare(subject, { ...ended, stdout: '' }, ['--from', String(phases[1])]);
  expect([replayed.report.verdict, replayed.report.cuts.different]).toEqual(['same', []]);
});

it('replays with sessions in another process, each process separately', { timeout: 120_000 }, async () => {
  const database = `sqlite:${join(directory, 'two.db')}`;
  const subjectOf = (name: string, file: string, env: NodeJS.ProcessEnv): Subject => ({
    file,
    workingDirectory: join(directory, `${name}-place`),
    recordings: join(directory, name),
    env: { ACMEAIR_PORT: '0', ACMEAIR_DATABASE: database, TURNTABLE_SNAPSHOTS: 'requests=100,end', ...env },
  });
  const sessions = subjectOf('sessions', '../../../examples/acmeair/src/auth-main.ts', {});
  const keeper = new ProgramProcess('recorded', sessions);
  const airline = subjectOf('airline', FILE, {
    ACMEAIR_CUSTOMERS: String(CUSTOMERS),
    ACMEAIR_AUTH: `http://127.0.0.1:${await keeper.port}`,
  });
  const program = new ProgramProcess('recorded', airline);
  await visit(program);
  program.terminate();
  const ended = [[airline, await program.exited] as const];
  keeper.terminate();
  ended.push([sessions, await keeper.exited]);
  for (const [subject, end] of ended) {
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(replayAndCompare(subject, end).differences).toEqual([]);
  }
});

it.runIf(hasPostgres)('replays without the PostgreSQL server of the recorded run', { timeout: 120_000 }, async () => {
  const postgres = await PostgresServer.start();
  const subject: Subject = {
    file: FILE,
    workingDirectory: join(directory, 'postgres-place'),
    recordings: join(directory, 'postgres'),
    env: {
      ACMEAIR_PORT: '0',
      ACMEAIR_CUSTOMERS: String(CUSTOMERS),
      ACMEAIR_DATABASE: postgres.url,
      TURNTABLE_SNAPSHOTS: 'requests=100,end',
    },
  };
  let ended: ProgramExit;
  try {
    const program = new ProgramProcess('recorded', subject);
    await visit(program);
    program.terminate();
    ended = await program.exited;
  } finally {
    await postgres.stop();
  }
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  expect(replayAndCompare(subject, ended).differences).toEqual([]);
});

it('resumes from its last snapshot after a kill under load', { timeout: 120_000 }, async () => {
  const subject: Subject = {
    file: FILE,
    workingDirectory: join(directory, 'killed-place'),
    recordings: join(directory, 'killed'),
    env: {
      ACMEAIR_PORT: '0',
      ACMEAIR_CUSTOMERS: String(CUSTOMERS),
      ACMEAIR_DATABASE: `sqlite:${join(directory, 'killed.db')}`,
      TURNTABLE_SNAPSHOTS: 'requests=100',
      TURNTABLE_RECORDINGS: join(directory, 'killed'),
      TURNTABLE_TRACE: '1',
      TURNTABLE_INCLUDE: '',
    },
  };
  // Started without the command `record`, so that the kill hits the service itself.
  const first = new ProgramProcess('transformed', subject);
  const url = `http://127.0.0.1:${await first.port}`;
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  const progress = (answered: number): void => {
    if (answered === 400) first.kill();
  };
  const { latency } = await load({ url, connections: 8, requests: 600, customers: CUSTOMERS, progress });
  expect((await first.exited).signal).toBe('SIGKILL');

  const second = new ProgramProcess('restored', subject);
  const restoredUrl = `http://127.0.0.1:${await second.port}`;
  const counted = await (await fetch(`${restoredUrl}/rest/api/config/countBookings`)).text();
  // Contains all acknowledged bookings, and possibly some whose response was lost.
  const acknowledged = (latency.get('book')?.count ?? 0) - (latency.get('cancel')?.count ?? 0);
  expect(Number(counted)).toBeGreaterThanOrEqual(acknowledged);
  expect(await load({ url: restoredUrl, connections: 8, requests: 200, customers: CUSTOMERS })).toMatchObject({
    answered: 200,
    failed: 0,
  });
  second.terminate();
  const { code, stderr } = await second.exited;
  expect([code, stderr]).toEqual([0, '']);
});
