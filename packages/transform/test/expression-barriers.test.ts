/*
 * An expression with barriers behaves as without. Before each write of a property, the barrier reports object and key.
 */
import { runInThisContext } from 'node:vm';
import { addExpressionBarriers } from '@turntable/transform';
import { expect, test } from 'vitest';

interface EvaluatedObjects {
  o: { x?: number; list: number[]; deep: { x?: number }; re: RegExp; none?: { x: number } };
  notes: string[];
}

const NAMES = ['o', 'f', 'tt$w', 'tt$o', 'tt$i', 'tt$k', 'tt$d', 'tt$g'];

function evaluated(code: string): EvaluatedObjects & { value: unknown } {
  const o: EvaluatedObjects['o'] = { x: 1, list: [1, 2], deep: { x: 3 }, re: /a/g };
  const notes: string[] = [];
  const objects: unknown[] = [];
  const named = (object: unknown): string =>
    object === o ? 'o' : (Object.entries(o).find(([, each]) => each === object)?.[0] ?? typeof object);
  const note = (object: unknown, key: unknown): unknown => {
    notes.push(`${named(object)}.${String(key)}`);
    return object;
  };
  const barriers = [
    true,
    note,
    (object: unknown) => (objects.push(object), object),
    (key: unknown) => (note(objects.pop(), key), key),
    (object: unknown) => note(object, '*'),
    (_: null, name: string) => void notes.push(name),
  ];
  const run = runInThisContext(`(function (${NAMES.join(', ')}) { return (${code}\n); })`) as (
    ...args: unknown[]
  ) => unknown;
  const value = run(o, () => o, ...barriers);
  return { o, notes, value };
}

const WRITING: readonly (readonly [text: string, notes: readonly string[]])[] = [
  ['o.x = 2', ['o.x']],
  ['f().x += 2', ['o.x']],
  ['(o).deep.x++', ['deep.x']],
  ['o["li" + "st"][0] = o.deep.x = 7', ['list.0', 'deep.x']],
  ['o.list[o.x--] = 5', ['o.x', 'list.1']],
  ['[o.x, ...o.list[0]] = [3, 4, 5], { x: o.deep.x, y: [o.x] = [9] } = { x: 8 }', ['o.x', 'list.0', 'deep.x', 'o.x']],
  ['delete o.x && delete o?.deep', ['o.*', 'o.*']],
  ['delete o.re.exec("a").index', ['re.lastIndex', 'object.*']],
  ['o.re.test("aa") && "aa".replaceAll(o.re, (each) => each + o.x++)', ['re.lastIndex', 're.lastIndex', 'o.x', 'o.x']],
  ['(() => { for (o.x in { a: 1, b: 2 }); let y\n y = o.deep\n y.x = 1; return y })()', ['o.x', 'o.x', 'y', 'deep.x']],
  ['o.none?.x, o.x == 1 ? "no = " + o.x : 0', []],
];

test.for(WRITING)('%s', ([text, notes]) => {
  const { code, isComplete: isWhole } = addExpressionBarriers(text);
  expect(isWhole).toBe(true);
  const [plain, withBarriers] = [evaluated(text), evaluated(code)];
  expect(withBarriers.notes).toEqual(notes);
  expect([withBarriers.o, withBarriers.value, withBarriers.o.re.lastIndex]).toEqual([
    plain.o,
    plain.value,
    plain.o.re.lastIndex,
  ]);
});

test.for(['eval("o.x = 2")', 'delete o.none?.x.y', 'o.none?.re.exec("a")', '({ set() { super.x = 1; } }).set()'])(
  'what %s writes is not told',
  (text) => {
    const { code, isComplete: isWhole } = addExpressionBarriers(text);
    expect(isWhole).toBe(false);
    expect(evaluated(code).value).toEqual(evaluated(text).value);
  },
);
