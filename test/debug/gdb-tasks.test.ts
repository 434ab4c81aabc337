// What users of gdb and rr type. Three engineers who know both, and nothing of Turntable, wrote ten debugging tasks each
// for the program in fixtures/gdb/orders.mjs, with the commands that they expect. Each command must work, or name the one
// that does. golden/gdb-*.txt has the tasks; a command that does not work is followed by the answer.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const program = join(import.meta.dirname, 'fixtures/gdb/orders.mjs');
const PERSONS = ['1', '2', '3'] as const;
/** Answers that show that a command is not known, or not in this form. */
const REFUSALS =
  /^(?:there is no (?:command|kind|move)|".*" (?:is (?:ambiguous|now|not a command)|must be)|info has no subject|use: |usage: |too many arguments|\S+ needs )/;
/** Commands of lldb and node inspect, which one person tried as well. */
const OTHER_DEBUGGERS = /^(?:breakpoint set|sb\(|exec |rw |run-to-end|thread backtrace)/;
/** Maximum number of different commands that only name the one that does the same. */
const MAX_HINTS = 3;

const env = { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' };

function turntable(args: readonly string[], input = ''): string {
  const { stdout, stderr } = spawnSync(process.execPath, [...FLAGS, CLI, ...args], {
    cwd: directory,
    encoding: 'utf8',
    input,
    env,
  });
  return stdout + stderr;
}

/** The time machine that all sessions connect to. */
let server: ChildProcess;
let address: string;
/** Commands with which each session begins. */
const BEGIN = ['delete', 'run'];

interface Answer {
  readonly command: string;
  readonly output: string;
}

/** Runs commands in one session; returns the output of each. */
function answersTo(commands: readonly string[]): Answer[] {
  const input = [...BEGIN, ...commands].map((command) => `${command}\n`).join('');
  // The address contains a secret, so it is the first line of standard input.
  const output = turntable(['debug', '--connect', '-'], `${address}\n${input}`);
  // Each line from a pipe is echoed after the position.
  const [, ...parts] = output.split(/^[\d.:]+> /m);
  return parts.slice(BEGIN.length).map((part) => {
    const [command = '', ...lines] = part.split('\n');
    return { command, output: lines.join('\n') };
  });
}

function isTask(line: string): boolean {
  return line.startsWith('# ');
}

/** The commands of each task, which are run in a session of their own. */
function tasksIn(text: string): string[][] {
  const tasks: string[][] = [];
  for (const line of text.trim().split('\n')) {
    if (isTask(line)) tasks.push([]);
    else if (line.trim() !== '') tasks.at(-1)?.push(line.trim());
  }
  return tasks;
}

beforeAll(async () => {
  turntable(['record', program]);
  const args = [...FLAGS, CLI, 'debug', 'recordings', '--serve'];
  server = spawn(process.execPath, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
  [address] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string];
}, 60_000);
afterAll(() => void server.kill('SIGTERM'));

const goldenOf = (person: string): string => join(import.meta.dirname, `golden/gdb-${person}.txt`);

test.each(PERSONS)(
  'commands of person %s work, or name the ones that do',
  async (person) => {
    const golden = readFileSync(goldenOf(person), 'utf8');
    const written = golden
      .split('\n')
      .filter((line) => !line.startsWith('  '))
      .join('\n');
    const titles = written.split('\n').filter(isTask);
    const hints = new Set<string>();
    const annotated = tasksIn(written).flatMap((commands, i) => [
      titles[i] ?? '',
      ...answersTo(commands).flatMap(({ command, output }) => {
        const refusal = output.split('\n').find((line) => REFUSALS.test(line));
        if (refusal !== undefined && !OTHER_DEBUGGERS.test(command)) hints.add(command.split(/\s/)[0] ?? '');
        return refusal === undefined ? [command] : [command, `  ${refusal}`];
      }),
    ]);
    await expect(`${annotated.join('\n')}\n`).toMatchFileSnapshot(goldenOf(person));
    expect([...hints].slice(MAX_HINTS)).toEqual([]);
  },
  300_000,
);
