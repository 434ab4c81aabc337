// Models of the window: commands, values beside lines, trees and navigation history.
import { expect, test } from 'vitest';
import { COMMANDS, NAVIGATION_KINDS, parseLocation } from '@turntable/time-machine/client';
import type { MoveInfo, ValueInfo } from '@turntable/time-machine/protocol';
import { breakpointsInFile, isBreakpointAt } from '../src/model/breakpoints.ts';
import { moveCommands, formatKey, filterByWords } from '../src/model/commands.ts';
import { lineValues } from '../src/model/inline-values.ts';
import { laneRows } from '../src/model/lanes.ts';
import { visit, EMPTY_HISTORY, stepHistory } from '../src/model/navigation-history.ts';
import {
  EMPTY_TREE,
  previewsByPath,
  treeRows,
  unloadedIds,
  type TreeEntry,
  type ValueTree,
} from '../src/model/value-tree.ts';
import { WINDOW_KEYS } from '../src/model/window-keys.ts';

const DIRECTIONS = ['forward', 'backward'] as const;
/** Keys that the window handles before the keys of commands. */
const RESERVED_KEYS = ['Escape', 'F1', 'F9'];

const createMove = (part: Partial<MoveInfo>): MoveInfo => ({
  id: 'turn',
  title: '{next} turn of any actor',
  group: 'Turns',
  directions: [...DIRECTIONS],
  parameters: [],
  ...part,
});

test('an unknown move is a command like any other', () => {
  const commands = moveCommands([
    createMove({}),
    createMove({
      id: 'wormhole',
      title: 'a wormhole exit',
      directions: [],
      parameters: [{ name: 'depth', kind: 'number', title: 'how deep' }],
    }),
  ]);
  expect(commands.map(({ title, key, needsArguments }) => [title, key, needsArguments])).toEqual([
    ['Go to the next turn of any actor', 't', false],
    ['Go to the previous turn of any actor', 'T', false],
    ['Go to a wormhole exit', undefined, true],
  ]);
  expect(commands.map(({ key }) => key && formatKey(key))).toEqual(['T', '⇧T', undefined]);
});

test('no key of the table of commands has two meanings', () => {
  const directionsOf = (id: string): MoveInfo['directions'] =>
    COMMANDS.flatMap(({ move }) => (move?.id === id ? (move.direction ?? []) : []));
  const moves = [
    ...new Set(COMMANDS.flatMap(({ move }) => move?.id ?? []))
      .values()
      .map((id) => ({ id, directions: directionsOf(id) })),
    ...NAVIGATION_KINDS.map(({ kind }) => ({ id: kind, directions: DIRECTIONS })),
  ];
  const moveKeys = moveCommands(moves.map(createMove)).flatMap(({ key }) => key ?? []);
  const tableKeys = [
    ...COMMANDS.flatMap(({ key }) => key ?? []),
    ...NAVIGATION_KINDS.flatMap(({ key }) => (key === undefined ? [] : [key, key.toUpperCase()])),
    'End',
  ];
  expect(moveKeys.toSorted()).toEqual(tableKeys.toSorted());
  const keys = [...moveKeys, ...Object.values(WINDOW_KEYS), ...RESERVED_KEYS];
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
});

test('commands are found by any of their words, those with a matching first letter first', () => {
  const all = ['Go to the end', 'Go to a sender', 'Append'].map((title) => ({ title }));
  const found = (text: string): string[] => filterByWords(all, text).map(({ title }) => title);
  expect(found('end')).toEqual(['Go to the end', 'Go to a sender', 'Append']);
  expect(found('go SEND')).toEqual(['Go to a sender']);
  expect(found('nowhere')).toEqual([]);
  expect(found('')).toEqual(['Go to the end', 'Go to a sender', 'Append']);
});

const createValue = (preview: string, id?: number): ValueInfo => ({ kind: 'object', preview, id });
const createEntry = (name: string, entryValue?: ValueInfo, kind = 'variable'): TreeEntry => ({
  name,
  kind,
  isEnumerable: true,
  value: entryValue,
});

