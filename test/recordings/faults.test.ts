// Faults of a recorded program, its disk or its recording: an intact snapshot can always be resumed from, and a damaged
// one is never used.
//
//   TURNTABLE_KILLS=1000 TURNTABLE_SEED=7 … vitest run test/recordings/faults      for a longer run
// The sources load snapshots here, so they must have written them.
import '../../scripts/from-sources.ts';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listRecordings, openRecording, RecordingError } from '@turntable/recording';
import { loadRestorable } from '../../packages/replayer/src/restore/restorable-snapshot.ts';
import { seededRandom } from '../../scripts/test-run/seeded-random.ts';
import { CLI, FLAGS, REGISTER, RESUME } from '../../scripts/tested-form.ts';
import { environment, FIXTURES, recordingIn, createScratchDirectory, runTurntable } from './processes.ts';

const directory = createScratchDirectory();
const KILLS = Number(process.env['TURNTABLE_KILLS'] ?? 5);
const SEED = Number(process.env['TURNTABLE_SEED'] ?? 5);
let count = 0;
const recordings = (): string => join(directory, `recordings ${++count}`);
const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => child.kill('SIGKILL')));

interface PrintedRound {
  readonly round: number;
  readonly phase: number | null;
  readonly wrong?: number;
}

interface StartedProgram {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<PrintedRound>;
  readonly ended: Promise<unknown>;
  stderr(): string;
}

/** Starts a program without a parent process in between, so that a kill hits the program. */
function startProgram(env: NodeJS.ProcessEnv, ...command: readonly string[]): StartedProgram {
  const child = spawn(process.execPath, [...FLAGS, ...command], {
    cwd: FIXTURES,
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return { child, lines: printedRounds(child), ended: once(child, 'exit'), stderr: () => stderr };
}

/** Reads from the start: output that is unread when a process ends is lost. */
function printedRounds(child: ChildProcess): AsyncIterator<PrintedRound> {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await lines.next();
      return done === true ? { value: undefined, done } : { value: JSON.parse(value) as PrintedRound };
    },
  };
}

function startRecorded(into: string, rounds: number): StartedProgram {
  return startProgram({ TURNTABLE_RECORDINGS: into }, '--import', REGISTER, 'enduring.ts', `${rounds}`);
}

function resumeProgram(from: string, into = 'off'): StartedProgram {
  return startProgram({ TURNTABLE_RESTORE: from, TURNTABLE_RECORDINGS: into }, '--import', REGISTER, RESUME);
}

/** Phases of the last recording, after checking that all its snapshots are intact. */
function intactPhases(recording: string): number[] {
  const opened = openRecording(recording);
  const phases = opened.snapshots().map(({ phase }) => phase);
  for (const phase of phases) {
    using snapshot = opened.readSnapshot(phase);
    snapshot.verify();
  }
  expect(opened.damagedSnapshots).toEqual([]);
  return phases;
}

describe('a killed program', () => {
  it(
    `resumes ${KILLS} times from a snapshot no older than the last one it reported as written`,
    { timeout: 60_000 + KILLS * 20_000 },
    async () => {
      const into = recordings();
      const next = seededRandom(SEED);
      let running = startRecorded(into, 1e6);
      /** The last round that it reported as written. */
      let known = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const limit = Math.floor(next() * 4);
        const after = next() * (limit === 0 ? 1200 : 25);
        let isFirst = true;
        for (let i = 0; i < limit; i++) {
          const { value } = (await running.lines.next()) as { value: PrintedRound };
          // The error output is complete only after the end.
          if (value === undefined) await running.ended;
          expect(value, running.stderr()).toMatchObject({ round: expect.any(Number), phase: expect.any(Number) });
          // It resumes from the last reported round or from a later one that was written but not reported.
          if (isFirst) expect(value.round, `kill ${kill}`).toBeGreaterThanOrEqual(known);
          isFirst = false;
          known = value.round;
        }
        await new Promise((resolve) => setTimeout(resolve, after));
        running.child.kill('SIGKILL');
        await running.ended;
        for (
          let remaining = await running.lines.next();
          remaining.done !== true;
          remaining = await running.lines.next()
        ) {
          expect(remaining.value.wrong).toBeUndefined();
          known = remaining.value.round;
        }
        const all = listRecordings(into).filter(({ directory: each }) => readdirSync(each).includes('manifest.json'));
        for (const { directory: each } of all.slice(-2)) intactPhases(each);
        running = known === 0 ? startRecorded(into, 1e6) : resumeProgram(into, into);
      }
      running.child.kill('SIGKILL');
      expect(known).toBeGreaterThan(0);
    },
  );
});

const PRLIMIT = 'prlimit';
const hasPrlimit = spawnSync(PRLIMIT, ['--version']).status === 0;

/** Limits the size of files that the process writes from now on, in bytes. */
function limitFiles({ pid }: ChildProcess, size: number | 'unlimited'): void {
  expect(spawnSync(PRLIMIT, ['--pid', `${pid}`, `--fsize=${size}:unlimited`]).status).toBe(0);
}

