// Recorded services that are killed under load or lose workers, and recordings truncated anywhere. The remaining part
// of a recording must replay from the start and from its snapshots, with the same states.
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Random } from '../../bench/savina/random.ts';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { sample, snapshotPhases, recordingIn } from '../replay/record-and-replay.ts';
import { exerciseSecure, exerciseSql, type ServiceExercise } from './clients.ts';
import { LoadClient, loadProblems } from './load.ts';
import { replayAndCompare, ProgramProcess, type ReplayCheck, type ProgramExit, type Subject } from './recorded.ts';
import { unendRecording } from '../recordings/edit-manifest.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const CUTS = Number(process.env['TURNTABLE_CUTS'] ?? inSoak(2, 3));
/** Minimum number of snapshots in a recording. */
const SNAPSHOTS = 3;
/** Timeout in milliseconds; other work may share the machine. */
const TIMEOUT_MS = 240_000;

const subjectOf = (name: string, as = name): Subject => ({
  file: `services/${name}.ts`,
  keepsStdinOpen: name === 'secure',
  workingDirectory: join(directory, `${as}-place`),
  recordings: join(directory, `${as}-recordings`),
});
/** Records without the CLI, so that the test kills the program itself. */
const recordedIn = (subject: Subject): Subject => ({
  ...subject,
  env: {
    TURNTABLE_RECORDINGS: subject.recordings,
    TURNTABLE_TRACE: '1',
    TURNTABLE_SNAPSHOTS: 'requests=25,end',
    TURNTABLE_INCLUDE: '',
  },
});

function verdictOf({ replay: { report }, leftFiles }: ReplayCheck): object {
  return { verdict: report.verdict, different: report.cuts.different, divergence: report.divergence, leftFiles };
}
const SAME = { verdict: 'same', different: [], divergence: null, leftFiles: [] };
const TRUNCATED = { ...SAME, verdict: 'truncated' };

describe.each<[name: string, use: ServiceExercise]>([
  ['http', (port) => loadProblems(port, 100)],
  ['sql', exerciseSql],
  ['secure', exerciseSecure],
])('a recording of a service (%s)', (name, use) => {
  const subject = subjectOf(name);
  let ended: ProgramExit;
  beforeAll(async () => {
    const program = new ProgramProcess('recorded', subject);
    try {
      await use(await program.port, (text) => program.writeInput(text));
      program.terminate();
      ended = await program.exited;
    } finally {
      program.kill();
    }
  }, TIMEOUT_MS);

  it(
    'can be replayed from its snapshots',
    () => {
      const phases = snapshotPhases(subject.recordings);
      expect(phases.length).toBeGreaterThanOrEqual(SNAPSHOTS);
      for (const phase of sample(phases, inSoak(2, phases.length))) {
        const from = replayAndCompare(subject, ended, ['--from', String(phase)]);
        expect(verdictOf(from), `from ${phase}`).toEqual(SAME);
        expect(from.replay.report.cuts.compared).toBe(phases.length - phases.indexOf(phase) - 1);
        expect(ended.stdout.endsWith(from.replay.output)).toBe(true);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'can be replayed up to the end when it is truncated at any byte',
    () => {
      const random = new Random(name.length);
      random.spend(20);
      for (let i = 0; i < CUTS; i++) {
        const recordings = join(directory, `${name}-cut-${i}`);
        cpSync(recordingIn(subject.recordings), recordings, { recursive: true });
        const traces = readdirSync(join(recordings, 'traces'));
        const file = join(recordings, 'traces', traces[random.below(traces.length)] as string);
        const { size } = statSync(file);
        truncateSync(file, random.below(size));
        unendRecording(recordings);
        const cut = replayAndCompare({ ...subject, recordings }, ended);
        expect(verdictOf(cut), `${file} at ${statSync(file).size} of ${size}`).toEqual(TRUNCATED);
        expect(ended.stdout.startsWith(cut.replay.output)).toBe(true);
      }
    },
    TIMEOUT_MS,
  );
});

/** Number of complete snapshots; 0 while there is no recording. */
function snapshotsIn(recordings: string): number {
  try {
    return snapshotPhases(recordings).length;
  } catch {
    return 0;
  }
}

it.each([
  ['without workers', 'http', (i: number) => `/hello?name=n${i}`],
  ['with workers', 'shelves', (i: number) => `/thing${i}?shelf=${i % 2}`],
] as const)(
  'a service killed under load %s can be replayed up to the end of its recording',
  { timeout: TIMEOUT_MS },
  async (_, name, path) => {
    const subject = subjectOf(name, `${name}-killed`);
    const program = new ProgramProcess('transformed', recordedIn(subject));
    onTestFinished(() => program.kill());
    const port = await program.port;
    const client = new LoadClient(port);
    let answered = 0;
    // Waits for the snapshots however long they take on a busy machine.
    const hasEnough = (): boolean => answered >= 200 && snapshotsIn(subject.recordings) >= SNAPSHOTS;
    const requests = Array.from({ length: 40 }, async (_each, i) => {
      for (; !hasEnough(); i += 40) {
        await client.request({ method: 'GET', path: path(i) });
        answered++;
      }
      program.kill();
    });
    await Promise.allSettled(requests);
    const ended = await program.exited;
    expect(ended.signal).toBe('SIGKILL');
    expect(verdictOf(replayAndCompare(subject, ended))).toEqual(TRUNCATED);
    const phases = snapshotPhases(subject.recordings);
    expect(phases.length).toBeGreaterThanOrEqual(SNAPSHOTS);
    expect(verdictOf(replayAndCompare(subject, ended, ['--from', String(phases.at(-1))]))).toEqual(TRUNCATED);
  },
);

it(
  'a replay repeats the loss of workers under load and all answers',
  async () => {
    const subject = subjectOf('shelves');
    const program = new ProgramProcess('recorded', subject);
    onTestFinished(() => program.kill());
    const client = new LoadClient(await program.port);
    const path = (i: number): string => (i === 10 ? '/break?shelf=0' : `/thing${i}?shelf=${i % 2}`);
    const statuses = await Promise.all(
      Array.from({ length: 24 }, async (_, i) => (await client.request({ method: 'GET', path: path(i) })).status),
    );
    client.close();
    program.terminate();
    const ended = await program.exited;
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0);
    expect(statuses).toContain(200);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(replayAndCompare(subject, ended).differences).toEqual([]);
  },
  TIMEOUT_MS,
);
