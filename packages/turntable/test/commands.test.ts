// What commands say of themselves, and what they say of what they cannot do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { debugCommand, DEBUG_USAGE } from '../src/commands/debug.ts';
import { exportCommand, EXPORT_USAGE } from '../src/commands/export.ts';
import { inspect, INSPECT_USAGE } from '../src/commands/inspect.ts';
import { pack, PACK_USAGE } from '../src/commands/pack.ts';
import { record } from '../src/commands/record.ts';
import { restoreCommand } from '../src/commands/restore.ts';
import { run } from '../src/commands/run.ts';
import { replayCommand, REPLAY_USAGE } from '../src/commands/replay.ts';
import { parseReplayLimit } from '../../replayer/src/replay/replay-limit.ts';
import { turnsCommand, TURNS_USAGE } from '../src/commands/turns.ts';
import { unpack, UNPACK_USAGE } from '../src/commands/unpack.ts';

type Command = (args: readonly string[]) => number | Promise<number>;

const PROGRAM_COMMANDS: Readonly<Record<string, Command>> = { record, restore: restoreCommand, run };

const COMMANDS: Readonly<Record<string, readonly [Command, string]>> = {
  debug: [debugCommand, DEBUG_USAGE],
  export: [exportCommand, EXPORT_USAGE],
  inspect: [inspect, INSPECT_USAGE],
  pack: [pack, PACK_USAGE],
  replay: [replayCommand, REPLAY_USAGE],
  turns: [turnsCommand, TURNS_USAGE],
  unpack: [unpack, UNPACK_USAGE],
};

/** The exit code, and what is said on standard error. */
async function runCommand(name: string, args: readonly string[]): Promise<readonly [number, string]> {
  const { write } = process.stderr;
  let stderrText = '';
  process.stderr.write = (text: string | Uint8Array): boolean => {
    stderrText += String(text);
    return true;
  };
  try {
    const command = PROGRAM_COMMANDS[name] ?? COMMANDS[name]?.[0];
    return [(await command?.(args)) ?? -1, stderrText];
  } finally {
    process.stderr.write = write;
  }
}

test.each(Object.keys(COMMANDS))('%s says what it takes, with examples, and what it lacks', async (name) => {
  const [, usage] = COMMANDS[name] ?? [];
  expect(usage).toMatch(new RegExp(`^Usage: turntable ${name} [^]*\n\n {2}turntable `));
  // Without a recording, debug asks which one in a window.
  const nothing = name === 'debug' ? ['--repl'] : [];
  expect(await runCommand(name, nothing)).toEqual([2, expect.stringContaining(`turntable ${name}: which `)]);
  expect(await runCommand(name, ['--nothing'])).toEqual([2, expect.stringContaining("Unknown option '--nothing'")]);
  expect(await runCommand(name, ['one', 'two', 'three'])).toEqual([
    2,
    expect.stringMatching(/one .* at a time, not (?:two )?three too/),
  ]);
});

test('how far a run again goes is said in the words in which traces are shown', () => {
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

test('what is asked for in vain is named, with what there is', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const nowhere = join(directory, 'nowhere');
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['debug', [directory, '--port', '70000'], '--port takes the number of a port, not "70000"'],
    [
      'debug',
      [directory, '--stdio', '--serve'],
      "with --stdio standard output is the protocol's: nothing else can be there",
    ],
    ['debug', [directory, '--phase', 'x'], '--phase takes the number of a snapshot, not "x"'],
    ['debug', [directory, '--window', '--anew'], 'with --window the window says how'],
    ['debug', ['--port', '0'], 'which recording?'],
    ['debug', ['--connect', 'http://x'], '--connect takes the address that --serve prints, not "http://x"'],
    [
      'debug',
      [directory, '--connect', 'ws://x'],
      '--connect opens the served recording; it takes no path, but was given ',
    ],
    ['export', [directory, '--as', 'pdf'], '--as takes "json" or "chrome", not "pdf"'],
    ['export', [directory, '--json'], '--json says what has been written to a file, -o FILE'],
    ['export', [nowhere], `there is no directory or packed recording ${nowhere}`],
    ['replay', [nowhere], `there is no directory or packed recording ${nowhere}`],
    ['replay', [import.meta.filename], `${import.meta.filename} is neither a directory nor a packed recording`],
    ['replay', [directory, '--turns', 'a,,b'], '--turns takes names of actors with commas between them'],
    ['turns', [directory, '--actor', 'a,,b'], '--actor takes names of actors with commas between them'],
    ['turns', [directory, '--from', 'x'], '--from takes a place in the order, not "x"'],
    ['replay', [directory, '--until', 'soon'], '--until takes the number of a snapshot, event=340,'],
    ['pack', [nowhere], `there is no directory ${nowhere}`],
    ['inspect', [directory, '--from', '1'], '--worker, --from and --count are for --trace'],
    [
      'inspect',
      [directory, '--trace', '--worker', 'x'],
      '--worker takes the number of a worker, or of one and its life',
    ],
    ['inspect', [directory, '--trace', '--count', '0'], '--count takes a number of events, not "0"'],
    ['inspect', [nowhere, '--trace'], `there is no state or recording ${nowhere}`],
  ];
  for (const [name, args, message] of cases)
    expect(await runCommand(name, args)).toEqual([2, expect.stringContaining(message)]);
  expect(await runCommand('unpack', [nowhere])).toEqual([2, expect.stringContaining(`there is no file ${nowhere}`)]);
  for (const name of ['debug', 'export', 'inspect', 'pack', 'replay', 'turns'])
    expect(await runCommand(name, [directory]), name).toEqual([
      1,
      expect.stringContaining(`there is no recording in ${directory}; make one with turntable record FILE`),
    ]);
});

test('a setting that is misspelt is told from a flag of Node, and a value from the file', async () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['record', ['--snapshot', 'end', 'main.mjs'], 'there is no setting --snapshot; did you mean --snapshots?'],
    ['run', ['--recording=x', 'main.mjs'], 'there is no setting --recording; did you mean --recordings?'],
    ['run', ['--title', 'own', 'main.mjs'], 'there is no file own; if it is the value of --title, write --title=own'],
    ['run', ['--expose-gc', 'none.mjs'], 'there is no file none.mjs'],
    ['restore', ['--snapshts=x', 'main.mjs'], 'there is no setting --snapshts; did you mean --snapshots?'],
    ['restore', ['nowhere'], 'there is no state or recording nowhere'],
  ];
  for (const [name, args, message] of cases)
    expect(await runCommand(name, args)).toEqual([2, expect.stringContaining(`turntable ${name}: ${message}`)]);
});