describe('a full disk', () => {
  it.skipIf(!hasPrlimit)('costs one warning and the snapshots of that time; later snapshots succeed', async () => {
    const into = recordings();
    const { child, lines, ended, stderr } = startRecorded(into, 1e6);
    const phases: number[] = [];
    const next = async (): Promise<number | null> => {
      const { value } = (await lines.next()) as { value: PrintedRound };
      if (value.phase !== null) phases.push(value.phase);
      return value.phase;
    };
    for (let i = 0; i < 3; i++) expect(await next()).not.toBeNull();
    limitFiles(child, 1000);
    while ((await next()) !== null);
    // Written snapshots stay; later ones fail without further warnings.
    for (let i = 0; i < 3; i++) expect(await next()).toBeNull();
    limitFiles(child, 'unlimited');
    while ((await next()) === null);
    for (let i = 0; i < 2; i++) expect(await next()).not.toBeNull();
    child.kill('SIGKILL');
    await ended;
    expect(stderr().match(/TT_RECORDING_WRITE|Warning:/g)).toEqual([expect.any(String)]);
    expect(stderr()).toMatch(/recording to .*EFBIG.*existing snapshots stay usable, and each trigger tries again/);
    expect(intactPhases(recordingIn(into))).toEqual(expect.arrayContaining(phases));
    const resumedProgram = resumeProgram(into);
    const { value } = (await resumedProgram.lines.next()) as { value: PrintedRound };
    expect(value.phase).toBeGreaterThanOrEqual(phases.at(-1)!);
    resumedProgram.child.kill('SIGKILL');
  });
});

describe('a small recording', () => {
  const into = recordings();
  let recording = '';
  const fileOf = (copy: string, phase: number): string => join(copy, 'snapshots', `000000000${phase}.tts`);

  beforeAll(async () => {
    await startRecorded(into, 3).ended;
    recording = recordingIn(into);
    expect(intactPhases(recording)).toEqual([1, 2, 3]);
  });

  function copied(): string {
    const copy = join(directory, `copy ${++count}`);
    cpSync(recording, copy, { recursive: true });
    return copy;
  }

  it('resumes from the previous snapshot when the last one is damaged, unless the last one is requested', async () => {
    const copy = copied();
    const file = fileOf(copy, 3);
    const bytes = readFileSync(file);
    const next = seededRandom(SEED);
    const offsets = [0, 1, bytes.length - 1, ...Array.from({ length: 120 }, () => Math.floor(next() * bytes.length))];
    for (const [i, at] of offsets.entries()) {
      const damaged = i % 2 === 0 ? bytes.subarray(0, at) : Buffer.from(bytes);
      if (i % 2 === 1) damaged[at]! ^= 1 << Math.floor(next() * 8);
      writeFileSync(file, damaged);
      await expect(loadRestorable(copy, { phase: 3 }), `at ${at}`).rejects.toBeInstanceOf(RecordingError);
      expect((await loadRestorable(copy)).snapshot.phase).toBe(2);
    }
    const { stdout, stderr, status } = runTurntable(FIXTURES, ['restore', copy, '--phase', '3']);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toMatch(/^turntable restore: .*0000000003\.tts .*\n$/);
    expect(runTurntable(FIXTURES, ['restore', '--trusted', copy]).stdout).toBe(
      '{"round":2,"phase":2}\n{"round":3,"phase":null}\n',
    );
  });

  it('is refused when its manifest or a required source is damaged, with the name of the file', () => {
    const copy = copied();
    const sources = join(copy, 'sources');
    for (const name of readdirSync(sources)) writeFileSync(join(sources, name), 'text');
    expect(runTurntable(FIXTURES, ['restore', copy, '--code', 'recorded'])).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^turntable restore: .*\.zst is damaged at byte 0: .*\n$/),
      status: 1,
    });
    const manifest = join(copy, 'manifest.json');
    writeFileSync(manifest, readFileSync(manifest).subarray(0, 200));
    expect(runTurntable(FIXTURES, ['restore', copy])).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(
        /^turntable restore: .*manifest\.json is damaged at byte 0: expected JSON in UTF-8.*\n$/,
      ),
      status: 1,
    });
  });

  it.skipIf(process.platform === 'win32')('is refused without read permission', () => {
    const copy = copied();
    chmodSync(copy, 0);
    // Root may read everything, so run as another user.
    const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const { stderr, status } = spawnSync(process.execPath, [...FLAGS, CLI, 'restore', copy], {
      cwd: '/',
      encoding: 'utf8',
      env: { ...environment, NODE_COMPILE_CACHE: '' },
      ...user,
    });
    chmodSync(copy, 0o700);
    expect(stderr).toMatch(/^turntable restore: .*(?:EACCES|permission denied|no file|no state)/);
    expect(status).not.toBe(0);
  });

  it('resumes in two processes at once, each with its own new recording', async () => {
    const otherRecordings = recordings();
    const both = [resumeProgram(recording, otherRecordings), resumeProgram(recording, otherRecordings)];
    for (const { lines, ended } of both) {
      expect(await lines.next()).toEqual({ value: { round: 3, phase: 3 } });
      await ended;
    }
    expect(listRecordings(otherRecordings)).toHaveLength(2);
    expect(intactPhases(recording)).toEqual([1, 2, 3]);
  });
});
