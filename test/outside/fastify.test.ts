// Fastify services with the plugin `@turntable/fastify` (fixtures/with-plugin). Fastify runs natively on the host side
// and must behave as on Node alone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { exerciseBehaviour, exerciseShop } from './fastify-clients.ts';
import { loadProblems } from './load.ts';
import {
  replayAndCompare,
  ProgramProcess,
  snapshotPhasesOf,
  type ProgramExit,
  type Subject,
  type RunMode,
} from './recorded.ts';
import { replay, sample, runTurntable } from '../replay/record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const REQUESTS = 100;
/** Number of snapshots to replay from. */
const START_PHASES = 2;
/** Timeout in milliseconds; other work may share the machine. */
const TIMEOUT_MS = 240_000;

const subjectOf = (name: string, mode: RunMode): Subject => ({
  file: `with-plugin/${name}.ts`,
  workingDirectory: join(directory, `${name}-${mode}`),
  recordings: join(directory, `${name}-recordings`),
});

interface ServeResult<T> {
  readonly ended: ProgramExit;
  readonly result: T;
}

async function serve<T>(mode: RunMode, subject: Subject, use: (port: number) => Promise<T>): Promise<ServeResult<T>> {
  const program = new ProgramProcess(mode, subject);
  onTestFinished(() => program.kill());
  const result = await use(await program.port);
  program.terminate();
  return { ended: await program.exited, result };
}

/** Replays a run from the start and from some of its snapshots. */
function checkReplay(subject: Subject, ended: ProgramExit): void {
  const { differences, replay: replayed } = replayAndCompare(subject, ended);
  const phases = snapshotPhasesOf(subject);
  expect(differences).toEqual([]);
  expect(replayed.report.cuts.compared).toBe(phases.length);
  const starts = sample(phases, START_PHASES);
  const verdicts = starts.map((phase) => replay(subject.recordings, ['--from', String(phase)]).report.verdict);
  expect(verdicts).toEqual(starts.map(() => 'same'));
}

/** Text of the main thread's trace. */
function traceOf({ recordings }: Subject): string {
  return runTurntable(['inspect', recordings, '--trace', '--worker', '0', '--from', '1', '--count', '100000']).stdout;
}

describe('a Fastify service with the plugin', () => {
  it(
    'answers under load, shuts down cleanly, and can be replayed',
    async () => {
      const subject = subjectOf('service', 'recorded');
      const { ended, result } = await serve('recorded', subject, (port) => loadProblems(port, REQUESTS));
      expect(result).toEqual([]);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      expect(ended.stdout).toMatch(/closed \d+ requests \d+ orders/);
      expect(snapshotPhasesOf(subject).length).toBeGreaterThan(2);
      expect(traceOf(subject)).toContain('completes');
      checkReplay(subject, ended);
    },
    TIMEOUT_MS,
  );

  it(
    'behaves as on Node alone and can be replayed',
    async () => {
      const plain = await serve('plain', subjectOf('behaviour', 'plain'), exerciseBehaviour);
      const subject = subjectOf('behaviour', 'recorded');
      const { ended, result } = await serve('recorded', subject, exerciseBehaviour);
      expect(result).toEqual(plain.result);
      expect({ ...ended, stderr: '' }).toEqual({ ...plain.ended, stderr: '', stdout: expect.any(String) });
      checkReplay(subject, ended);
    },
    TIMEOUT_MS,
  );

  it(
    'passes requests to actors on workers and can be replayed',
    async () => {
      const subject = subjectOf('shop', 'recorded');
      const { ended, result } = await serve('recorded', subject, exerciseShop);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      expect(result).toEqual([26, 14, { tea: 20, rum: 0 }]);
      expect(replayAndCompare(subject, ended).differences).toEqual([]);
      const trace = traceOf(subject);
      expect(trace).toContain("'/reserve'");
      expect(trace).toContain('rum');
      expect(trace).not.toContain('user-agent');
      // The plugin's changes to Fastify are made on the host side, whether it is loaded from sources or built.
      expect(trace).not.toMatch(/onResponse|onRequest|routeOptions/);
    },
    TIMEOUT_MS,
  );
});

it('replies that wait for the disk together share a snapshot', { timeout: TIMEOUT_MS }, async () => {
  const subject = { ...subjectOf('flushed', 'recorded'), env: { TURNTABLE_SNAPSHOTS: '' } };
  const ended = await new ProgramProcess('recorded', subject).exited;
  // The first reply waits for a snapshot of its own, the others share the next; then there is one at the end.
  expect(ended).toMatchObject({ code: 0, stdout: `${'done done done done done done\n'.repeat(2)}5\n`, stderr: '' });
  expect(replayAndCompare(subject, ended).differences).toEqual([]);
});
