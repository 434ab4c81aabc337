// The table of the debugger's commands: names of gdb and rr keep their meaning, and all lines fit in a terminal.
import { expect, test } from 'vitest';
import {
  COMMANDS,
  COMMAND_SUBJECTS,
  NAVIGATION_KINDS,
  OTHER_DEBUGGERS,
  RETIRED_COMMANDS,
  type DebuggerCommand,
} from '@turntable/time-machine/client';
import { BREAKPOINT_KINDS } from '../src/stepping/breakpoint-kinds.ts';
import { STEP_MOVES } from '../src/stepping/step-moves.ts';
import { MOVES } from '../src/moves/moves.ts';

const WIDTH = 80;
const ALL_MOVES = [...STEP_MOVES, ...MOVES];

const namesOf = ({ name, letter, aliases = [] }: DebuggerCommand): string[] => [
  name,
  ...(letter === undefined ? [] : [letter]),
  ...aliases,
];
const usageOf = ({ name, arguments: args }: DebuggerCommand): string => (args === undefined ? name : `${name} ${args}`);
const commandNamed = (name: string): DebuggerCommand | undefined => COMMANDS.find((each) => each.name === name);

function duplicates(all: readonly string[]): string[] {
  return all.filter((each, i) => all.indexOf(each) !== i);
}

test('names, letters, aliases and keys are unique', () => {
  expect(duplicates(COMMANDS.flatMap(namesOf))).toEqual([]);
  expect(duplicates(NAVIGATION_KINDS.map(({ kind }) => kind))).toEqual([]);
  const keys = [...COMMANDS, ...NAVIGATION_KINDS].flatMap(({ key }) => (key === undefined ? [] : [key]));
  expect(duplicates(keys)).toEqual([]);
  const reversed = NAVIGATION_KINDS.flatMap(({ key }) => (key === undefined ? [] : [key.toUpperCase()]));
  expect(keys.filter((each) => reversed.includes(each))).toEqual([]);
});

test('letters are those of gdb and rr', () => {
  const letters = Object.fromEntries(
    COMMANDS.flatMap(({ name, letter }) => (letter === undefined ? [] : [[letter, name]])),
  );
  expect(letters).toEqual({
    b: 'break',
    tb: 'tbreak',
    d: 'delete',
    i: 'info',
    f: 'frame',
    c: 'continue',
    n: 'next',
    s: 'step',
    fin: 'finish',
    u: 'until',
    si: 'stepi',
    p: 'print',
    l: 'list',
    h: 'help',
    q: 'quit',
    rs: 'reverse-step',
    rn: 'reverse-next',
    rsi: 'reverse-stepi',
    rc: 'reverse-continue',
    r: 'run',
    fw: 'forward',
    bk: 'back',
  });
  // gdb's short name of backtrace is the name here.
  expect(commandNamed('bt')?.aliases).toEqual(['backtrace', 'where']);
});

test('names of gdb and rr are aliases of the commands that do the same', () => {
  const aliases = Object.fromEntries(COMMANDS.flatMap(({ name, aliases = [] }) => aliases.map((each) => [each, name])));
  expect(aliases).toEqual({
    nexti: 'next',
    ni: 'next',
    fg: 'continue',
    'reverse-nexti': 'reverse-next',
    rni: 'reverse-next',
    rfin: 'reverse-finish',
    reverse: 'reverse-continue',
    start: 'run',
    starti: 'run',
    checkpoint: 'bookmark',
    hbreak: 'break',
    catch: 'break',
    thbreak: 'tbreak',
    dprintf: 'log',
    dis: 'disable',
    backtrace: 'bt',
    where: 'bt',
    inspect: 'print',
    call: 'print',
    x: 'print',
    ptype: 'whatis',
    search: 'find',
    'forward-search': 'find',
    exit: 'quit',
  });
});

test.each(COMMANDS.map((each) => [each.name, each] as const))('%s is described in the imperative', (_, command) => {
  const { summary, example, details = [], subject } = command;
  expect(summary).toMatch(/^[a-z]/);
  expect(summary).not.toMatch(/[.;:]$/);
  // An imperative is no third person: "list", not "lists".
  expect(summary.split(' ')[0]).not.toMatch(/[^s]s$|ing$|ed$/);
  expect(Object.keys(COMMAND_SUBJECTS)).toContain(subject);
  for (const line of [usageOf(command), `  ${summary}`, ...details.map((each) => `  ${each}`), `  example: ${example}`])
    expect(line.length, line).toBeLessThanOrEqual(WIDTH);
  expect(namesOf(command)).toContain(example.split(' ')[0]);
});

test('each subject has commands', () => {
  for (const [subject, title] of Object.entries(COMMAND_SUBJECTS)) {
    expect(COMMANDS.some((each) => each.subject === subject)).toBe(true);
    expect(title).toMatch(/^[a-z].*[^.]$/);
  }
});

test('each move of a command, and each kind, is a move of the server', () => {
  for (const { name, move, needsStatements } of COMMANDS) {
    if (move === undefined) continue;
    const found = ALL_MOVES.find(({ id }) => id === move.id);
    expect(found, name).toBeDefined();
    expect(found?.directions.length === 0, name).toBe(move.direction === undefined);
    for (const argument of Object.keys(move.arguments ?? {}))
      expect(found?.parameters.map((each) => each.name)).toContain(argument);
    expect(needsStatements === true, name).toBe(STEP_MOVES.some(({ id }) => id === move.id));
  }
  for (const { kind, text } of NAVIGATION_KINDS) {
    const found = MOVES.find(({ id }) => id === kind);
    expect(found?.directions, kind).toEqual(['forward', 'backward']);
    expect(found?.parameters.length, kind).toBe(text === undefined ? 0 : 1);
  }
});

test('each move of the server is made by a command or a kind', () => {
  const ids = [...COMMANDS.flatMap(({ move }) => move?.id ?? []), ...NAVIGATION_KINDS.map(({ kind }) => kind)];
  expect(ALL_MOVES.map(({ id }) => id).filter((id) => !ids.includes(id))).toEqual([]);
});

test('a break kind that stops at the tasks of a move has the name of the move', () => {
  for (const { id, taskMove } of BREAKPOINT_KINDS) if (taskMove !== undefined) expect(taskMove).toBe(id);
  // A user can stop at whatever a user can go to.
  expect(
    NAVIGATION_KINDS.map(({ kind }) => kind).filter((kind) => !BREAKPOINT_KINDS.some(({ id }) => id === kind)),
  ).toEqual([]);
});

test.each(Object.entries(RETIRED_COMMANDS))('the retired name %s has a successor: %s', (name, successor) => {
  const [command = '', argument] = successor.split(' ');
  expect(commandNamed(command), successor).toBeDefined();
  if (command === 'forward') expect(NAVIGATION_KINDS.map(({ kind }) => kind)).toContain(argument);
  else if (argument !== undefined) expect(command).toBe('info');
  expect(COMMANDS.flatMap(namesOf)).not.toContain(name);
});

test.each(Object.entries(OTHER_DEBUGGERS))(
  'the command %s of gdb, which has no counterpart, is explained',
  (name, text) => {
    expect(COMMANDS.flatMap(namesOf)).not.toContain(name);
    const [, example = ''] = /; use: (.+)$/.exec(text) ?? [];
    expect(commandNamed(example.split(' ')[0] ?? ''), text).toBeDefined();
  },
);
