// Uncaught exceptions, which end a program or reach its last-resort listeners. Those not thrown by program code are
// also replayed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { replay } from '../replay/record-and-replay.ts';
import { replayAndCompare, resetDirectory, ProgramProcess, type Subject, type RunMode } from './recorded.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const EXCLUDED = { TURNTABLE_EXCLUDE: '/failures/device' };

const subjectOf = (name: string, mode: RunMode, ...args: string[]): Subject => ({
  file: `failures/${name}.ts`,
  args,
  workingDirectory: join(directory, `${name}${args.join('-')}-${mode}`),
  recordings: join(directory, `${name}${args.join('-')}-recordings`),
  env: EXCLUDED,
});

// Tests run one after the other, because replays compete for the machine and would slow each other down.
describe('an uncaught exception', () => {
  it('reaches the program at the same time in a replay, whether thrown by the program or by Node', async () => {
    const [plain, recorded] = await Promise.all([
      new ProgramProcess('plain', subjectOf('taken', 'plain')).exited,
      new ProgramProcess('recorded', subjectOf('taken', 'recorded')).exited,
    ]);
    expect(recorded).toEqual(plain);
    expect(plain.stdout.match(/^(?:uncaught|unhandled)/gm)).toHaveLength(21);
    const { differences, replay: replayed } = replayAndCompare(subjectOf('taken', 'recorded'), recorded);
    expect(differences).toEqual([]);
    expect(replayed.report.cuts.compared).toBeGreaterThan(0);
  });

  it.for([
    ['socket', 'ECONNREFUSED'],
    ['stream', 'ENOENT'],
    ['rejection', 'Error: rejected by the device\n    at '],
    ['nested', 'SyntaxError'],
    ['timer', 'SyntaxError'],
  ] as const)('ends the replay with the same code and text (%s)', async ([cause, expectedText]) => {
    const subject = subjectOf('ends', 'recorded', cause);
    const { code, stdout } = await new ProgramProcess('recorded', subject).exited;
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${cause} true\nexit 1 1\n` });
    resetDirectory(subject);
    const { report, output } = replay(subject.recordings, [], EXCLUDED);
    expect(report.verdict, JSON.stringify(report.divergence)).toBe('same');
    expect(output.slice(0, stdout.length)).toBe(stdout);
    expect(output).toContain(expectedText);
  });

  it('is handled by the test runner, and replayed without it', async () => {
    const subject = subjectOf('runner', 'recorded');
    const { code, stdout } = await new ProgramProcess('recorded', subject).exited;
    expect(code).toBe(1);
    expect(stdout).toMatch(/pass 1\n[^]*fail 2\n/);
    resetDirectory(subject);
    const { report, output } = replay(subject.recordings, [], EXCLUDED);
    expect(report.verdict, JSON.stringify(report.divergence)).toBe('same');
    expect(output).toContain(stdout);
  });

  it('of a callback ends the program and shows the source line', async () => {
    const subject = { ...subjectOf('ends', 'recorded', 'callback'), file: 'failures/callback.cjs' };
    const plain = await new ProgramProcess('plain', subject).exited;
    expect(plain.stderr).toMatch(/callback\.cjs:5\n {4}throw new RangeError.*\n {4}\^\n\nRangeError/);
    const recorded = await new ProgramProcess('recorded', subject).exited;
    // Native callers are in no stack. V8 does not know class and method of a proxy, and on Node 24 there is no
    // receiver.
    const stderr = plain.stderr.replaceAll(/\n {4}at .* \(node:.*\)/g, '');
    expect(recorded).toEqual({ ...plain, stderr: stderr.replace('ReadFileContext.callback', 'Proxy.<anonymous>') });
    resetDirectory(subject);
    expect(replay(subject.recordings, [], EXCLUDED).output).toContain(
      recorded.stderr.slice(0, recorded.stderr.indexOf('\n\nNode.js')),
    );
  });

  it.for([
    ['handler', 7, 'handled first\n', 'RangeError: of the handler\n    at '],
    ['capture', 7, 'captured first\n', 'RangeError: of the handler\n    at '],
    ['waiting', 13, 'exit 13 13\n', 'failures/codes.ts:32\n'],
    ['alone', 13, '', 'failures/codes.ts:32\n'],
    ['exit', 9, 'exit 3 3\n', ''],
  ] as const)('or another early exit is replayed (%s, exit code %i)', async ([cause, code, printed, expectedText]) => {
    const subject = subjectOf('codes', 'recorded', cause);
    const { stderr, ...ended } = await new ProgramProcess('recorded', subject).exited;
    expect(ended, stderr).toEqual({ code, signal: null, stdout: `${cause}\n${printed}` });
    expect(stderr).toContain(expectedText);
    resetDirectory(subject);
    const { report, output } = replay(subject.recordings, [], EXCLUDED);
    expect(report.verdict, JSON.stringify(report.divergence)).toBe('same');
    // Node prints this warning before the program learns of its end.
    const shown = output.replace(/^Warning: Detected unsettled [^]*?\n *\^\n+/m, '');
    expect(shown.slice(0, ended.stdout.length)).toBe(ended.stdout);
    expect(output).toContain(expectedText);
  });
});
