// What the window knows of expressions, of statements and of who sends to whom, without asking anybody.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ToldStatement, ToldValue } from '@turntable/time-machine/protocol';
import { expressionOf } from '@turntable/time-machine/client';
import { SourceTree } from '../src/model/given.ts';
import { HEIGHT, layoutOf, WIDTH } from '../src/model/system-layout.ts';
import { amountOf, nextBetween, systemOf } from '../src/model/system.ts';
import type { Entry } from '../src/model/tree.ts';
import { stretches, timeLineOf, type Drawn } from './random-time-line.ts';

const value = (preview: string, its: Partial<ToldValue> = {}): ToldValue => ({ kind: 'object', preview, ...its });
const entry = (name: string, is: string, its?: ToldValue): Entry => ({ name, is, isEnumerable: true, value: its });

test('a part is called as the program would call it, and parts that nothing leads to have no name', () => {
  const within = (expression: string | undefined, its = value('Order {…}')) => ({ expression, value: its });
  expect(expressionOf(entry('this', 'variable'))).toBe('this');
  expect(expressionOf(entry('writing.mjs total', 'variable'))).toBe(undefined);
  expect(expressionOf(entry('sum', 'property'), within('this'))).toBe('this.sum');
  expect(expressionOf(entry('2', 'property'), within('this.items'))).toBe('this.items[2]');
  expect(expressionOf(entry('a-b', 'property'), within('o'))).toBe('o["a-b"]');
  expect(expressionOf(entry('#name', 'inner'), within('this'))).toBe('this.#name');
  expect(expressionOf(entry('"tea"', 'inner'), within('stock', value('Map(1)', { class: 'Map' })))).toBe(
    'stock.get("tea")',
  );
  expect(expressionOf(entry('0', 'inner', value('7')), within('seen', value('Set(1)', { class: 'Set' })))).toBe(
    'seen.has(7)',
  );
  const longKey = entry('"x…"', 'inner');
  expect(expressionOf(longKey, within('stock', value('Map(1)', { class: 'Map' })))).toBe(undefined);
  expect(expressionOf(entry('{a: 1}', 'inner'), within('stock', value('Map(1)', { class: 'Map' })))).toBe(undefined);
  expect(expressionOf(entry('prototype', 'inner'), within('this'))).toBe(undefined);
  expect(expressionOf(entry('size', 'accessor'), within('this'))).toBe(undefined);
  expect(expressionOf(entry('[Symbol(a)]', 'property'), within('this'))).toBe(undefined);
  expect(expressionOf(entry('sum', 'property'), within(undefined))).toBe(undefined);
});

/** The statement that a text has between « and ». */
function marked(text: string, name = 'f'): { readonly tree: SourceTree; readonly statement: ToldStatement } {
  const [before = '', its = '', behind = ''] = text.split(/[«»]/);
  const place = (at: string): readonly [number, number] => {
    const lines = at.split('\n');
    return [lines.length, (lines.at(-1)?.length ?? 0) + 1];
  };
  const [[line, column], [endLine, endColumn]] = [place(before), place(before + its)];
  return {
    tree: new SourceTree(before + its + behind),
    statement: { file: 'x.ts', line, column, endLine, endColumn, function: name, kind: 'statement' },
  };
}

