// A program that is killed before, after or within any file system call of its writer, or for which any of these calls
// fails, leaves a recording that opens and replays, can be entered by every kind of move, and be restored.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { listRecordings, openRecording } from '@turntable/recording';
import { seededRandom } from '../../scripts/test-run/seeded-random.ts';
import { inSoak, showSoakProgress } from '../../scripts/test-run/soak.ts';
import { distinctStates, readCalls, writeState } from './directory-states.ts';
import { createScratchDirectory, startRecorded } from './processes.ts';
import { checkRecording, readProblems } from './recording-check.ts';

const scratch = createScratchDirectory();
const random = seededRandom(Number(process.env['TURNTABLE_SEED'] ?? 1));
const FAILURES = ['EMFILE', 'ENOSPC', 'EIO', 'short'] as const;
/** Number of replayed states. Every STATE_STEP-th is also entered and restored. */
const STATES = inSoak(4, Infinity);
const STATE_STEP = inSoak(4, 1);
/** Number of calls that fail in each way. The recording of every FAULT_STEP-th is also entered and restored. */
const CALLS = inSoak(1, Infinity);
const FAULT_STEP = inSoak(4, 8);
const TIMEOUT_MS = inSoak(240_000, 14_400_000);

interface LedgerRun {
  readonly recordings: string;
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function runLedger(name: string, env: NodeJS.ProcessEnv): Promise<LedgerRun> {
  const recordings = join(scratch, name, 'recordings');
  mkdirSync(recordings, { recursive: true });
  const { ended, stdout, stderr } = startRecorded('ledger.ts', {
    recordings,
    env: { TURNTABLE_KEEP: 'count=1', ...env },
    preload: 'faulty-call.ts',
  });
  const [status] = await ended;
  return { recordings, status, stdout: stdout(), stderr: stderr() };
}

/** Picks items at random, in their order. */
function pick<T>(items: readonly T[], count: number): T[] {
  const indexes = items.map((_, index) => ({ index, key: random() })).toSorted((one, other) => one.key - other.key);
  const picked = new Set(indexes.slice(0, count).map(({ index }) => index));
  return items.filter((_, index) => picked.has(index));
}

interface KilledState {
  /** The last call. */
  readonly name: string;
  /** Undefined before the recording has its name. */
  readonly recording: string | undefined;
}

let stdout = '';
let callCount = 0;
let states: readonly KilledState[] = [];

beforeAll(async () => {
  const log = join(scratch, 'calls');
  const run = await runLedger('logged', { TEST_FILE_LOG: log });
  expect(run).toMatchObject({ status: 0, stderr: '' });
  const calls = readCalls(log);
  const copy = join(scratch, 'copy');
  mkdirSync(copy);
  states = distinctStates(calls, run.recordings, copy).map((state, index) => {
    const directory = join(scratch, 'states', String(index));
    writeState(state, directory);
    return { name: state.name, recording: listRecordings(directory)[0]?.directory };
  });
  ({ stdout } = run);
  callCount = calls.length;
}, 60_000);

/** Whether the writer has written all that a replay needs before the first statement of the program. */
function hasStart(recording: string): boolean {
  const { manifest } = openRecording(recording);
  return manifest.entry !== null && existsSync(join(recording, 'traces', '0000000000-0.0.ttt'));
}

describe('when the process is killed before, after or within a file system call', () => {
  test('the recording can be read, once it has its name', () => {
    const named = states.slice(states.findIndex(({ recording }) => recording !== undefined));
    const problems = named.flatMap(({ name, recording }) => {
      const found = recording === undefined ? ['no recording'] : readProblems(recording);
      return found.map((problem) => `${name}: ${problem}`);
    });
    expect(problems).toEqual([]);
  });

  test('a replay ends there, and the recording can be entered and restored', { timeout: TIMEOUT_MS }, async () => {
    const first = states.findIndex(({ recording }) => recording !== undefined && hasStart(recording));
    const problems: string[] = [];
    let end = 0;
    const picked = pick(states.slice(first), STATES);
    for (const [index, { name, recording }] of picked.entries()) {
      const { problems: checked, output } = await checkRecording(recording as string, {
        isEntered: index % STATE_STEP === STATE_STEP - 1,
      });
      const found = [...checked];
      // A replay from a snapshot prints the end only.
      const at = stdout.indexOf(output);
      if (at === -1) found.push(`printed ${output}`);
      if (output !== '' && at + output.length < end) found.push(`printed less than an earlier state: ${output}`);
      if (output !== '') end = at + output.length;
      const named = found.map((problem) => `${name}: ${problem}`);
      problems.push(...named);
      showSoakProgress(index + 1, picked.length, named);
    }
    expect(problems).toEqual([]);
  });
});

describe('when a file system call fails', () => {
  test(
    'the program continues with one warning at most, and its recording can be replayed, entered and restored',
    { timeout: TIMEOUT_MS },
    async () => {
      const calls = Array.from({ length: callCount }, (_, index) => index + 1);
      const faults = FAILURES.flatMap((kind) => pick(calls, CALLS).map((at) => ({ kind, at })));
      const problems: string[] = [];
      for (const [index, { kind, at }] of faults.entries()) {
        const run = await runLedger(`${kind} ${at}`, { TEST_FAULT: kind, TEST_FAULT_AT: String(at) });
        const found: string[] = [];
        if (run.status !== 0 || run.stdout !== stdout) found.push(`exit code ${run.status}, printed ${run.stdout}`);
        // The rest of a short write is written.
        if (kind === 'short' ? run.stderr !== '' : countWarnings(run.stderr) > 1) found.push(run.stderr);
        const verdicts = kind === 'short' ? ['same'] : ['same', 'truncated', 'incomplete'];
        const options = { verdicts, isEntered: index % FAULT_STEP === 0 };
        const [recording] = listRecordings(run.recordings);
        if (recording === undefined) found.push('no recording');
        else found.push(...(await checkRecording(recording.directory, options)).problems);
        const named = found.map((problem) => `${kind} in call ${at}: ${problem}`);
        problems.push(...named);
        showSoakProgress(index + 1, faults.length, named);
      }
      expect(problems).toEqual([]);
    },
  );
});

function countWarnings(stderr: string): number {
  return stderr.match(/^\(node:\d+\) /gm)?.length ?? 0;
}
