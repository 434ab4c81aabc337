// Damaged and foreign recordings: `turntable debug` either moves through the intact part or says why it cannot.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording } from '@turntable/recording';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Random } from '../../bench/savina/random.ts';
import { root } from '../../scripts/node-release.mjs';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { record, recordingIn, runTurntable, type TurntableResult } from '../replay/record-and-replay.ts';
import { editManifest, unendRecording } from '../recordings/edit-manifest.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const FAULTS = Number(process.env['TURNTABLE_FAULTS'] ?? inSoak(1, 2));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-damaged-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;
let whole = '';

beforeAll(() => {
  // A copy of the program, so that a test can change it after recording.
  cpSync(PROGRAMS, join(scratch, 'programs'), { recursive: true });
  record(join(scratch, 'whole'), [join(scratch, 'programs/steps.mjs')]);
  record(join(scratch, 'selling'), [join(PROGRAMS, 'selling.ts')]);
  whole = recordingIn(join(scratch, 'selling'));
});

function copyOf(directory: string): string {
  const copy = join(scratch, `copy-${++count}`);
  cpSync(directory, copy, { recursive: true });
  return copy;
}

const LINES = ['goto end', 'back turn', 'step', 'locals', 'run', 'forward task', 'info position'];

function debugSession(directory: string, args: readonly string[] = []): TurntableResult {
  return runTurntable(['debug', directory, ...args], { input: LINES.map((line) => `${line}\n`).join('') });
}

/** `usable` if the session can move in the recording, `refused` if it fails with a short explanation. */
function outcomeOf({ stdout, stderr, status }: TurntableResult): string {
  if (/^\s+at .*\d+:\d+/m.test(stderr)) return `a stack: ${stderr}`;
  if (/: \d+ tasks? on \d+ thread/.test(stdout) && stderr === '')
    return /the replay diverges there/.test(stdout) ? 'differs' : 'usable';
  if (status === 1 && stdout === '' && stderr.startsWith('turntable debug: ')) return 'refused';
  return JSON.stringify({ stdout, stderr, status });
}

const EITHER = /^(?:usable|refused)$/;

function fileIn(copy: string, folder: string, which: number): string {
  const files = readdirSync(join(copy, folder)).toSorted();
  return join(copy, folder, files[which % files.length] as string);
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  writeFileSync(file, bytes);
}

describe('a recording', () => {
  it('is usable when it is intact', () => {
    expect(outcomeOf(debugSession(whole))).toBe('usable');
  });

  it.for(Array.from({ length: FAULTS }, (_, i) => i))('is usable or refused when a trace is truncated: %i', (i) => {
    const random = new Random(11 + i);
    random.spend(20);
    const copy = copyOf(whole);
    const file = fileIn(copy, 'traces', random.below(1000));
    truncateSync(file, random.below(statSync(file).size));
    expect(outcomeOf(debugSession(copy)), file).toMatch(EITHER);
  });

  it.for(Array.from({ length: FAULTS }, (_, i) => i))(
    'is usable or refused when a byte of a trace is changed: %i',
    (i) => {
      const random = new Random(23 + i);
      random.spend(20);
      const copy = copyOf(whole);
      const file = fileIn(copy, 'traces', random.below(1000));
      flip(file, random.below(statSync(file).size));
      expect(outcomeOf(debugSession(copy)), file).toMatch(EITHER);
    },
  );

  it('is usable at its end when its process was killed, and workers have recorded more than the main thread', () => {
    const into = join(scratch, 'bank');
    record(into, [fileURLToPath(new URL('../recordings/fixtures/bank.ts', import.meta.url)), '2', '2000']);
    const killed = recordingIn(into);
    unendRecording(killed);
    const file = join(killed, 'traces/0000000000-0.0.ttt');
    truncateSync(file, Math.floor(statSync(file).size / 2));
    const lines = ['goto end', 'where', 'back turn', 'reverse-next', 'where', 'forward task', 'info position'];
    const { stdout, stderr } = runTurntable(['debug', killed], { input: lines.map((line) => `${line}\n`).join('') });
    expect(stdout).toMatch(/, turn \d+/);
    expect(stdout + stderr).not.toMatch(/no progress/);
  });

  it('is usable from the start when its snapshot is damaged or missing', () => {
    const [damaged, without] = [copyOf(whole), copyOf(whole)];
    const file = fileIn(damaged, 'snapshots', 0);
    flip(file, Math.floor(statSync(file).size / 2));
    rmSync(fileIn(without, 'snapshots', 0));
    expect([damaged, without].map((each) => outcomeOf(debugSession(each)))).toEqual(['usable', 'usable']);
  });

  // Tests of bundles or builds only: otherwise the sources are the same version.
  it.skipIf(process.env['TURNTABLE_TESTED'] === 'source')(
    'is usable from the start, with a warning, when none of its snapshots can be restored here',
    () => {
      const other = ['-C', 'turntable-source', join(root, 'packages/turntable/src/cli.ts')];
      const into = join(scratch, 'other');
      spawnSync(process.execPath, [...other, 'record', '--recordings', into, join(PROGRAMS, 'selling.ts')]);
      const lines = [
        'break clerks.ts:8',
        'goto end',
        'reverse-continue',
        'print this.sum',
        'last-write this.sum',
        'step',
        'next',
      ];
      const input = lines.map((line) => `${line}\n`).join('');
      const { stdout, stderr, status } = runTurntable(['debug', recordingIn(into)], { input });
      const actual = stdout.match(/^ +clerks\.ts:\d+:\d+|^\d+$/gm)?.map((each) => each.trim());
      expect({ actual, status }).toEqual({
        actual: ['clerks.ts:8:5', '60', 'clerks.ts:8:5', 'clerks.ts:9:5', 'clerks.ts:23:7'],
        status: 0,
      });
      expect(stderr.match(/skipping snapshots, replaying from the start: .*/g)).toEqual([
        expect.stringContaining('cannot start a replay process: the program differs from the captured program'),
      ]);
    },
  );

  it('is refused when its traces, sources or manifest are missing', () => {
    for (const name of ['traces', 'sources', 'manifest.json']) {
      const copy = copyOf(whole);
      rmSync(join(copy, name), { recursive: true });
      expect(outcomeOf(debugSession(copy)), name).toBe('refused');
    }
  });

  it('is refused when its manifest is truncated', () => {
    const copy = copyOf(whole);
    truncateSync(join(copy, 'manifest.json'), 100);
    const { stderr } = debugSession(copy);
    expect(stderr).toMatch(/^turntable debug: .*manifest\.json/);
  });

  it('of another version of Node is refused unless forced', () => {
    const copy = copyOf(whole);
    editManifest(copy, ({ versions }) => ({ versions: { ...versions, node: '22.1.0' } }));
    const refused = debugSession(copy);
    expect(outcomeOf(refused)).toBe('refused');
    expect(refused.stderr).toContain('it was recorded by Node 22.1.0');
    expect(refused.stderr).toMatch(/\ntry it anyway with --force\n$/);
    expect(outcomeOf(debugSession(copy, ['--force']))).toBe('usable');
  });

  it('keeps the code that it was made with when the program changes', () => {
    const directory = recordingIn(join(scratch, 'whole'));
    const before = debugSession(directory, ['--rebuild']);
    writeFileSync(join(scratch, 'programs/steps.mjs'), 'throw new Error("another program");\n');
    expect(debugSession(directory, ['--rebuild'])).toEqual(before);
    expect(openRecording(directory).manifest.entry).toContain('steps.mjs');
  });
});