test.each([
  ['«this.sum = before + amount;»', 'this.sum', undefined, ['before', 'amount']],
  ['«const before = this.sum;»', 'before', 'this.sum', []],
  ['«const before: number = (this.sum)!;»', 'before', 'this.sum', []],
  ['«let a = b, c = d.e;»', 'c', 'd.e', []],
  ['«total += price * 2;»', 'total', undefined, ['total', 'price']],
  ['«count++;»', 'count', undefined, ['count']],
  ['«self.sum = order.items[0];»', 'this.sum', 'order.items[0]', []],
  ['«x = stock.get(key);»', 'x', 'stock.get(key)', []],
  ['«x = Math.max(last, sum);»', 'x', undefined, ['last', 'sum']],
  ['«x = { a, b: c.d, e: () => f };»', 'x', undefined, ['a', 'c.d']],
  ['«const { a, b } = order;»', 'b', 'order.b', []],
  ['«const { a, lines: { last: b = 1 } } = order;»', 'b', 'order.lines.last', []],
  ['«const { a, ...b } = order;»', 'b', undefined, ['order']],
  ['«const [a, b] = order;»', 'b', undefined, ['order']],
  ['«const { a } = find(order);»', 'a', undefined, ['order']],
  ['«stock.set("tea", count);»', 'stock.get("tea")', undefined, ['count']],
  ['«items.push(next);»', 'items[3]', 'next', []],
  ['«last = Math.max(last, sum);»', 'i', undefined, []],
  ['«const sum = await till.add(i);»', 'sum', undefined, ['i']],
] as const)('%s gives %s what it says', (text, what, copied, parts) => {
  const { tree, statement } = marked(text);
  expect(tree.givenBy(statement, what)).toEqual({ copied, parts: [...parts] });
});

test('a statement may be of several lines', () => {
  const sending = marked('«await customers.replace({\n  ...customer,\n  miles: miles + 5,\n});»');
  expect(sending.tree.passedBy(sending.statement, { function: 'replace', place: 0 }, '.miles')).toEqual({
    copied: undefined,
    parts: ['miles'],
  });
});

test('what an object begins with is the value of its field', () => {
  const { tree, statement } = marked('class A { #name = «first»; }');
  expect(tree.givenBy({ ...statement, kind: 'field' }, 'this.#name')).toEqual({ copied: 'first', parts: [] });
});

test.each([
  ['«order.address = { city, zip: a.zip };»', '.city', 'city', []],
  ['«order.address = { city, zip: a.zip };»', '.zip.code', 'a.zip.code', []],
  ['«order.address = { ...old, zip: a + b };»', '.zip', undefined, ['a', 'b']],
  ['«order.address = { ...old, zip: a + b };»', '.city', 'old.city', []],
  ['«order.address = other;»', '.city', 'other.city', []],
  ['«order.address = made(a);»', '.city', undefined, ['a']],
] as const)('%s says of what %s was', (text, rest, copied, parts) => {
  const { tree, statement } = marked(text);
  expect(tree.givenBy(statement, 'order.address', rest)).toEqual({ copied, parts: [...parts] });
});

test('what is passed for a parameter is found in the call, by the place of both', () => {
  const add = marked('class Till { add(note: string, { amount = 0 }, by?: string) { «this.sum += amount;» } }', 'add');
  const parameter = (name: string) => add.tree.parameterAt(add.statement, name);
  expect([parameter('note'), parameter('amount'), parameter('by'), parameter('sum')]).toEqual([
    { function: 'add', place: 0 },
    { function: 'add', place: 1 },
    { function: 'add', place: 2 },
    undefined,
  ]);
  const call = marked('«const sum = await till.add("x", order.lines, who);»');
  expect(call.tree.passedBy(call.statement, parameter('by'))).toEqual({ copied: 'who', parts: [] });
  expect(call.tree.passedBy(call.statement, parameter('note'))).toEqual({ copied: undefined, parts: [] });
  // Of a call that has another name nobody knows which argument it is.
  const other = marked('«const sum = run(order, who);»');
  expect(other.tree.passedBy(other.statement, parameter('by'))).toEqual({ copied: undefined, parts: ['order', 'who'] });
  const arrow = marked('const f = (a, b) => { «return a + b;» };');
  expect(arrow.tree.parameterAt(arrow.statement, 'b')).toEqual({ function: 'f', place: 1 });
});

test('the caret is in a name, or in a part of what stands before it', () => {
  const tree = new SourceTree('  total = order.items[2].price + this.#name;\nconst x = 1;');
  const at = (column: number, line = 1): string | undefined => tree.expressionAt(line, column);
  expect([at(4), at(12), at(18), at(27)]).toEqual(['total', 'order', 'order.items', 'order.items[2].price']);
  expect([at(42), at(8, 2), at(1, 2)]).toEqual(['this.#name', 'x', undefined]);
});

