// Recordings that are damaged, and such as were made elsewhere: `turntable debug` goes about in what there is of them, or says in words why not.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording, type Manifest } from '@turntable/recording';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Random } from '../../bench/savina/random.ts';
import { root } from '../../scripts/node-release.mjs';
import { record, recordingIn, runTurntable, type TurntableResult } from '../replay/record-and-replay.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const FAULTS = Number(process.env['TURNTABLE_FAULTS'] ?? 2);
const room = mkdtempSync(join(tmpdir(), 'turntable-damaged-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));
let count = 0;
let whole = '';

beforeAll(() => {
  // The program is where it can be changed afterwards.
  cpSync(PROGRAMS, join(room, 'programs'), { recursive: true });
  record(join(room, 'whole'), [join(room, 'programs/steps.mjs')]);
  record(join(room, 'selling'), [join(PROGRAMS, 'selling.ts')]);
  whole = recordingIn(join(room, 'selling'));
});

function copyOf(directory: string): string {
  const copy = join(room, `copy-${++count}`);
  cpSync(directory, copy, { recursive: true });
  return copy;
}

const LINES = ['end', 'back turn', 'next into', 'variables', 'start', 'next task', 'where'];

function looked(directory: string, args: readonly string[] = []): TurntableResult {
  return runTurntable(['debug', directory, ...args], { input: LINES.map((line) => `${line}\n`).join('') });
}

/** `usable`: it can be gone about in; `refused`: it is said in a few lines why not. */
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

function change(directory: string, changed: (manifest: Manifest) => Partial<Manifest>): void {
  const file = join(directory, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  writeFileSync(file, JSON.stringify({ ...manifest, ...changed(manifest) }));
}

describe('a recording', () => {
  it('that is whole is gone about in', () => {
    expect(outcomeOf(looked(whole))).toBe('usable');
  });

  it.for(Array.from({ length: FAULTS }, (_, i) => i))('whose trace is cut off anywhere: %i', (i) => {
    const random = new Random(11 + i);
    random.spend(20);
    const copy = copyOf(whole);
    const file = fileIn(copy, 'traces', random.below(1000));
    truncateSync(file, random.below(statSync(file).size));
    expect(outcomeOf(looked(copy)), file).toMatch(EITHER);
  });

  it.for(Array.from({ length: FAULTS }, (_, i) => i))('of whose trace a byte is another one: %i', (i) => {
    const random = new Random(23 + i);
    random.spend(20);
    const copy = copyOf(whole);
    const file = fileIn(copy, 'traces', random.below(1000));
    flip(file, random.below(statSync(file).size));
    expect(outcomeOf(looked(copy)), file).toMatch(EITHER);
  });

  it('whose snapshot is damaged, or not there, is gone about in from the start', () => {
    const [damaged, without] = [copyOf(whole), copyOf(whole)];
    const file = fileIn(damaged, 'snapshots', 0);
    flip(file, Math.floor(statSync(file).size / 2));
    rmSync(fileIn(without, 'snapshots', 0));
    expect([damaged, without].map((each) => outcomeOf(looked(each)))).toEqual(['usable', 'usable']);
  });

  // Where tests run what was bundled or built, the sources are another version.
  it.skipIf(process.env['TURNTABLE_TESTED'] === 'source')(
    'none of whose snapshots can be begun with here is gone about in from the start, and it is said why',
    () => {
      const other = ['-C', 'turntable-source', join(root, 'packages/turntable/src/cli.ts')];
      const into = join(room, 'other');
      spawnSync(process.execPath, [...other, 'record', '--recordings', into, join(PROGRAMS, 'selling.ts')]);
      const lines = [
        'break clerks.ts:8',
        'end',
        'back breakpoint',
        'print this.sum',
        'wrote this.sum',
        'next into',
        'next',
      ];
      const input = lines.map((line) => `${line}\n`).join('');
      const { stdout, stderr, status } = runTurntable(['debug', recordingIn(into)], { input });
      const actual = stdout.match(/^ +clerks\.ts:\d+:\d+|^\d+$/gm)?.map((each) => each.trim());
      expect({ actual, status }).toEqual({
        actual: ['clerks.ts:8:5', '60', 'clerks.ts:8:5', 'clerks.ts:9:5'],
        status: 0,
      });
      expect(stderr.match(/skipping snapshots, replaying from the start: .*/g)).toEqual([
        expect.stringContaining('cannot start a replay process: what is here is not what was captured'),
      ]);
    },
  );

  it('whose traces, sources or manifest are not there is refused', () => {
    for (const name of ['traces', 'sources', 'manifest.json']) {
      const copy = copyOf(whole);
      rmSync(join(copy, name), { recursive: true });
      expect(outcomeOf(looked(copy)), name).toBe('refused');
    }
  });

  it('whose manifest is cut off is refused', () => {
    const copy = copyOf(whole);
    truncateSync(join(copy, 'manifest.json'), 100);
    const { stderr } = looked(copy);
    expect(stderr).toMatch(/^turntable debug: .*manifest\.json/);
  });

  it('of another version of Node is refused, and tried where one insists', () => {
    const copy = copyOf(whole);
    change(copy, ({ versions }) => ({ versions: { ...versions, node: '22.1.0' } }));
    const refused = looked(copy);
    expect(outcomeOf(refused)).toBe('refused');
    expect(refused.stderr).toContain('it was recorded by Node 22.1.0');
    expect(refused.stderr).toMatch(/\ntry it anyway with --force\n$/);
    expect(outcomeOf(looked(copy, ['--force']))).toBe('usable');
  });

  it('has the code that it was made of, whatever has become of that since', () => {
    const directory = recordingIn(join(room, 'whole'));
    const before = looked(directory, ['--anew']);
    writeFileSync(join(room, 'programs/steps.mjs'), 'throw new Error("another program");\n');
    expect(looked(directory, ['--anew'])).toEqual(before);
    expect(openRecording(directory).manifest.entry).toContain('steps.mjs');
  });
});
