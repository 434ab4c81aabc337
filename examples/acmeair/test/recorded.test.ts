// The whole service under load: recorded, run again, and run again from a snapshot taken meanwhile.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { inSoak } from '../../../scripts/test-run/soak.ts';
import { again, Life, phasesOf, type Ended, type Subject } from '../../../test/outside/recorded.ts';
import { load } from '../load/load.ts';
import { isPostgresHere, PostgresHere } from './postgres-here.ts';

const CUSTOMERS = 30;
/** Requests under load; a snapshot is taken after a third of them. */
const REQUESTS = inSoak(300, 600);
const FILE = '../../../examples/acmeair/src/main.ts';
const directory = mkdtempSync(join(tmpdir(), 'acmeair-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The airline is filled, and visited for a while. */
async function visit(life: Life): Promise<void> {
  const url = `http://127.0.0.1:${await life.port}`;
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  expect(await load({ url, connections: 4, requests: 150, customers: CUSTOMERS })).toMatchObject({
    answered: 150,
    failed: 0,
  });
}

it('runs again as it ran, from the beginning and from a snapshot under load', { timeout: 120_000 }, async () => {
  const subject: Subject = {
    file: FILE,
    place: join(directory, 'place'),
    into: join(directory, 'recordings'),
    env: {
      ACMEAIR_PORT: '0',
      ACMEAIR_CUSTOMERS: String(CUSTOMERS),
      TURNTABLE_SNAPSHOTS: `requests=${REQUESTS / 3},end`,
    },
  };
  const life = new Life('recorded', subject);
  const url = `http://127.0.0.1:${await life.port}`;
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  const { answered, failed } = await load({ url, connections: 8, requests: REQUESTS, customers: CUSTOMERS });
  expect([answered, failed]).toEqual([REQUESTS, 0]);
  life.terminate();
  const ended = await life.ended;
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  expect(again(subject, ended).differences).toEqual([]);
  const phases = phasesOf(subject);
  expect(phases.length).toBeGreaterThan(2);
  const { replayed } = again(subject, { ...ended, stdout: '' }, ['--from', String(phases[1])]);
  expect([replayed.report.verdict, replayed.report.cuts.different]).toEqual(['same', []]);
});

it('runs again with its sessions in another process, each of both by itself', { timeout: 120_000 }, async () => {
  const database = `sqlite:${join(directory, 'two.db')}`;
  const subjectOf = (name: string, file: string, env: NodeJS.ProcessEnv): Subject => ({
    file,
    place: join(directory, `${name}-place`),
    into: join(directory, name),
    env: { ACMEAIR_PORT: '0', ACMEAIR_DATABASE: database, TURNTABLE_SNAPSHOTS: 'requests=100,end', ...env },
  });
  const sessions = subjectOf('sessions', '../../../examples/acmeair/src/auth-main.ts', {});
  const keeper = new Life('recorded', sessions);
  const airline = subjectOf('airline', FILE, {
    ACMEAIR_CUSTOMERS: String(CUSTOMERS),
    ACMEAIR_AUTH: `http://127.0.0.1:${await keeper.port}`,
  });
  const life = new Life('recorded', airline);
  await visit(life);
  life.terminate();
  const ended = [[airline, await life.ended] as const];
  keeper.terminate();
  ended.push([sessions, await keeper.ended]);
  for (const [subject, end] of ended) {
    expect([end.code, end.stderr]).toEqual([0, '']);
    expect(again(subject, end).differences).toEqual([]);
  }
});

it.runIf(isPostgresHere)(
  'runs again without the PostgreSQL server that it was recorded with',
  { timeout: 120_000 },
  async () => {
    const postgres = await PostgresHere.start();
    const subject: Subject = {
      file: FILE,
      place: join(directory, 'postgres-place'),
      into: join(directory, 'postgres'),
      env: {
        ACMEAIR_PORT: '0',
        ACMEAIR_CUSTOMERS: String(CUSTOMERS),
        ACMEAIR_DATABASE: postgres.url,
        TURNTABLE_SNAPSHOTS: 'requests=100,end',
      },
    };
    let ended: Ended;
    try {
      const life = new Life('recorded', subject);
      await visit(life);
      life.terminate();
      ended = await life.ended;
    } finally {
      await postgres.stop();
    }
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    expect(again(subject, ended).differences).toEqual([]);
  },
);

it('is killed under load, and goes on from its last snapshot', { timeout: 120_000 }, async () => {
  const subject: Subject = {
    file: FILE,
    place: join(directory, 'killed-place'),
    into: join(directory, 'killed'),
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
  // In a process of its own, without a command above it that could be killed in its stead.
  const first = new Life('transformed', subject);
  const url = `http://127.0.0.1:${await first.port}`;
  await (await fetch(`${url}/rest/api/loader/load`)).text();
  const progress = (answered: number): void => {
    if (answered === 400) first.kill();
  };
  const { latency } = await load({ url, connections: 8, requests: 600, customers: CUSTOMERS, progress });
  expect((await first.ended).signal).toBe('SIGKILL');

  const second = new Life('restored', subject);
  const again = `http://127.0.0.1:${await second.port}`;
  const counted = await (await fetch(`${again}/rest/api/config/countBookings`)).text();
  // All that were acknowledged are there, perhaps with some whose answer did not come any more.
  const acknowledged = (latency.get('book')?.count ?? 0) - (latency.get('cancel')?.count ?? 0);
  expect(Number(counted)).toBeGreaterThanOrEqual(acknowledged);
  expect(await load({ url: again, connections: 8, requests: 200, customers: CUSTOMERS })).toMatchObject({
    answered: 200,
    failed: 0,
  });
  second.terminate();
  const { code, stderr } = await second.ended;
  expect([code, stderr]).toEqual([0, '']);
});
