// The help of the program and of all commands. Golden files show it in full.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ALL_COMMANDS } from '../src/command-line/all-commands.ts';
import { optionsOf } from '../src/command-line/command-line.ts';
import { CLI, FLAGS } from '../../../scripts/tested-form.ts';

const MAX_COLUMNS = 80;

function printed(...args: readonly string[]): string {
  const { stdout, status, stderr } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout;
}

const golden = (name: string): string => join(import.meta.dirname, 'golden/help', `${name}.txt`);
const tooLong = (text: string): string[] => text.split('\n').filter((line) => line.length > MAX_COLUMNS);

test('turntable --help lists all commands by group', async () => {
  const text = printed('--help');
  expect(tooLong(text)).toEqual([]);
  for (const { name, summary } of ALL_COMMANDS) expect(text).toMatch(new RegExp(`^  ${name} .*  ${summary}$`, 'm'));
  expect(text).toContain('\nExamples:\n  turntable ');
  expect(text).toContain('\nExit codes:\n  0  success\n');
  await expect(text).toMatchFileSnapshot(golden('turntable'));
});

describe.each(ALL_COMMANDS.map((command) => [command.name, command] as const))('%s', (name, command) => {
  test('has help with usage, all options, examples and exit codes', async () => {
    const text = printed(name, '--help');
    expect(tooLong(text)).toEqual([]);
    expect(text).toMatch(new RegExp(`^[A-Z].*[^.]\n\nUsage: turntable ${name}`));
    for (const { flag } of optionsOf(command)) expect(text).toMatch(new RegExp(`^  (?:-\\w, |    )?--${flag}\\b`, 'm'));
    expect(text).toMatch(/\nExamples:\n {2}.*turntable /);
    expect(text).toMatch(/\nExit codes:\n(?: {2}[0N] .*\n)/);
    expect(text).toMatch(/^ {2}2 {2}usage error$/m);
    await expect(text).toMatchFileSnapshot(golden(name));
  });

  test('describes commands and options in lower case, without a full stop', () => {
    for (const each of [command.summary, ...optionsOf(command).map(({ description }) => description)])
      expect(each).toMatch(/^[a-z].*[^.]$/);
  });
});
