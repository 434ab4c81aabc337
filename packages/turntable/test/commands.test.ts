// Usage errors of all commands.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { debugCommand } from '../src/commands/debug.ts';
import { exportCommand } from '../src/commands/export.ts';
import { inspect } from '../src/commands/inspect.ts';
import { pack } from '../src/commands/pack.ts';
import { record } from '../src/commands/record.ts';
import { restoreCommand } from '../src/commands/restore.ts';
import { run } from '../src/commands/run.ts';
import { replayCommand } from '../src/commands/replay.ts';
import { parseReplayLimit } from '../../replayer/src/replay/replay-limit.ts';
import { tasksCommand } from '../src/commands/tasks.ts';
import { unpack } from '../src/commands/unpack.ts';

type Command = (args: readonly string[]) => number | Promise<number>;

const PROGRAM_COMMANDS: Readonly<Record<string, Command>> = { record, restore: restoreCommand, run };

const COMMANDS: Readonly<Record<string, Command>> = {
  debug: debugCommand,
  export: exportCommand,
  inspect: inspect,
  pack: pack,
  replay: replayCommand,
  tasks: tasksCommand,
  unpack: unpack,
};

/** Runs a command; returns the exit code and standard error. */
async function runCommand(name: string, args: readonly string[]): Promise<readonly [number, string]> {
  const { write } = process.stderr;
  let stderrText = '';
  process.stderr.write = (text: string | Uint8Array): boolean => {
    stderrText += String(text);
    return true;
  };
  try {
    const command = PROGRAM_COMMANDS[name] ?? COMMANDS[name];
    return [(await command?.(args)) ?? -1, stderrText];
  } finally {
    process.stderr.write = write;
  }
}

test.each(Object.keys(COMMANDS))('%s names a missing or unknown argument', async (name) => {
  // Without --repl, debug opens the start page if there is no recording.
  const nothing = name === 'debug' ? ['--repl'] : [];
  const hint = `\nRun turntable ${name} --help\n`;
  expect(await runCommand(name, nothing)).toEqual([2, expect.stringMatching(`^turntable ${name}: which .*${hint}$`)]);
  expect(await runCommand(name, ['--nothing'])).toEqual([2, `turntable ${name}: unknown option --nothing${hint}`]);
  expect(await runCommand(name, ['--hlep'])).toEqual([
    2,
    `turntable ${name}: unknown option --hlep; did you mean --help?${hint}`,
  ]);
  expect(await runCommand(name, ['one', 'two', 'three'])).toEqual([
    2,
    expect.stringMatching(/give one .*, without (?:two )?three/),
  ]);
});

test('--until takes limits in the words of printed traces', () => {
  const startTime = (): number => 1_000_000;
  const until = (text: string): unknown => parseReplayLimit(text, startTime);
  expect(until('7')).toEqual({ kind: 'phase', phase: 7 });
  expect(until('phase=7')).toEqual(until('7'));
  expect(until('event=340')).toEqual({ kind: 'event', worker: 0, event: 340 });
  expect(until('worker=2,event=340')).toEqual({ kind: 'event', worker: 2, event: 340 });
  expect(until('turn=12,worker=2')).toEqual({ kind: 'turn', worker: 2, turn: 12 });
  expect(until('actor=Cart#12')).toEqual({ kind: 'actor', actor: 'Cart#12', turn: 0 });
  expect(until('actor=Cart#12,turn=5')).toEqual({ kind: 'actor', actor: 'Cart#12', turn: 5 });
  expect(until('time=2026-11-22T12:00:03Z')).toEqual({ kind: 'time', time: Date.UTC(2026, 10, 22, 12, 0, 3) });
  expect(until('time=+3.5s')).toEqual({ kind: 'time', time: 1_003_500 });
  expect(until('time=+2ms')).toEqual({ kind: 'time', time: 1_000_002 });
  expect(until('error')).toEqual({ kind: 'error' });
  for (const wrong of [
    '',
    'x',
    '7,8',
    'turn',
    'turn=x',
    'event=1,turn=2',
    'phase=7,worker=1',
    'actor=',
    'time=soon',
    'time=+3',
    'error=1',
  ])
    expect(until(wrong), wrong).toBeUndefined();
});

