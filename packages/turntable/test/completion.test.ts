// Completion scripts, loaded by the shells that are installed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completionScript } from '../src/command-line/completion-scripts.ts';
import { SHELLS } from '../src/command-line/maintain-commands.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

beforeAll(() => {
  mkdirSync(join(directory, 'recordings'));
  for (const name of ['run.ttr', 'rest.txt', 'with space.ttr']) writeFileSync(join(directory, name), '');
  for (const shell of SHELLS) writeFileSync(join(directory, `turntable.${shell}`), completionScript(shell));
});

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', ':']).status === 0;

function output(shell: string, ...args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(shell, args, { cwd: directory, encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout;
}

describe.runIf(isInstalled('bash'))('bash completes', () => {
  /** Completions of the last word, by the function that the script registers. */
  const completions = (...words: readonly string[]): string[] => {
    const driver = `
      source turntable.bash
      [ "$(complete -p turntable)" = 'complete -F _turntable turntable' ] || exit 1
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
      _turntable
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return output('bash', '-c', driver, 'bash', 'turntable', ...words)
      .split('\n')
      .filter((line) => line !== '')
      .toSorted();
  };

  test('commands', () => {
    expect(completions('re')).toEqual(['record', 'replay', 'reseal', 'restore']);
    expect(completions('help', 'ta')).toEqual(['tasks']);
    expect(completions('--v')).toEqual(['--version']);
  });

  test('flags and their values', () => {
    expect(completions('replay', '--fo')).toEqual(['--force']);
    expect(completions('replay', '--code', '')).toEqual(['current', 'recorded']);
    expect(completions('replay', '--code', '=', 'r')).toEqual(['recorded']);
    expect(completions('replay', '--code', '=')).toEqual(['current', 'recorded']);
    expect(completions('replay', '--from', '')).toEqual([]);
    expect(completions('services', '4711', 's')).toEqual(['snapshot', 'start', 'stop']);
    expect(completions('completion', '')).toEqual(['bash', 'fish', 'zsh']);
  });

  test('directories and packed recordings, or files', () => {
    expect(completions('replay', 'r')).toEqual(['recordings', 'run.ttr']);
    expect(completions('replay', 'w')).toEqual(['with space.ttr']);
    expect(completions('run', 'r')).toEqual(['recordings', 'rest.txt', 'run.ttr']);
    expect(completions('record', '--recordings', 'rec')).toEqual(['recordings']);
    expect(completions('dap', 'r')).toEqual([]);
  });
});

describe.runIf(isInstalled('zsh'))('zsh', () => {
  test('accepts the script', () => {
    expect(output('zsh', '-n', 'turntable.zsh')).toBe('');
    expect(output('zsh', '-fc', 'autoload -U compinit; compinit -D; . ./turntable.zsh; print $_comps[turntable]')).toBe(
      '_turntable\n',
    );
  });
});

describe.runIf(isInstalled('fish'))('fish completes', () => {
  const completions = (line: string): string[] =>
    output('fish', '--no-config', '-c', 'source turntable.fish; complete -C $argv[1]', line)
      .trim()
      .split('\n')
      .map((each) => each.replace(/\t.*/, ''))
      .toSorted();

  test('commands, flags, values and paths', () => {
    expect(completions('turntable re')).toEqual(['record', 'replay', 'reseal', 'restore']);
    expect(completions('turntable replay --fo')).toEqual(['--force']);
    expect(completions('turntable replay --code r')).toEqual(['recorded']);
    expect(completions('turntable replay r')).toEqual(['recordings/', 'run.ttr']);
  });
});
