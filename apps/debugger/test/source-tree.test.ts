// Source analysis of the window: expressions, statements, and the graph of senders and receivers.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StatementInfo, ValueInfo } from '@turntable/time-machine/protocol';
import { expressionOf } from '@turntable/time-machine/client';
import { SourceTree } from '../src/model/source-tree.ts';
import { NODE_HEIGHT, layoutSystem, NODE_WIDTH } from '../src/model/system-layout.ts';
import { edgeWeight, nextMessageBetween, buildSystemGraph } from '../src/model/system-graph.ts';
import type { TreeEntry } from '../src/model/value-tree.ts';
import { randomTasks, buildTimeline, type RandomTask } from './random-timeline.ts';

const createValue = (preview: string, fields: Partial<ValueInfo> = {}): ValueInfo => ({
  kind: 'object',
  preview,
  ...fields,
});
const createEntry = (name: string, is: string, entryValue?: ValueInfo): TreeEntry => ({
  name,
  kind: is,
  isEnumerable: true,
  value: entryValue,
});

test('a part of a value has the expression of the program, and an unreachable part has none', () => {
  const parent = (expression: string | undefined, parentValue = createValue('Order {…}')) => ({
    expression,
    value: parentValue,
  });
  expect(expressionOf(createEntry('this', 'variable'))).toBe('this');
  expect(expressionOf(createEntry('writing.mjs total', 'variable'))).toBe(undefined);
  expect(expressionOf(createEntry('sum', 'property'), parent('this'))).toBe('this.sum');
  expect(expressionOf(createEntry('2', 'property'), parent('this.items'))).toBe('this.items[2]');
  expect(expressionOf(createEntry('a-b', 'property'), parent('o'))).toBe('o["a-b"]');
  expect(expressionOf(createEntry('#name', 'inner'), parent('this'))).toBe('this.#name');
  expect(expressionOf(createEntry('"tea"', 'inner'), parent('stock', createValue('Map(1)', { class: 'Map' })))).toBe(
    'stock.get("tea")',
  );
  expect(
    expressionOf(createEntry('0', 'inner', createValue('7')), parent('seen', createValue('Set(1)', { class: 'Set' }))),
  ).toBe('seen.has(7)');
  const longKey = createEntry('"x…"', 'inner');
  expect(expressionOf(longKey, parent('stock', createValue('Map(1)', { class: 'Map' })))).toBe(undefined);
  expect(expressionOf(createEntry('{a: 1}', 'inner'), parent('stock', createValue('Map(1)', { class: 'Map' })))).toBe(
    undefined,
  );
  expect(expressionOf(createEntry('prototype', 'inner'), parent('this'))).toBe(undefined);
  expect(expressionOf(createEntry('size', 'accessor'), parent('this'))).toBe(undefined);
  expect(expressionOf(createEntry('[Symbol(a)]', 'property'), parent('this'))).toBe(undefined);
  expect(expressionOf(createEntry('sum', 'property'), parent(undefined))).toBe(undefined);
});

/** Parses a source whose statement is between « and ». */
function parseMarked(text: string, name = 'f'): { readonly tree: SourceTree; readonly statement: StatementInfo } {
  const [before = '', inner = '', after = ''] = text.split(/[«»]/);
  const endPosition = (source: string): readonly [number, number] => {
    const lines = source.split('\n');
    return [lines.length, (lines.at(-1)?.length ?? 0) + 1];
  };
  const [[line, column], [endLine, endColumn]] = [endPosition(before), endPosition(before + inner)];
  return {
    tree: new SourceTree(before + inner + after),
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
] as const)('%s: the value of %s has the expected origin', (text, target, copied, parts) => {
  const { tree, statement } = parseMarked(text);
  expect(tree.assignedValue(statement, target)).toEqual({ copiedFrom: copied, operands: [...parts] });
});