test('a value is shown at the last line that names it as a whole word', () => {
  const lines = [
    'let total = 0;',
    'for (const each of all) {',
    '  total += each.all;',
    '  subtotal(each);',
    '}',
    'total;',
  ];
  const entries = [
    createEntry('total', createValue('3')),
    createEntry('all', createValue('[1, 2]')),
    createEntry('each'),
    createEntry('$x.y', createValue('1')),
  ];
  expect(lineValues(lines, 4, entries)).toEqual([
    { line: 2, text: 'all = [1, 2]' },
    { line: 3, text: 'total = 3' },
  ]);
});

test('a tree shows the parts of open values, and the number of parts that are not loaded', () => {
  const tree: ValueTree = {
    ...EMPTY_TREE,
    roots: [createEntry('cart', createValue('Cart {…}', 7)), createEntry('n', createValue('1'))],
    openPaths: new Set(['cart']),
    parts: new Map([[7, { entries: [createEntry('size', createValue('2'), 'property')], total: 3 }]]),
  };
  expect(treeRows(tree).map(({ depth, name, isOpen, remaining }) => [depth, name, isOpen, remaining])).toEqual([
    [0, 'cart', true, undefined],
    [1, 'size', false, undefined],
    [1, '', false, 2],
    [0, 'n', false, undefined],
  ]);
  expect(unloadedIds({ ...tree, parts: new Map() })).toEqual([7]);
  expect(unloadedIds(tree)).toEqual([]);
});

test('a value that has changed since the previous position is marked, and none is at the first position', () => {
  const before: ValueTree = {
    ...EMPTY_TREE,
    roots: [createEntry('a', createValue('1')), createEntry('b', createValue('1'))],
  };
  const after: ValueTree = {
    ...before,
    roots: [createEntry('a', createValue('1')), createEntry('b', createValue('2')), createEntry('c', createValue('1'))],
  };
  const changed = (tree: ValueTree): string[] =>
    treeRows(tree).flatMap(({ name, isChanged }) => (isChanged ? [name] : []));
  expect(changed(before)).toEqual([]);
  expect(changed({ ...after, previousPreviews: previewsByPath(before) })).toEqual(['b', 'c']);
});

test('history goes back and forward, until a new position replaces the later ones', () => {
  let trail = ['0.1', '0.2', '0.3'].reduce(visit, EMPTY_HISTORY);
  expect(visit(trail, '0.3')).toEqual(trail);
  trail = stepHistory(trail, -1) ?? trail;
  trail = stepHistory(trail, -1) ?? trail;
  expect(trail.positions[trail.index]).toBe('0.1');
  expect(stepHistory(trail, -1)).toBe(undefined);
  expect(stepHistory(trail, 1)?.index).toBe(1);
  expect(visit(trail, '0.9')).toEqual({ positions: ['0.1', '0.9'], index: 1 });
});

test('actors are listed below their workers, and a filter hides workers without matches', () => {
  const actor = (worker: number, name: string) => ({ worker, name, taskCount: 1, firstTask: 1, lastTask: 1 });
  const actors = [actor(1, 'Cart#1'), actor(0, 'main'), actor(1, 'Stock')];
  expect(laneRows(actors).map(({ name, actorIndex }) => [name, actorIndex])).toEqual([
    ['main thread', undefined],
    ['main', 1],
    ['worker 1', undefined],
    ['Cart#1', 0],
    ['Stock', 2],
  ]);
  expect(laneRows(actors, 'cart').map(({ name }) => name)).toEqual(['worker 1', 'Cart#1']);
});

test('a location is a file and a line, whatever the file is called', () => {
  expect(parseLocation('/a:b/c.ts:12')).toEqual({ file: '/a:b/c.ts', line: 12 });
  expect(parseLocation('/a/c.ts:12:7')).toEqual({ file: '/a/c.ts', line: 12 });
  expect(parseLocation('c.ts')).toBe(undefined);
  expect(parseLocation(undefined)).toBe(undefined);
});

test('a breakpoint belongs to each file whose path ends with its file', () => {
  const all = [
    { file: 'cart.ts', line: 3 },
    { file: 'src/cart.ts', line: 5, condition: 'x' },
    { file: 'art.ts', line: 7 },
    {},
  ];
  expect(breakpointsInFile(all, '/app/src/cart.ts')).toEqual([
    { line: 3, condition: undefined },
    { line: 5, condition: 'x' },
  ]);
  expect(isBreakpointAt({ file: 'cart.ts', line: 3 }, '/app/src/cart.ts', 3)).toBe(true);
});
