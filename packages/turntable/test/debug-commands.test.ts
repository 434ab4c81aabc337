// The commands of the terminal on a recording with statements: sessions word for word (golden/debug-*.txt), help, names of
// earlier versions and of other debuggers, mistyped names, repetition by Enter, and files of commands.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import {
  Client,
  COMMANDS,
  COMMAND_SUBJECTS,
  NAVIGATION_KINDS,
  OTHER_DEBUGGERS,
  RETIRED_COMMANDS,
} from '@turntable/time-machine/client';
import { TimeMachineServer } from '@turntable/time-machine/server';
import { CART_FILE, scriptedRecording, type ScriptedTask } from '../../time-machine/test/scripted-recording.ts';
import { Repl } from '../src/debug/repl.ts';
import { runTerminal } from '../src/debug/terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
/** The example of `save` writes into the scratch directory. */
const inScratch = (example: string): string => example.replace('stops.txt', join(directory, 'stops.txt'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const WIDTH = 80;

/** `sum` calls `add`, whose loop runs twice; then the check fails. */
const TASKS: readonly ScriptedTask[] = [
  { kind: 'evaluation', actor: 'main', method: '', statements: [14, { line: 16, events: [['stdout', 'ready']] }] },
  { statements: [14, ...[4, 5, 4, 5, 4, 7].map((line) => ({ line, depth: 2 })), 16] },
  {
    actor: 'Cart#1',
    method: 'check',
    beginsPhase: true,
    statements: [{ line: 10, events: [['caught', 'Error: too expensive']] }],
  },
  { kind: 'entry', actor: 'main', method: 'timer', statements: [15, { line: 16, events: [['device', 'clock.now']] }] },
];

function serverOf(canStep = true): TimeMachineServer {
  const { runIndex, deps } = scriptedRecording(TASKS);
  const recording = { name: 'recordings/cart', from: undefined, verdict: 'same' };
  return new TimeMachineServer(runIndex, recording, '1.2.3', canStep ? deps : undefined);
}

interface Session {
  readonly repl: Repl;
  /** Runs a line; returns what it prints. */
  readonly run: (line: string) => Promise<string>;
}

async function openSession(server = serverOf()): Promise<Session> {
  const client = new Client(server.openWire());
  let printed = '';
  const repl = new Repl(client, await client.hello('test'), (chunk) => void (printed += chunk));
  return {
    repl,
    run: async (line) => {
      printed = '';
      await repl.run(line, {});
      return printed;
    },
  };
}

async function transcriptOf(
  lines: readonly string[],
  server = serverOf(),
): Promise<{ readonly output: string; readonly status: number }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const printed = text(output);
  input.end(lines.map((line) => `${line}\n`).join(''));
  const status = await runTerminal(new Client(server.openWire()), { input, output, isTerminal: false });
  output.end();
  return { output: await printed, status };
}

const golden = (name: string): string => join(import.meta.dirname, 'golden', `debug-${name}.txt`);

async function helpOn(topics: readonly string[], server?: TimeMachineServer): Promise<string> {
  const { run } = await openSession(server);
  const parts: string[] = [];
  for (const topic of topics) parts.push(`> help ${topic}`.trimEnd(), await run(`help ${topic}`));
  return parts.join('\n');
}

const linesTooLong = (printed: string): string[] => printed.split('\n').filter((line) => line.length > WIDTH);

describe('sessions', () => {
  test('moves inside tasks give the golden session', async () => {
    const { output, status } = await transcriptOf([
      'step',
      'stepi 3',
      'n',
      'next 2',
      's',
      'fin',
      'rsi',
      'reverse-stepi 2',
      'rs',
      'rn',
      'reverse-finish',
      'goto 0.2:1.2',
      'until',
      'u',
      'goto 0.2:1.2',
      'until 7',
      'advance cart.ts:10',
      'reverse-continue',
      'rc',
      'continue',
      'c',
      'rc',
      'advance Cart.add',
      'up',
      'until 16',
      'stepi 100',
      'peek rs',
      'goto 1.1:1.1',
      'last-write total',
      'forward device clock',
      'back exception caught expensive',
    ]);
    await expect(output).toMatchFileSnapshot(golden('statements'));
    expect(status).toBe(0);
  });

  test('breakpoints give the golden session', async () => {
    const { output } = await transcriptOf([
      'info breakpoints',
      'break',
      'stepi 4',
      'break',
      'break 7',
      'b cart.ts:16 if total > 2 times 3',
      'tbreak Cart.check',
      'break exception',
      'break exception caught "too expensive"',
      'catch throw',
      'break output ready',
      'break send Cart*.add',
      'break turn Cart#1.check',
      'break actor',
      'break request if x',
      'break nowhere',
      'break a b',
      'break cart.ts:5 times 2',
      'info b',
      'disable 1 4 5 6',
      'condition 2 total > 1',
      'condition 2',
      'condition 99 x',
      'ignore 10 1',
      'ignore 10',
      'info breakpoints',
      'continue',
      'c',
      'c',
      'c',
      'c',
      'rc',
      'enable',
      'disable',
      'c',
      'delete 1 2',
      'delete 2',
      'd',
      'info breakpoints',
      'log cart.ts:5 total',
      'goto start',
      'log Cart.add total',
      'dprintf cart.ts:16, total',
      'log 5',
      'log nowhere x',
    ]);
    await expect(output).toMatchFileSnapshot(golden('breakpoints'));
  });

  test('stack, source and values give the golden session', async () => {
    const { output } = await transcriptOf([
      'bt',
      'list',
      'info line',
      'stepi 4',
      'info line',
      'bt',
      'where 1',
      'bt full',
      'bt -1',
      'frame',
      'up',
      'up',
      'locals',
      'down',
      'down',
      'f 1',
      'f 9',
      'frame x',
      'f 0',
      'list',
      'list',
      'list -',
      'list Cart.add',
      'l sum',
      'list 3,5',
      'list cart.ts:16',
      'list other.ts:1',
      'list nowhere',
      'list 99',
      'info args',
      'info locals',
      'info frame',
      'p this',
      'print/x this.total',
      'print',
      'whatis this',
      'ptype this',
      'expand #3',
      'expand x',
      'display total',
      'next',
      'display',
      'info display',
      'undisplay 2',
      'undisplay',
      'info display',
      'info actors',
      'mailbox Cart#1',
      'mailbox Shop#1',
      'promises',
      'changes this.total',
      'diff 0.1 0.2',
      'diff',
      'info sources',
      'info stack',
      'info',
    ]);
    await expect(output).toMatchFileSnapshot(golden('inspection'));
  });
});

describe('help', () => {
  const topics = [
    '',
    ...Object.keys(COMMAND_SUBJECTS),
    'kinds',
    'break',
    'list',
    'forward',
    'goto',
    'exception',
    'actor',
    'device',
    'snapshot',
  ];

  test('is made from the table, and fits in a terminal', async () => {
    const printed = await helpOn(topics);
    await expect(printed).toMatchFileSnapshot(golden('help'));
    expect(linesTooLong(printed)).toEqual([]);
  });

  test('leaves out what a recording without statements cannot do', async () => {
    const printed = await helpOn(['', 'breakpoints', 'kinds', 'run', 'data'], serverOf(false));
    await expect(printed).toMatchFileSnapshot(golden('help-without-statements'));
    expect(linesTooLong(printed)).toEqual([]);
  });

  test.each([...COMMANDS.map(({ name }) => name), ...NAVIGATION_KINDS.map(({ kind }) => kind), 'fin', 'where'])(
    'on %s fits in a terminal',
    async (topic) => {
      const { run, repl } = await openSession();
      const printed = await run(`help ${topic}`);
      expect(repl.hasFailed).toBe(false);
      expect(printed.split('\n').length).toBeGreaterThan(2);
      expect(linesTooLong(printed)).toEqual([]);
    },
  );
});

describe('names', () => {
  test.each(COMMANDS.map((each) => [each.example, each] as const))(
    'the example "%s" is understood',
    async (example) => {
      const { run } = await openSession();
      // At a statement, in a frame with a caller.
      await run('stepi 4');
      for (const line of [inScratch(example), ...(example.startsWith('delete') ? ['delete'] : [])]) {
        const printed = await run(line);
        expect(printed).not.toMatch(/there is no command|there is no move|does not move|is ambiguous|usage:/);
      }
    },
  );

  test.each(
    COMMANDS.flatMap(({ name, letter, aliases = [] }) =>
      [name, ...(letter === undefined ? [] : [letter]), ...aliases].map((each) => [each, name] as const),
    ),
  )('%s is %s', async (word, name) => {
    const { run } = await openSession();
    expect((await run(`help ${word}`)).split(/[ \n]/)[0]).toBe(
      // A subject or the list of kinds comes first.
      Object.hasOwn(COMMAND_SUBJECTS, word)
        ? `${COMMAND_SUBJECTS[word as keyof typeof COMMAND_SUBJECTS].split(' ')[0]}`
        : name,
    );
  });

  test('a unique beginning of a name is enough, and an ambiguous one lists the names', async () => {
    const { run, repl } = await openSession();
    await run('ste');
    await run('stepi');
    expect(repl.position).toBe('0.1:1.2');
    expect(await run('rev')).toBe(
      '"rev" is ambiguous: reverse-step, reverse-next, reverse-finish, reverse-stepi, reverse-continue\n',
    );
    expect(await run('con')).toBe('"con" is ambiguous: continue, condition\n');
  });

  test.each(Object.entries(RETIRED_COMMANDS))('the retired name %s leads to %s', async (name, successor) => {
    const { run, repl } = await openSession();
    expect(await run(name)).toBe(`"${name}" is now "${successor}"\n`);
    expect(await run(`${name} 1`)).toBe(`"${name}" is now "${successor}"\n`);
    expect([repl.hasFailed, repl.position]).toEqual([true, '0.1']);
  });

  const formerLines: readonly (readonly [line: string, successor: string])[] = [
    ['next over', 'next'],
    ['n into', 'step'],
    ['next out', 'finish'],
    ['next breakpoint', 'continue'],
    ['next match Cart*', 'forward actor Cart*'],
    ['next entry timer', 'forward callback timer'],
    ['next error', 'forward uncaught'],
    ...NAVIGATION_KINDS.map(({ kind }) => [`next ${kind}`, `forward ${kind}`] as const),
    ['back over', 'reverse-next'],
    ['back into', 'reverse-step'],
    ['bk out', 'reverse-finish'],
    ['back breakpoint', 'reverse-continue'],
    ['back match "Cart 1"', 'back actor "Cart 1"'],
    ['back entry', 'back callback'],
    ['back error GET *', 'back uncaught GET *'],
    ['list 1 3', 'tasks 1 3'],
  ];

  test.each(formerLines)('the former line "%s" is now "%s"', async (line, successor) => {
    const { run, repl } = await openSession();
    expect(await run(line)).toBe(`use: ${successor}\n`);
    expect(repl.position).toBe('0.1');
  });

  test.each(Object.entries(OTHER_DEBUGGERS))('the command %s of gdb is explained', async (name, reason) => {
    const { run } = await openSession();
    expect(await run(`${name} x`)).toBe(`there is no command "${name}": ${reason}\n`);
  });

  test.each([
    ['braek', 'break'],
    ['contineu', 'continue'],
    ['finsh', 'finish'],
    ['lsit', 'list'],
    ['nxt', 'next'],
    ['brake', 'break'],
    ['reverse_step', 'reverse-step'],
    ['undisplai', 'undisplay'],
  ])('for the mistyped %s, %s is suggested', async (word, name) => {
    const { run } = await openSession();
    expect(await run(`${word} 1`)).toBe(`there is no command "${word}"; did you mean "${name}"?\n`);
  });

  test.each(['xyz', 'frobnicate', 'elephant'])('nothing is like %s', async (word) => {
    const { run } = await openSession();
    expect(await run(word)).toBe(`there is no command "${word}"; see help\n`);
  });

  test.each(['0.2', '2', '50%', '+1.5s', '1:2'])('the target %s alone leads to goto', async (target) => {
    const { run } = await openSession();
    expect(await run(target)).toBe(`"${target}" is not a command; use: goto ${target}\n`);
  });
});

describe('Enter', () => {
  test.each(COMMANDS.map((each) => [each.example, each] as const))(
    'repeats "%s" only if the command is repeatable',
    async (example, { name, isRepeatable = false }) => {
      const { run, repl } = await openSession();
      await run('stepi 4');
      await run(inScratch(example));
      const repeated = name === 'list' || name === 'tasks' ? name : example;
      expect(repl.lineToRepeat('')).toBe(isRepeatable ? repeated : '');
      expect(repl.lineToRepeat('  ')).toBe(isRepeatable ? repeated : '');
      expect(repl.lineToRepeat('where')).toBe('where');
    },
  );

  test('repeats nothing after a line that is no command, or in the beginning', async () => {
    const { run, repl } = await openSession();
    expect(repl.lineToRepeat('')).toBe('');
    await run('step');
    await run('stpe');
    await run('');
    await run('# a comment');
    expect(repl.lineToRepeat('')).toBe('step');
  });

  test.each([
    [true, '0.1:1.2'],
    [false, '0.1:1.1'],
  ])('repeats a step on a terminal and nowhere else (terminal: %s)', async (isTerminal, position) => {
    const server = serverOf();
    const [input, output] = [new PassThrough(), new PassThrough()];
    output.resume();
    input.end('step\n\n');
    await runTerminal(new Client(server.openWire()), { input, output, isTerminal });
    const client = new Client(server.openWire());
    expect((await client.hello('test')).cursor.position).toBe(position);
  });
});

describe('source', () => {
  const fileOf = (name: string, lines: readonly string[]): string => {
    const path = join(directory, name);
    writeFileSync(path, lines.join('\n'));
    return path;
  };

  test('runs the lines of a file, without comments, and shows each', async () => {
    const { run, repl } = await openSession();
    const path = fileOf('a file', ['# to the first call', '', 'stepi 4', '  p total ']);
    expect(await run(`source "${path}"`)).toBe(
      [
        '0.1> stepi 4',
        '       2  +0.010s  the main thread, turn 1  Cart#1.add  (sent by 1, sends 1)',
        '          cart.ts:4:5 in add',
        '       4 |     for (let i = 0; i < count; i++) {',
        '0.2:1.2> p total',
        'Cart {total: 9}  #3',
        '',
      ].join('\n'),
    );
    expect([repl.position, repl.hasFailed]).toEqual(['0.2:1.2', false]);
  });

  test('continues after a line that fails, and quits at quit', async () => {
    const { run, repl } = await openSession();
    const path = fileOf('quit.txt', ['walk', 'step', 'quit', 'step']);
    expect(await run(`source ${path}`)).toMatch(/^0\.1> walk\nthere is no command "walk"; see help\n0\.1> step\n/);
    expect([repl.position, repl.hasFailed]).toEqual(['0.1:1.1', true]);
    expect(await repl.run('', {})).toBe(false);
  });

  test('refuses a file that runs itself, or that does not exist', async () => {
    const { run } = await openSession();
    const path = join(directory, 'again.txt');
    writeFileSync(path, `source ${path}\n`);
    expect((await run(`source ${path}`)).trimEnd().split('\n').at(-1)).toBe(
      `source: ${path} runs too many other files`,
    );
    expect(await run(`source ${join(directory, 'none.txt')}`)).toMatch(/^source: ENOENT: no such file/);
    expect(await run('source')).toBe('source needs a FILE; to show source code, use: list\n');
  });
});

test('a file whose text is not recorded has no lines to list', async () => {
  const { runIndex, deps } = scriptedRecording(TASKS);
  const recording = { name: 'recordings/cart', from: undefined, verdict: 'same' };
  const server = new TimeMachineServer(runIndex, recording, '1.2.3', { ...deps, findSource: () => undefined });
  const { run } = await openSession(server);
  await run('step');
  expect(await run('list')).toBe(`the text of ${CART_FILE.split('/').at(-1)} is not recorded\n`);
});