test('a statement can span several lines', () => {
  const sentCall = parseMarked('«await customers.replace({\n  ...customer,\n  miles: miles + 5,\n});»');
  expect(sentCall.tree.passedArgument(sentCall.statement, { functionName: 'replace', index: 0 }, '.miles')).toEqual({
    copiedFrom: undefined,
    operands: ['miles'],
  });
});

test('the initial value of a field is its initializer', () => {
  const { tree, statement } = parseMarked('class A { #name = «first»; }');
  expect(tree.assignedValue({ ...statement, kind: 'field' }, 'this.#name')).toEqual({
    copiedFrom: 'first',
    operands: [],
  });
});

test.each([
  ['«order.address = { city, zip: a.zip };»', '.city', 'city', []],
  ['«order.address = { city, zip: a.zip };»', '.zip.code', 'a.zip.code', []],
  ['«order.address = { ...old, zip: a + b };»', '.zip', undefined, ['a', 'b']],
  ['«order.address = { ...old, zip: a + b };»', '.city', 'old.city', []],
  ['«order.address = other;»', '.city', 'other.city', []],
  ['«order.address = made(a);»', '.city', undefined, ['a']],
] as const)('%s: the value of order.address%s has the expected origin', (text, path, copied, parts) => {
  const { tree, statement } = parseMarked(text);
  expect(tree.assignedValue(statement, 'order.address', path)).toEqual({ copiedFrom: copied, operands: [...parts] });
});

test('the argument of a parameter is found in the call, by its index', () => {
  const add = parseMarked(
    'class Till { add(note: string, { amount = 0 }, by?: string) { «this.sum += amount;» } }',
    'add',
  );
  const parameter = (name: string) => add.tree.parameterNamed(add.statement, name);
  expect([parameter('note'), parameter('amount'), parameter('by'), parameter('sum')]).toEqual([
    { functionName: 'add', index: 0 },
    { functionName: 'add', index: 1 },
    { functionName: 'add', index: 2 },
    undefined,
  ]);
  const call = parseMarked('«const sum = await till.add("x", order.lines, who);»');
  expect(call.tree.passedArgument(call.statement, parameter('by'))).toEqual({ copiedFrom: 'who', operands: [] });
  expect(call.tree.passedArgument(call.statement, parameter('note'))).toEqual({ copiedFrom: undefined, operands: [] });
  // A call with another name may pass any argument.
  const other = parseMarked('«const sum = run(order, who);»');
  expect(other.tree.passedArgument(other.statement, parameter('by'))).toEqual({
    copiedFrom: undefined,
    operands: ['order', 'who'],
  });
  const arrow = parseMarked('const f = (a, b) => { «return a + b;» };');
  expect(arrow.tree.parameterNamed(arrow.statement, 'b')).toEqual({ functionName: 'f', index: 1 });
});

test('the expression at the caret is a name, or a member with the object before it', () => {
  const tree = new SourceTree('  total = order.items[2].price + this.#name;\nconst x = 1;');
  const at = (column: number, line = 1): string | undefined => tree.expressionAt(line, column);
  expect([at(4), at(12), at(18), at(27)]).toEqual(['total', 'order', 'order.items', 'order.items[2].price']);
  expect([at(42), at(8, 2), at(1, 2)]).toEqual(['this.#name', 'x', undefined]);
});

const timelineActors = (all: readonly RandomTask[], count = 5) =>
  Array.from({ length: count }, (_, actor) => ({
    worker: actor % 2,
    name: `Clerk ${actor}`,
    taskCount: all.filter((each) => each.actor === actor).length,
    firstTask: 1,
    lastTask: 1,
  }));
const KINDS = ['call', 'fulfil', 'construct'];

