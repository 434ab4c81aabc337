// What ends a program, or comes to its last listeners: exceptions that nobody has caught. Those that no code of the program has thrown come again, too.
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

// One after the other: what is replayed stands in everybody's way meanwhile, and would count as the time of all.
describe('a program', () => {
  it('is told of what nobody has caught when it was, whoever has thrown it', async () => {
    const [plain, recorded] = await Promise.all([
      new ProgramProcess('plain', subjectOf('taken', 'plain')).exited,
      new ProgramProcess('recorded', subjectOf('taken', 'recorded')).exited,
    ]);
    expect(recorded).toEqual(plain);
    expect(plain.stdout.match(/^(?:uncaught|unhandled)/gm)).toHaveLength(20);
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
  ] as const)('ends again by %s, with the same code, and says of what', async ([cause, expectedText]) => {
    const subject = subjectOf('ends', 'recorded', cause);
    const { code, stdout } = await new ProgramProcess('recorded', subject).exited;
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${cause} true\nexit 1 1\n` });
    resetDirectory(subject);
    const { report, output } = replay(subject.recordings, [], EXCLUDED);
    expect(report.verdict, JSON.stringify(report.divergence)).toBe('same');
    expect(output.slice(0, stdout.length)).toBe(stdout);
    expect(output).toContain(expectedText);
  });

  it('goes on where a runner of tests takes care of it, and again without any', async () => {
    const subject = subjectOf('runner', 'recorded');
    const { code, stdout } = await new ProgramProcess('recorded', subject).exited;
    expect(code).toBe(1);
    expect(stdout).toMatch(/pass 1\n[^]*fail 2\n/);
    resetDirectory(subject);
    const { report, output } = replay(subject.recordings, [], EXCLUDED);
    expect(report.verdict, JSON.stringify(report.divergence)).toBe('same');
    expect(output).toContain(stdout);
  });

  it('ends by what a callback throws, and shows the line of the program that has', async () => {
    const subject = { ...subjectOf('ends', 'recorded', 'callback'), file: 'failures/callback.cjs' };
    const plain = await new ProgramProcess('plain', subject).exited;
    expect(plain.stderr).toMatch(/callback\.cjs:5\n {4}throw new RangeError.*\n {4}\^\n\nRangeError/);
    const recorded = await new ProgramProcess('recorded', subject).exited;
    // Who has called from outside is in no stack. V8 knows neither class nor method of a proxy; on Node 24 the receiver is nobody's.
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
  ] as const)('ends again by %s, with exit code %i', async ([cause, code, printed, expectedText]) => {
    const subject = subjectOf('codes', 'recorded', cause);
    const { stderr, ...ended } = await new ProgramProcess('recorded', subject).exited;
    expect(ended, stderr).toEqual({ code, signal: null, stdout: `${cause}\n${printed}` });
    expect(stderr).toContain(expectedText);
    resetDirectory(subject);
    const { report, output } = replay(subject.recordings, [], EXCLUDED);
    expect(report.verdict, JSON.stringify(report.divergence)).toBe('same');
    // Node says so before the program hears of its end.
    const shown = output.replace(/^Warning: Detected unsettled [^]*?\n *\^\n+/m, '');
    expect(shown.slice(0, ended.stdout.length)).toBe(ended.stdout);
    expect(output).toContain(expectedText);
  });
});