test('usage errors name the argument and the valid values', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const nowhere = join(directory, 'nowhere');
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['debug', [directory, '--port', '70000'], '--port must be a port number, not "70000"'],
    ['debug', [directory, '--stdio', '--serve'], '--stdio cannot be combined with another interface'],
    ['debug', [directory, '--phase', 'x'], '--phase must be the number of a snapshot, not "x"'],
    ['debug', [directory, '--window', '--rebuild'], '--window cannot be combined with other options'],
    ['debug', ['--port', '0'], 'which recording?'],
    ['debug', ['--connect', 'http://x'], '--connect must be an address that --serve prints, not "http://x"'],
    ['debug', [directory, '--connect', 'ws://x'], '--connect takes no path, but got '],
    ['export', [directory, '--as', 'pdf'], '--as must be "json" or "chrome", not "pdf"'],
    ['export', [directory, '--json'], '--json prints a summary of the file written with -o FILE'],
    ['export', [nowhere], `there is no directory or packed recording ${nowhere}`],
    ['replay', [nowhere], `there is no directory or packed recording ${nowhere}`],
    ['replay', [import.meta.filename], `${import.meta.filename} is neither a directory nor a packed recording`],
    ['replay', [directory, '--turns', 'a,,b'], '--turns must be actor names separated by commas'],
    ['tasks', [directory, '--actor', 'a,,b'], '--actor must be actor names separated by commas'],
    ['tasks', [directory, '--from', 'x'], '--from must be the number of a task, not "x"'],
    ['replay', [directory, '--until', 'soon'], '--until takes the number of a snapshot, event=340,'],
    ['pack', [nowhere], `there is no directory ${nowhere}`],
    ['inspect', [directory, '--from', '1'], '--worker, --from and --count are for --trace'],
    [
      'inspect',
      [directory, '--trace', '--worker', 'x'],
      '--worker must be the number of a worker, or worker and epoch as in 1.2',
    ],
    ['inspect', [directory, '--trace', '--count', '0'], '--count must be a number of events, not "0"'],
    ['inspect', [directory, '--phase'], '--phase needs a value; write --phase=N'],
    ['export', [directory, '-o', '--json'], '-o needs a value; write --output=FILE'],
    ['replay', [directory, '--json=x'], '--json takes no value, not "x"'],
    ['debug', ['--commands', nowhere, directory], `there is no file ${nowhere}`],
    ['inspect', [nowhere, '--trace'], `there is no state or recording ${nowhere}`],
  ];
  for (const [name, args, message] of cases)
    expect(await runCommand(name, args)).toEqual([2, expect.stringContaining(message)]);
  expect(await runCommand('unpack', [nowhere])).toEqual([2, expect.stringContaining(`there is no file ${nowhere}`)]);
  for (const name of ['debug', 'export', 'inspect', 'pack', 'replay', 'tasks'])
    expect(await runCommand(name, [directory]), name).toEqual([
      1,
      expect.stringContaining(`there is no recording in ${directory}; make one with turntable record FILE`),
    ]);
});

test('a misspelt setting is distinguished from a flag of Node, and a value from the file', async () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['record', ['--snapshot', 'end', 'main.mjs'], 'unknown option --snapshot; did you mean --snapshots?'],
    ['run', ['--recording=x', 'main.mjs'], 'unknown option --recording; did you mean --recordings?'],
    ['run', ['--title', 'own', 'main.mjs'], 'there is no file own; if it is the value of --title, write --title=own'],
    ['run', ['--expose-gc', 'none.mjs'], 'there is no file none.mjs'],
    ['restore', ['--snapshts=x', 'main.mjs'], 'unknown option --snapshts; did you mean --snapshots?'],
    ['restore', ['nowhere'], 'there is no state or recording nowhere'],
  ];
  for (const [name, args, message] of cases)
    expect(await runCommand(name, args)).toEqual([2, expect.stringContaining(`turntable ${name}: ${message}`)]);
});
