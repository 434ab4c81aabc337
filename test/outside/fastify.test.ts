// Services of Fastify with the plugin `@turntable/fastify` (fixtures/with-plugin): Fastify runs natively, outside; what comes of it is what comes of it on Node alone.
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
/** So many snapshots a run is gone on from. */
const STARTS = 2;
/** Milliseconds: other work may share the machine. */
const LIMIT = 240_000;

const subjectOf = (name: string, mode: RunMode): Subject => ({
  file: `with-plugin/${name}.ts`,
  workingDirectory: join(directory, `${name}-${mode}`),
  recordings: join(directory, `${name}-recordings`),
});

interface Served<T> {
  readonly ended: ProgramExit;
  readonly found: T;
}

async function served<T>(mode: RunMode, subject: Subject, use: (port: number) => Promise<T>): Promise<Served<T>> {
  const program = new ProgramProcess(mode, subject);
  onTestFinished(() => program.kill());
  const found = await use(await program.port);
  program.terminate();
  return { ended: await program.exited, found };
}

/** As it ran, from the beginning and from some of its snapshots. */
function runsAgain(subject: Subject, ended: ProgramExit): void {
  const { differences, replay: replayed } = replayAndCompare(subject, ended);
  const phases = snapshotPhasesOf(subject);
  expect(differences).toEqual([]);
  expect(replayed.report.cuts.compared).toBe(phases.length);
  const starts = sample(phases, STARTS);
  const verdicts = starts.map((phase) => replay(subject.recordings, ['--from', String(phase)]).report.verdict);
  expect(verdicts).toEqual(starts.map(() => 'same'));
}

/** What the trace of the main thread says, in words. */
function traceOf({ recordings: into }: Subject): string {
  return runTurntable(['inspect', into, '--trace', '--worker', '0', '--from', '1', '--count', '100000']).stdout;
}

describe('a service of Fastify with the plugin', () => {
  it(
    'answers under load, ends in good order, and does it again',
    async () => {
      const subject = subjectOf('service', 'recorded');
      const { ended, found } = await served('recorded', subject, (port) => loadProblems(port, REQUESTS));
      expect(found).toEqual([]);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      expect(ended.stdout).toMatch(/closed \d+ requests \d+ orders/);
      expect(snapshotPhasesOf(subject).length).toBeGreaterThan(2);
      expect(traceOf(subject)).toContain('is done with');
      runsAgain(subject, ended);
    },
    LIMIT,
  );

  it(
    'behaves as on Node alone, and does it again',
    async () => {
      const plain = await served('plain', subjectOf('behaviour', 'plain'), exerciseBehaviour);
      const subject = subjectOf('behaviour', 'recorded');
      const { ended, found } = await served('recorded', subject, exerciseBehaviour);
      expect(found).toEqual(plain.found);
      expect({ ...ended, stderr: '' }).toEqual({ ...plain.ended, stderr: '', stdout: expect.any(String) });
      runsAgain(subject, ended);
    },
    LIMIT,
  );

  it(
    'hands requests on to actors on workers, and does it again',
    async () => {
      const subject = subjectOf('shop', 'recorded');
      const { ended, found } = await served('recorded', subject, exerciseShop);
      expect(ended, ended.stderr).toMatchObject({ code: 0 });
      expect(found).toEqual([26, 14, { tea: 20, rum: 0 }]);
      expect(replayAndCompare(subject, ended).differences).toEqual([]);
      const trace = traceOf(subject);
      expect(trace).toContain("'/reserve'");
      expect(trace).toContain('rum');
      expect(trace).not.toContain('user-agent');
      // What is done to Fastify for that is done outside, in whatever form the package is.
      expect(trace).not.toContain('onResponse');
    },
    LIMIT,
  );
});

it('replies that wait for the disk at the same time share a snapshot', { timeout: LIMIT }, async () => {
  const subject = { ...subjectOf('flushed', 'recorded'), env: { TURNTABLE_SNAPSHOTS: '' } };
  const ended = await new ProgramProcess('recorded', subject).exited;
  // The first one waits for a snapshot of its own, the others for the next one; and one more at the end.
  expect(ended).toMatchObject({ code: 0, stdout: `${'done done done done done done\n'.repeat(2)}5\n`, stderr: '' });
  expect(replayAndCompare(subject, ended).differences).toEqual([]);
});
