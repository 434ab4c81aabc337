// Recordings that cannot be opened: the client receives the reason and the flags that override it.
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { record, recordingIn, runTurntable } from '../replay/record-and-replay.ts';
import { editManifest } from '../recordings/edit-manifest.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const PROGRAM = fileURLToPath(new URL('programs/steps.mjs', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-refused-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const key = join(scratch, 'key');
let count = 0;

beforeAll(() => {
  writeFileSync(key, '5a'.repeat(32));
  record(join(scratch, 'whole'), [PROGRAM]);
  record(join(scratch, 'sealed'), ['--key', key, PROGRAM]);
});

function copyOf(name: string): string {
  const copy = join(scratch, `copy-${++count}`);
  cpSync(recordingIn(join(scratch, name)), copy, { recursive: true });
  return copy;
}

function change(directory: string, changed: Parameters<typeof editManifest>[1]): string {
  editManifest(directory, changed);
  return directory;
}

interface Refused {
  readonly reason: string;
  readonly overrides: readonly string[];
}

/** The refusal that the desktop application receives before the process ends. */
function refusal(place: string, args: readonly string[] = []): Refused {
  const { stdout, stderr, status } = runTurntable(['debug', place, '--stdio', ...args]);
  expect(status, stderr).not.toBe(0);
  const [line = '', ...others] = stdout.trimEnd().split('\n');
  expect(others).toEqual([]);
  const { method, params } = JSON.parse(line) as { method: string; params: Refused };
  expect(method).toBe('refused');
  // The terminal shows the same reason.
  expect(stderr).toContain(params.reason);
  return params;
}

test('refuses a path that does not exist or is no recording', () => {
  const nowhere = join(scratch, 'nowhere');
  expect(refusal(nowhere)).toEqual({ reason: `there is no directory or packed recording ${nowhere}`, overrides: [] });
  expect(refusal(PROGRAM)).toEqual({
    reason: `${PROGRAM} is neither a directory nor a packed recording`,
    overrides: [],
  });
  const empty = mkdtempSync(join(scratch, 'empty-'));
  expect(refusal(empty)).toEqual({
    reason: expect.stringContaining(`there is no recording in ${empty}`),
    overrides: [],
  });
});

test("names the file when a recording's manifest, traces or sources are damaged", () => {
  const cut = copyOf('whole');
  truncateSync(join(cut, 'manifest.json'), 100);
  expect(refusal(cut)).toEqual({ reason: expect.stringContaining('manifest.json'), overrides: [] });
  const without = copyOf('whole');
  rmSync(join(without, 'traces'), { recursive: true });
  expect(refusal(without)).toEqual({ reason: expect.stringContaining('it has no traces'), overrides: [] });
  const texts = copyOf('whole');
  rmSync(join(texts, 'sources'), { recursive: true });
  expect(refusal(texts)).toEqual({ reason: expect.stringContaining('it lacks the sources of'), overrides: [] });
});

test('refuses a truncated packed recording and names the file', () => {
  const packed = join(scratch, 'packed.ttr');
  expect(runTurntable(['pack', recordingIn(join(scratch, 'whole')), '-o', packed]).status).toBe(0);
  truncateSync(packed, Math.floor(statSync(packed).size / 2));
  expect(refusal(packed)).toEqual({ reason: expect.stringContaining(packed), overrides: [] });
});

test('refuses a recording of a later version', () => {
  const later = change(copyOf('whole'), () => ({ version: 99 }));
  expect(refusal(later)).toEqual({ reason: expect.stringContaining('99'), overrides: [] });
  const trace = copyOf('whole');
  const [name = ''] = readdirSync(join(trace, 'traces'));
  const bytes = readFileSync(join(trace, 'traces', name));
  bytes.writeUInt16LE(99, 4);
  writeFileSync(join(trace, 'traces', name), bytes);
  expect(refusal(trace)).toEqual({ reason: expect.stringContaining('format 99'), overrides: [] });
});

test('refuses a recording whose replay may diverge, unless forced', () => {
  const other = change(copyOf('whole'), (manifest) => ({
    versions: { ...manifest.versions, node: '22.1.0' },
  }));
  expect(refusal(other)).toEqual({
    reason: expect.stringMatching(/it was recorded by Node 22\.1\.0, and this is [\d.]+; use the same minor version$/),
    overrides: ['force'],
  });
  const { stdout, status } = runTurntable(['debug', other, '--stdio', '--force'], { input: '' });
  expect([stdout, status]).toEqual(['', 0]);
});

test('refuses a sealed recording without its key', () => {
  const sealed = copyOf('sealed');
  expect(refusal(sealed)).toEqual({ reason: expect.stringContaining('key'), overrides: ['key'] });
  const { stdout, status } = runTurntable(['debug', sealed, '--stdio', '--key', key], { input: '' });
  expect([stdout, status]).toEqual(['', 0]);
});
