// The report of a diverged replay: the first event that differs, the recorded and the actual event, the turn
// and its message, the line of the program, and a likely cause. Each test changes the code to diverge in a different
// way.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FIXTURES, record, runTurntable } from './record-and-replay.ts';
import { formatReplayReport, type ReplayReport } from '../../packages/replayer/src/replay/replay-report.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const into = join(directory, 'recordings');
const FILES = ['differing.ts', 'differing-cart.ts'] as const;
const restore = (): void => FILES.forEach((file) => copyFileSync(join(FIXTURES, file), join(directory, file)));
beforeAll(() => {
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(directory, 'node_modules'));
  restore();
  record(into, ['differing.ts'], {}, directory);
});

interface ChangedReplay {
  readonly status: number | null;
  readonly text: string;
  readonly report: ReplayReport;
}

/** The report without what depends on the clock: lengths of rounds, and when a message was ingested between them. */
function withoutTimes(text: string): string {
  return text
    .replace(/^diverged: .*\n/, '')
    .replace(/event \d+/, 'event N')
    .replace(/round-length \d+ after .*|\d+ messages? of .* taken after .*/, 'an event of the host')
    .replace(/after \d+ rounds and \d+ steps/, 'after so many rounds and steps')
    .replace(/, after \d+ predicted/, '');
}

/** Replays the recording after replacing a text in one of the files. */
function replayChanged(file: (typeof FILES)[number], from: string, to: string): ChangedReplay {
  const path = join(directory, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  const args = ['replay', into, '--code', 'current', '--console', 'mute', '--json'];
  const { status, stdout } = runTurntable(args, { cwd: directory });
  restore();
  const report = JSON.parse(stdout) as ReplayReport;
  expect(report.divergence?.cause).toContain(file);
  return { status, text: withoutTimes(formatReplayReport(report)), report };
}

test('is the same while the code is unchanged', () => {
  expect(runTurntable(['replay', into, '--code', 'current'], { cwd: directory })).toMatchObject({
    status: 0,
    stdout: '2 true\nlate\n',
    stderr: expect.stringMatching(/^same: /) as string,
  });
});

test('reports a different request to the machine', () => {
  const { status, text, report } = replayChanged(
    'differing.ts',
    'console.log(total',
    'console.log(performance.now(), total',
  );
  expect(status).toBe(3);
  expect(text).toMatchInlineSnapshot(`
    "first at event N of the main thread, turn 2, the main program, at an answer from worker 1, differing.ts:11:25
      recorded: the program reads date
      now:      the program reads performance
      likely:   the code has changed: differing.ts
    "
  `);
  expect(report.divergence).toMatchObject({
    worker: 0,
    epoch: 0,
    actor: 'the main program',
    location: 'differing.ts:11:25',
  });
});

test('reports an import of a deleted file', () => {
  rmSync(join(directory, 'differing-cart.ts'));
  const args = ['replay', into, '--code', 'current', '--console', 'mute', '--json'];
  const { status, stdout } = runTurntable(args, { cwd: directory });
  restore();
  const { divergence } = JSON.parse(stdout) as ReplayReport;
  expect({ status, cause: divergence?.cause }).toEqual({
    status: 3,
    cause: expect.stringContaining('differing-cart.ts'),
  });
  expect(divergence?.actual).toContain("import ./differing-cart.ts: Cannot find module '");
});

test('reports a different host call', () => {
  expect(
    replayChanged('differing.ts', "readFileSync(new URL(import.meta.url), 'utf8')", 'String(readFileSync.length)').text,
  ).toMatchInlineSnapshot(`
    "first at event N of the main thread, turn 0, the main program, differing.ts:8:34
      recorded: the program uses device: a call → '// Is recorded, and then changed in one way or another.\\nimpo'... 448 more characters
      now:      the program uses device: property length of fs.readFileSync
      likely:   the code has changed: differing.ts
    "
  `);
});

test('reports an actor that reads the clock where it did not', () => {
  const { text, report } = replayChanged(
    'differing-cart.ts',
    'this.#items.set(item',
    'Date.now(), this.#items.set(item',
  );
  expect(text).toMatchInlineSnapshot(`
    "first at event N of worker 1, turn 2, Cart#1.add for the main thread, differing-cart.ts:10:10
      recorded: an event of the host
      now:      the program reads date
      likely:   the code has changed: differing-cart.ts
    "
  `);
  expect(report.divergence).toMatchObject({
    worker: 1,
    actor: 'Cart#1',
    message: { method: 'add', from: 'the main thread' },
  });
});

test('reports a message that is no longer sent', () => {
  expect(replayChanged('differing.ts', 'await cart.total()', '2').text).toMatchInlineSnapshot(`
    "first at event N of the main thread, turn 1, the main program, at an answer from worker 1, differing.ts:11:20
      recorded: an event of the host
      now:      the program reads date
      likely:   the code has changed: differing.ts
    "
  `);
});

test('reports an uncaught error of a program without trace events', () => {
  const file = join(directory, 'well.mjs');
  writeFileSync(file, "console.log('well');");
  const recordings = join(directory, 'well');
  record(recordings, ['well.mjs'], {}, directory);
  const replayCurrent = (): ReplayReport => {
    const args = ['replay', recordings, '--code', 'current', '--console', 'mute', '--json'];
    return JSON.parse(runTurntable(args, { cwd: directory }).stdout) as ReplayReport;
  };
  expect(replayCurrent().verdict).toBe('same');
  writeFileSync(file, "throw new RangeError('not well');");
  const { verdict, divergence } = replayCurrent();
  expect({ verdict, expected: divergence?.expected, actual: divergence?.actual }).toEqual({
    verdict: 'diverged',
    expected: 'the process ends with exit code 0',
    actual: 'it ends with exit code 1: RangeError: not well',
  });
});

test('reports a program that ends early', () => {
  expect(replayChanged('differing.ts', "setTimeout(() => console.log('late'), 1)", '').text).toMatchInlineSnapshot(`
    "first at event N of the main thread, turn 2, the main program
      recorded: timer calls (its callback 1) after so many rounds and steps
      now:      the thread has no work left
      likely:   the code has changed: differing.ts
    "
  `);
});
