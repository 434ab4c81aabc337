// Services in the styles in which people write them, none of them written for Turntable (fixtures/services), under load from another process: they answer
// as they answer on Node alone, end in good order, and run again without anybody who asks.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  exerciseChat,
  exercisePg,
  exerciseQueue,
  exerciseSecure,
  exerciseSql,
  type ServiceExercise,
} from './clients.ts';
import { loadProblems } from './load.ts';
import { FakePostgresServer } from './postgres-server.ts';
import {
  replayAndCompare,
  ProgramProcess,
  snapshotPhasesOf,
  type ProgramExit,
  type Subject,
  type RunMode,
} from './recorded.ts';
import { FakeRedisServer } from './redis-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
/** Snapshots are taken every 25. */
const REQUESTS = 100;
/** Milliseconds: other work may share the machine. */
const LIMIT = 240_000;

const subjectOf = (name: string, mode: RunMode, args: readonly string[] = []): Subject => ({
  file: `services/${name}.ts`,
  args,
  workingDirectory: join(directory, `${name}-${mode}`),
  recordings: join(directory, `${name}-recordings`),
});

interface Served {
  readonly ended: ProgramExit;
  readonly found: unknown;
}

async function served(mode: RunMode, subject: Subject, use: ServiceExercise): Promise<Served> {
  const program = new ProgramProcess(mode, subject);
  onTestFinished(() => program.kill());
  const found = await use(await program.port, (text) => program.writeInput(text));
  program.terminate();
  return { ended: await program.exited, found };
}

/** What came of a service that was recorded, when it runs again. */
function runsAgain(subject: Subject, ended: ProgramExit): void {
  const { differences, replay: replayed } = replayAndCompare(subject, ended);
  // Where a process ends by a signal, so does what is known of it.
  expect(differences.filter((each) => ended.code === 0 || !each.startsWith('truncated: '))).toEqual([]);
  expect(replayed.report.cuts.compared).toBe(snapshotPhasesOf(subject).length);
}

it(
  'a service under load is recorded from a signal on, with the connections and requests it had before',
  async () => {
    const subject = subjectOf('http', 'later');
    const into = join(directory, 'later-recordings');
    const program = new ProgramProcess('later', { ...subject, recordings: into });
    onTestFinished(() => program.kill());
    const port = await program.port;
    expect(await loadProblems(port, REQUESTS)).toEqual([]);
    expect(existsSync(into)).toBe(false);
    const before = loadProblems(port, REQUESTS);
    program.toggleRecording();
    await before;
    await vi.waitUntil(
      () =>
        existsSync(into) &&
        readdirSync(into).length > 0 &&
        snapshotPhasesOf({ ...subject, recordings: into }).length > 0,
      {
        timeout: LIMIT,
        interval: 10,
      },
    );
    await loadProblems(port, REQUESTS);
    program.terminate();
    const ended = await program.exited;
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const { differences, replay: replayed } = replayAndCompare(
      { ...subject, recordings: into },
      { ...ended, stdout: ended.stdout.replace(/^listening .*\n/, '') },
    );
    expect(differences).toEqual([]);
    expect(replayed.report.cuts.compared).toBe(snapshotPhasesOf({ ...subject, recordings: into }).length - 1);
    expect(replayed.report.cuts.compared).toBeGreaterThan(2);
  },
  LIMIT,
);

describe.each(['http', 'fastify', 'express', 'koa', 'hono', 'nest'])('a service of %s', (name) => {
  it(
    'answers under load, ends in good order, and does it again',
    async () => {
      const subject = subjectOf(name, 'recorded');
      const { ended, found } = await served('recorded', subject, (port) => loadProblems(port, REQUESTS));
      expect(found).toEqual([]);
      // Nest ends by the signal that it was sent.
      expect(ended, ended.stderr).toMatchObject(name === 'nest' ? { signal: 'SIGTERM' } : { code: 0 });
      expect(ended.stdout).toMatch(/closed \d+ requests \d+ orders/);
      expect(snapshotPhasesOf(subject).length).toBeGreaterThan(2);
      runsAgain(subject, ended);
    },
    LIMIT,
  );
});

const BACKENDS = { queue: FakeRedisServer, pg: FakePostgresServer };

describe.each([
  ['a database in a file', 'sql', exerciseSql],
  ['a database behind a socket', 'pg', exercisePg],
  ['a queue behind a socket', 'queue', exerciseQueue],
  ['WebSockets', 'chat', exerciseChat],
  ['TLS, HTTP/2 and standard input', 'secure', exerciseSecure],
] as const)('a service with %s', (_, name, use) => {
  it(
    'answers as on Node alone, and does it again when what it talked to is gone',
    async () => {
      const servedByMode: Record<string, Served> = {};
      for (const mode of ['plain', 'recorded'] as const) {
        const backend = name in BACKENDS ? new BACKENDS[name as keyof typeof BACKENDS]() : undefined;
        const args = backend === undefined ? [] : [String(await backend.listen())];
        const subject = { ...subjectOf(name, mode, args), keepsStdinOpen: name === 'secure' };
        servedByMode[mode] = await served(mode, subject, use);
        await backend?.close();
        if (mode === 'recorded') runsAgain(subject, servedByMode[mode].ended);
      }
      expect(servedByMode['recorded']?.found).toEqual(servedByMode['plain']?.found);
      expect(servedByMode['recorded']?.ended).toMatchObject({ code: 0 });
    },
    LIMIT,
  );
});
