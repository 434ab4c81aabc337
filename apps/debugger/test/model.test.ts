// What the window makes of what it is told: commands, values beside lines, trees, where one has been.
import { expect, test } from 'vitest';
import { placeIn } from '@turntable/time-machine/client';
import type { ToldMove, ToldValue } from '@turntable/time-machine/protocol';
import { breakpointsIn, isAt } from '../src/model/breakpoints.ts';
import { commandsOf, keyText, matching } from '../src/model/commands.ts';
import { lineValues } from '../src/model/inline-values.ts';
import { rowsOf } from '../src/model/lanes.ts';
import { gone, NOWHERE, turned } from '../src/model/trail.ts';
import { NO_TREE, previews, rowsOfTree, wanted, type Entry, type Tree } from '../src/model/tree.ts';

const move = (part: Partial<ToldMove>): ToldMove => ({
  id: 'turn',
  title: '{next} turn of any actor',
  group: 'Turns',
  directions: ['forward', 'backward'],
  parameters: [],
  ...part,
});

test('a move that the window has never heard of is a command like any other', () => {
  const commands = commandsOf([
    move({}),
    move({
      id: 'wormhole',
      title: 'where nobody was',
      directions: [],
      parameters: [{ name: 'depth', kind: 'number', title: 'how deep' }],
    }),
  ]);
  expect(commands.map(({ title, key, needs }) => [title, key, needs])).toEqual([
    ['Go to the next turn of any actor', 't', false],
    ['Go to the previous turn of any actor', 'T', false],
    ['Go to where nobody was', undefined, true],
  ]);
  expect(commands.map(({ key }) => key && keyText(key))).toEqual(['T', '⇧T', undefined]);
});

test('no key stands for two moves', () => {
  const ids = [
    'over',
    'into',
    'out',
    'breakpoint',
    'stretch',
    'turn',
    'actor',
    'worker',
    'sender',
    'receiver',
    'answer',
  ];
  const more = ['resolver', 'birth', 'output', 'error', 'snapshot', 'entry', 'start', 'end', 'position'];
  const keys = commandsOf([...ids, ...more].map((id) => move({ id }))).flatMap(({ key }) => key ?? []);
  expect(new Set(keys.filter((key) => key.length === 1)).size).toBe(keys.filter((key) => key.length === 1).length);
});

test('commands are found by any of their words, the ones that begin so first', () => {
  const all = ['Go to the end', 'Go to a sender', 'Append'].map((title) => ({ title }));
  const found = (text: string): string[] => matching(all, text).map(({ title }) => title);
  expect(found('end')).toEqual(['Go to the end', 'Go to a sender', 'Append']);
  expect(found('go SEND')).toEqual(['Go to a sender']);
  expect(found('nowhere')).toEqual([]);
  expect(found('')).toEqual(['Go to the end', 'Go to a sender', 'Append']);
});

const value = (preview: string, id?: number): ToldValue => ({ kind: 'object', preview, id });
const entry = (name: string, its?: ToldValue, is = 'variable'): Entry => ({ name, is, isEnumerable: true, value: its });

test('a value stands at the last line that names it, as a word of its own', () => {
  const lines = [
    'let total = 0;',
    'for (const each of all) {',
    '  total += each.all;',
    '  subtotal(each);',
    '}',
    'total;',
  ];
  const entries = [entry('total', value('3')), entry('all', value('[1, 2]')), entry('each'), entry('$x.y', value('1'))];
  expect(lineValues(lines, 4, entries)).toEqual([
    { line: 2, text: 'all = [1, 2]' },
    { line: 3, text: 'total = 3' },
  ]);
});

test('a tree has the parts of what is open, and says of the rest how much there is', () => {
  const tree: Tree = {
    ...NO_TREE,
    roots: [entry('cart', value('Cart {…}', 7)), entry('n', value('1'))],
    open: new Set(['cart']),
    parts: new Map([[7, { entries: [entry('size', value('2'), 'property')], total: 3 }]]),
  };
  expect(rowsOfTree(tree).map(({ depth, name, isOpen, more }) => [depth, name, isOpen, more])).toEqual([
    [0, 'cart', true, undefined],
    [1, 'size', false, undefined],
    [1, '', false, 2],
    [0, 'n', false, undefined],
  ]);
  expect(wanted({ ...tree, parts: new Map() })).toEqual([7]);
  expect(wanted(tree)).toEqual([]);
});

test('what is not what it was at the place before is marked, and nothing is at the first place', () => {
  const before: Tree = { ...NO_TREE, roots: [entry('a', value('1')), entry('b', value('1'))] };
  const after: Tree = { ...before, roots: [entry('a', value('1')), entry('b', value('2')), entry('c', value('1'))] };
  const changed = (tree: Tree): string[] =>
    rowsOfTree(tree).flatMap(({ name, isChanged }) => (isChanged ? [name] : []));
  expect(changed(before)).toEqual([]);
  expect(changed({ ...after, before: previews(before) })).toEqual(['b', 'c']);
});

test('one goes back to where one has been and forward again, until one goes elsewhere', () => {
  let trail = ['0.1', '0.2', '0.3'].reduce(gone, NOWHERE);
  expect(gone(trail, '0.3')).toEqual(trail);
  trail = turned(trail, -1) ?? trail;
  trail = turned(trail, -1) ?? trail;
  expect(trail.places[trail.at]).toBe('0.1');
  expect(turned(trail, -1)).toBe(undefined);
  expect(turned(trail, 1)?.at).toBe(1);
  expect(gone(trail, '0.9')).toEqual({ places: ['0.1', '0.9'], at: 1 });
});

test('actors stand below their workers, and a filter leaves out those that have none', () => {
  const actor = (worker: number, name: string) => ({ worker, name, stretches: 1, first: 1, last: 1 });
  const actors = [actor(1, 'Cart#1'), actor(0, 'main'), actor(1, 'Stock')];
  expect(rowsOf(actors).map(({ name, actor: place }) => [name, place])).toEqual([
    ['main thread', undefined],
    ['main', 1],
    ['worker 1', undefined],
    ['Cart#1', 0],
    ['Stock', 2],
  ]);
  expect(rowsOf(actors, 'cart').map(({ name }) => name)).toEqual(['worker 1', 'Cart#1']);
});

test('a place is a file and a line, whatever stands in the name of the file', () => {
  expect(placeIn('/a:b/c.ts:12')).toEqual({ file: '/a:b/c.ts', line: 12 });
  expect(placeIn('/a/c.ts:12:7')).toEqual({ file: '/a/c.ts', line: 12 });
  expect(placeIn('c.ts')).toBe(undefined);
  expect(placeIn(undefined)).toBe(undefined);
});

test('breakpoints of a file are those that are said by the end of its path', () => {
  const all = [
    { file: 'cart.ts', line: 3 },
    { file: 'src/cart.ts', line: 5, condition: 'x' },
    { file: 'art.ts', line: 7 },
    {},
  ];
  expect(breakpointsIn(all, '/app/src/cart.ts')).toEqual([
    { line: 3, condition: undefined },
    { line: 5, condition: 'x' },
  ]);
  expect(isAt({ file: 'cart.ts', line: 3 }, '/app/src/cart.ts', 3)).toBe(true);
});
