// A replay is the same only if it prints the same: to standard output and standard error, on each thread, between the
// same events.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeSource } from './change-source.ts';
import { differences, record, recordingIn, replay, runTurntable, type TurntableResult } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-output-'));
const into = join(directory, 'recordings');
let recorded: TurntableResult;
beforeAll(() => void (recorded = record(into, ['printing.ts'])));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let copies = 0;
function changed(from: string, to: string, file = 'printing.ts'): string {
  const copy = join(directory, `copy-${++copies}`);
  cpSync(recordingIn(into), copy, { recursive: true });
  changeSource(copy, file, from, to);
  return copy;
}

test('output that is the same is no divergence, with warnings and the output of a child beside it', () => {
  const replayed = replay(into);
  expect(replayed.report.divergence).toBeNull();
  expect(differences(recorded, { ...replayed, output: recorded.stdout })).toEqual([]);
  expect(replayed.report.unseenOutput).toEqual(['child processes']);
  expect(runTurntable(['replay', into, '--console', 'mute']).stderr).toContain(
    '\nnot compared: output of child processes\n',
  );
});

test('what exit listeners of a worker print is replayed', () => {
  const listening = join(directory, 'listening');
  const program = record(listening, ['exit-listening.ts']);
  expect(program.stdout).toMatch(/^worker exits 0 \d+\n$/);
  expect(differences(program, replay(listening))).toEqual([]);
});

describe('a program that prints something else has diverged', () => {
  test.each([
    [
      'by console.log',
      "log('first')",
      "log('other')",
      /^the program prints \d+ bytes to standard output with the checksum [0-9a-f]{8}/,
    ],
    [
      'of another length',
      "log('first')",
      "log('longer than before')",
      /^the program prints \d+ bytes to standard output/,
    ],
    ['as bytes', "from('bytes", "from('BYTES", /to standard output/],
    ['to a descriptor', "'descriptor", "'DESCRIPTOR", /to standard output/],
    ['to standard error', "'to standard error'", "'to standard ERROR'", /to standard error/],
    ['as its last output', "log('last')", "log('LAST')", /^the program prints 5 bytes to standard output/],
    ['or nothing', "console.log('first');", '', /to standard output/],
  ])('%s', (_, from, to, expected) => {
    const { report, status } = replay(changed(from, to));
    expect({ status, verdict: report.verdict, worker: report.divergence?.worker }).toEqual({
      status: 3,
      verdict: 'diverged',
      worker: 0,
    });
    expect(report.divergence?.isInOutput).toBe(true);
    expect(report.divergence?.expected).toMatch(expected);
  });

  test('on a worker', () => {
    const { report } = replay(changed('worker: ${', 'WORKER: ${', 'printing-actor.ts'));
    expect(report.divergence).toMatchObject({ worker: 1, isInOutput: true });
  });

  test('and the report says before which event', () => {
    expect(runTurntable(['replay', changed("log('last')", "log('final')"), '--console', 'mute']).stderr).toMatch(
      /\nfirst before event \d+ of the main thread, .*\n {2}recorded: the program prints 5 bytes to standard output\n {2}now: {6}the program prints 6 bytes to standard output\n/,
    );
  });

  test('also where the run index is built', () => {
    const tasks = runTurntable(['tasks', changed("log('first')", "log('other')"), '--rebuild']);
    expect(tasks.status).toBe(3);
  });
});

test('changed code may print something else, which is reported', () => {
  const program = join(directory, 'hello.mjs');
  const recordings = join(directory, 'current');
  writeFileSync(program, "console.log('hello');\nawait new Promise((resolve) => setTimeout(resolve, 1));\n");
  record(recordings, [program]);
  writeFileSync(program, readFileSync(program, 'utf8').replace('hello', 'good day'));
  const { report, status, output } = replay(recordings, ['--code', 'current']);
  expect({ status, verdict: report.verdict, output }).toEqual({ status: 0, verdict: 'same', output: 'good day\n' });
  expect(report.otherOutput).toEqual({ worker: 0, event: expect.any(Number) as number, isLast: false });
  expect(runTurntable(['replay', recordings, '--code', 'current', '--console', 'mute']).stderr).toMatch(
    /^same: .*\nit prints something else than recorded, first before event \d+ of the main thread\n$/,
  );
  expect(replay(recordings).report).toMatchObject({ verdict: 'same', otherOutput: null });
});
