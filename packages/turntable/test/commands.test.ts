// What commands say of themselves, and what they say of what they cannot do.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exportCommand, EXPORT_USAGE } from '../src/export.ts';
import { inspect, INSPECT_USAGE } from '../src/inspect.ts';
import { pack, PACK_USAGE } from '../src/pack.ts';
import { replayCommand, REPLAY_USAGE } from '../src/replay.ts';
import { unpack, UNPACK_USAGE } from '../src/unpack.ts';

type Command = (args: readonly string[]) => number | Promise<number>;

const COMMANDS: Readonly<Record<string, readonly [Command, string]>> = {
  export: [exportCommand, EXPORT_USAGE],
  inspect: [inspect, INSPECT_USAGE],
  pack: [pack, PACK_USAGE],
  replay: [replayCommand, REPLAY_USAGE],
  unpack: [unpack, UNPACK_USAGE],
};

/** The exit code, and what is said on standard error. */
async function ended(name: string, args: readonly string[]): Promise<readonly [number, string]> {
  const { write } = process.stderr;
  let said = '';
  process.stderr.write = (text: string | Uint8Array): boolean => {
    said += String(text);
    return true;
  };
  try {
    const [command] = COMMANDS[name] ?? [() => -1];
    return [await command(args), said];
  } finally {
    process.stderr.write = write;
  }
}

test.each(Object.keys(COMMANDS))('%s says what it takes, with examples, and what it lacks', async (name) => {
  const [, usage] = COMMANDS[name] ?? [];
  expect(usage).toMatch(new RegExp(`^Usage: turntable ${name} [^]*\n\n {2}turntable `));
  expect(await ended(name, [])).toEqual([2, expect.stringContaining(`turntable ${name}: which `)]);
  expect(await ended(name, ['--nothing'])).toEqual([2, expect.stringContaining("Unknown option '--nothing'")]);
  expect(await ended(name, ['one', 'two', 'three'])).toEqual([
    2,
    expect.stringMatching(/one .* at a time, not (?:two )?three too/),
  ]);
});

test('what is asked for in vain is named, with what there is', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const nowhere = join(directory, 'nowhere');
  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ['export', [directory, '--as', 'pdf'], '--as takes "json" or "chrome", not "pdf"'],
    ['export', [directory, '--json'], '--json says what has been written to a file, -o FILE'],
    ['export', [nowhere], `there is no directory or packed recording ${nowhere}`],
    ['replay', [nowhere], `there is no directory or packed recording ${nowhere}`],
    ['pack', [nowhere], `there is no directory ${nowhere}`],
    ['inspect', [directory, '--from', '1'], '--worker, --from and --count are for --trace'],
    [
      'inspect',
      [directory, '--trace', '--worker', 'x'],
      '--worker takes the number of a worker, or of one and its life',
    ],
    ['inspect', [directory, '--trace', '--count', '0'], '--count takes a number of events, not "0"'],
    ['inspect', [nowhere, '--trace'], 'is no directory and no packed one'],
  ];
  for (const [name, args, why] of wrong) expect(await ended(name, args)).toEqual([2, expect.stringContaining(why)]);
  expect(await ended('unpack', [nowhere])).toEqual([1, expect.stringContaining('there is no such file')]);
  expect(await ended('pack', [directory])).toEqual([
    1,
    expect.stringContaining('manifest.json: there is no such file'),
  ]);
});