test('each task with a known sender is counted once, at the edge from its sender to its actor', () => {
  fc.assert(
    fc.property(randomTasks, (all) => {
      const timeline = buildTimeline(all);
      const { edges, nodes, isGrouped } = buildSystemGraph(timelineActors(all), timeline, KINDS);
      expect(isGrouped).toBe(false);
      expect(nodes.length).toBe(5);
      for (const { from, to, messages, answers, spawns } of edges) {
        const expectedTasks = all.flatMap((each, i) => {
          const sender = timeline.sender(i + 1);
          return each.actor === to && sender !== undefined && all[sender - 1]?.actor === from ? [each] : [];
        });
        expect(messages + answers + spawns).toBe(expectedTasks.length);
        // In random timelines, the kind of a task is a function of its actor.
        expect(answers).toBe(KINDS[to % 3] === 'fulfil' ? expectedTasks.length : 0);
        expect(spawns).toBe(KINDS[to % 3] === 'construct' ? expectedTasks.length : 0);
      }
      const withSender = all.filter((_, i) => timeline.sender(i + 1) !== undefined).length;
      expect(edges.reduce((sum, each) => sum + edgeWeight(each), 0)).toBe(withSender);
    }),
  );
});

test('too many actors are grouped by class, and no actor is lost', () => {
  const timeline = buildTimeline([{ actor: 0, waitMs: 0, sender: 0, eventKind: undefined }]);
  const many = ['Till#1', ...Array.from({ length: 300 }, (_, i) => `Clerk#${i}`)].map((name) => ({
    worker: 0,
    name,
    taskCount: 1,
    firstTask: 1,
    lastTask: 1,
  }));
  const classes = buildSystemGraph(many, timeline, KINDS, { maxNodes: 10 });
  expect(classes.nodes.map(({ name, turns }) => [name, turns])).toEqual([
    ['Till', 1],
    ['Clerk (300)', 300],
  ]);
  const letters = Array.from({ length: 50 }, (_, i) => ({
    worker: 0,
    name: `${String.fromCodePoint(65 + (i % 25))}${i < 25 ? '' : 'x'}`,
    taskCount: 50 - i,
    firstTask: 1,
    lastTask: 1,
  }));
  const { nodes, isGrouped } = buildSystemGraph(letters, timeline, KINDS, { maxNodes: 10 });
  expect(isGrouped).toBe(true);
  expect(nodes.length).toBe(10);
  expect(nodes.at(-1)?.name).toBe('all others (41)');
  expect(nodes.flatMap(({ actorIndexes: actors }) => actors).toSorted((a, b) => a - b)).toEqual(
    letters.map((_, i) => i),
  );
});

test('nodes do not overlap, and each edge is drawn', () => {
  fc.assert(
    fc.property(randomTasks, (all) => {
      const system = buildSystemGraph(timelineActors(all), buildTimeline(all), KINDS);
      const { nodePoints, edges: lines, width, height } = layoutSystem(system);
      expect(lines.length).toBe(system.edges.length);
      for (const [i, { x, y }] of nodePoints.entries()) {
        expect(x >= 0 && x + NODE_WIDTH <= width && y >= 0 && y + NODE_HEIGHT <= height).toBe(true);
        for (const other of nodePoints.slice(i + 1))
          expect(Math.abs(other.x - x) >= NODE_WIDTH || Math.abs(other.y - y) >= NODE_HEIGHT).toBe(true);
      }
    }),
  );
});

test('the next message between two nodes is the nearest later one', () => {
  fc.assert(
    fc.property(randomTasks, fc.nat(300), (all, order) => {
      const timeline = buildTimeline(all);
      const { nodes } = buildSystemGraph(timelineActors(all), timeline, KINDS);
      const [from, to] = [nodes[1]!, nodes[2]!];
      const expected = all.findIndex((each, i) => {
        const sender = timeline.sender(i + 1);
        return i + 1 > order && each.actor === 2 && sender !== undefined && all[sender - 1]?.actor === 1;
      });
      expect(nextMessageBetween(timeline, from, to, order)).toBe(expected === -1 ? undefined : expected + 1);
    }),
  );
});
