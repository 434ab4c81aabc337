// Services written in common styles, none of them for Turntable (fixtures/services), under load from another process.
// They must answer as on Node alone, shut down cleanly, and replay without clients.
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
/** A snapshot is taken every 25 requests. */
const REQUESTS = 100;
/** Timeout in milliseconds; other work may share the machine. */
const TIMEOUT_MS = 240_000;

const subjectOf = (name: string, mode: RunMode, args: readonly string[] = []): Subject => ({
  file: `services/${name}.ts`,
  args,
  workingDirectory: join(directory, `${name}-${mode}`),
  recordings: join(directory, `${name}-recordings`),
});

interface ServeResult {
  readonly ended: ProgramExit;
  readonly found: unknown;
}

async function serve(mode: RunMode, subject: Subject, use: ServiceExercise): Promise<ServeResult> {
  const program = new ProgramProcess(mode, subject);
  onTestFinished(() => program.kill());
  const found = await use(await program.port, (text) => program.writeInput(text));
  program.terminate();
  return { ended: await program.exited, found };
}

/** Replays a recorded service and compares the results. */
function checkReplay(subject: Subject, ended: ProgramExit): void {
  const { differences, replay: replayed } = replayAndCompare(subject, ended);
  // The recording of a process that was ended by a signal is truncated.
  expect(differences.filter((each) => ended.code === 0 || !each.startsWith('truncated: '))).toEqual([]);
  expect(replayed.report.cuts.compared).toBe(snapshotPhasesOf(subject).length);
}

it(
  'a service under load can be recorded from a signal on, with its open connections and requests',
  async () => {
    const subject = subjectOf('http', 'later');
    const recordings = join(directory, 'later-recordings');
    const program = new ProgramProcess('later', { ...subject, recordings });
    onTestFinished(() => program.kill());
    const port = await program.port;
    expect(await loadProblems(port, REQUESTS)).toEqual([]);
    expect(existsSync(recordings)).toBe(false);
    const before = loadProblems(port, REQUESTS);
    program.toggleRecording();
    await before;
    await vi.waitUntil(
      () =>
        existsSync(recordings) &&
        readdirSync(recordings).length > 0 &&
        snapshotPhasesOf({ ...subject, recordings }).length > 0,
      {
        timeout: TIMEOUT_MS,
        interval: 10,
      },
    );
    await loadProblems(port, REQUESTS);
    program.terminate();
    const ended = await program.exited;
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const { differences, replay: replayed } = replayAndCompare(
      { ...subject, recordings },
      { ...ended, stdout: ended.stdout.replace(/^listening .*\n/, '') },
    );
    expect(differences).toEqual([]);
    expect(replayed.report.cuts.compared).toBe(snapshotPhasesOf({ ...subject, recordings }).length - 1);
    expect(replayed.report.cuts.compared).toBeGreaterThan(2);
  },
  TIMEOUT_MS,
);

describe.each(['http', 'fastify', 'express', 'koa', 'hono', 'nest'])('a service with %s', (name) => {
  it(
    'answers under load, shuts down cleanly, and can be replayed',
    async () => {
      const subject = subjectOf(name, 'recorded');
      const { ended, found } = await serve('recorded', subject, (port) => loadProblems(port, REQUESTS));
      expect(found).toEqual([]);
      // Nest ends by the signal that it receives.
      expect(ended, ended.stderr).toMatchObject(name === 'nest' ? { signal: 'SIGTERM' } : { code: 0 });
      expect(ended.stdout).toMatch(/closed \d+ requests \d+ orders/);
      expect(snapshotPhasesOf(subject).length).toBeGreaterThan(2);
      checkReplay(subject, ended);
    },
    TIMEOUT_MS,
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
    'answers as on Node alone and can be replayed without its backend',
    async () => {
      const servedByMode: Record<string, ServeResult> = {};
      for (const mode of ['plain', 'recorded'] as const) {
        const backend = name in BACKENDS ? new BACKENDS[name as keyof typeof BACKENDS]() : undefined;
        const args = backend === undefined ? [] : [String(await backend.listen())];
        const subject = { ...subjectOf(name, mode, args), keepsStdinOpen: name === 'secure' };
        servedByMode[mode] = await serve(mode, subject, use);
        await backend?.close();
        if (mode === 'recorded') checkReplay(subject, servedByMode[mode].ended);
      }
      expect(servedByMode['recorded']?.found).toEqual(servedByMode['plain']?.found);
      expect(servedByMode['recorded']?.ended).toMatchObject({ code: 0 });
    },
    TIMEOUT_MS,
  );
});