const actorsOf = (all: readonly Drawn[], count = 5) =>
  Array.from({ length: count }, (_, actor) => ({
    worker: actor % 2,
    name: `Clerk ${actor}`,
    stretches: all.filter((each) => each.actor === actor).length,
    first: 1,
    last: 1,
  }));
const KINDS = ['call', 'fulfil', 'construct'];

test('every stretch whose sender is known is counted once, from whom and to whom', () => {
  fc.assert(
    fc.property(stretches, (all) => {
      const timeLine = timeLineOf(all);
      const { traffic, parties, isGrouped } = systemOf(actorsOf(all), timeLine, KINDS);
      expect(isGrouped).toBe(false);
      expect(parties.length).toBe(5);
      for (const { from, to, messages, answers, spawns } of traffic) {
        const those = all.flatMap((each, i) => {
          const sender = timeLine.sender(i + 1);
          return each.actor === to && sender !== undefined && all[sender - 1]?.actor === from ? [each] : [];
        });
        expect(messages + answers + spawns).toBe(those.length);
        // Kinds of these time lines are those of their actors.
        expect(answers).toBe(KINDS[to % 3] === 'fulfil' ? those.length : 0);
        expect(spawns).toBe(KINDS[to % 3] === 'construct' ? those.length : 0);
      }
      const known = all.filter((_, i) => timeLine.sender(i + 1) !== undefined).length;
      expect(traffic.reduce((sum, each) => sum + amountOf(each), 0)).toBe(known);
    }),
  );
});

test('more actors than can be told apart are one for each class, and nobody is left out', () => {
  const timeLine = timeLineOf([{ actor: 0, wait: 0, sender: 0, mark: undefined }]);
  const many = ['Till#1', ...Array.from({ length: 300 }, (_, i) => `Clerk#${i}`)].map((name) => ({
    worker: 0,
    name,
    stretches: 1,
    first: 1,
    last: 1,
  }));
  const classes = systemOf(many, timeLine, KINDS, { most: 10 });
  expect(classes.parties.map(({ name, turns }) => [name, turns])).toEqual([
    ['Till', 1],
    ['Clerk (300)', 300],
  ]);
  const letters = Array.from({ length: 50 }, (_, i) => ({
    worker: 0,
    name: `${String.fromCodePoint(65 + (i % 25))}${i < 25 ? '' : 'x'}`,
    stretches: 50 - i,
    first: 1,
    last: 1,
  }));
  const { parties, isGrouped } = systemOf(letters, timeLine, KINDS, { most: 10 });
  expect(isGrouped).toBe(true);
  expect(parties.length).toBe(10);
  expect(parties.at(-1)?.name).toBe('all others (41)');
  expect(parties.flatMap(({ actors }) => actors).toSorted((a, b) => a - b)).toEqual(letters.map((_, i) => i));
});

test('nobody stands upon another, and each line goes from one to the other', () => {
  fc.assert(
    fc.property(stretches, (all) => {
      const system = systemOf(actorsOf(all), timeLineOf(all), KINDS);
      const { places, lines, width, height } = layoutOf(system);
      expect(lines.length).toBe(system.traffic.length);
      for (const [i, { x, y }] of places.entries()) {
        expect(x >= 0 && x + WIDTH <= width && y >= 0 && y + HEIGHT <= height).toBe(true);
        for (const other of places.slice(i + 1))
          expect(Math.abs(other.x - x) >= WIDTH || Math.abs(other.y - y) >= HEIGHT).toBe(true);
      }
    }),
  );
});

test('the next message between two is the nearest one behind', () => {
  fc.assert(
    fc.property(stretches, fc.nat(300), (all, behind) => {
      const timeLine = timeLineOf(all);
      const { parties } = systemOf(actorsOf(all), timeLine, KINDS);
      const [from, to] = [parties[1]!, parties[2]!];
      const expected = all.findIndex((each, i) => {
        const sender = timeLine.sender(i + 1);
        return i + 1 > behind && each.actor === 2 && sender !== undefined && all[sender - 1]?.actor === 1;
      });
      expect(nextBetween(timeLine, from, to, behind)).toBe(expected === -1 ? undefined : expected + 1);
    }),
  );
});
