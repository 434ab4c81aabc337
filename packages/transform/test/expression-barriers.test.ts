/*
 * An expression with barriers does what it does without, and before it writes a property that is told, with its object.
 */
import { runInThisContext } from 'node:vm';
import { barredExpression } from '@turntable/transform';
import { expect, test } from 'vitest';

interface Here {
  o: { x?: number; list: number[]; deep: { x?: number }; re: RegExp; none?: { x: number } };
  told: string[];
}

const NAMES = ['o', 'f', 'tt$w', 'tt$o', 'tt$i', 'tt$k', 'tt$d', 'tt$g'];

function evaluated(code: string): Here & { value: unknown } {
  const o: Here['o'] = { x: 1, list: [1, 2], deep: { x: 3 }, re: /a/g };
  const told: string[] = [];
  const objects: unknown[] = [];
  const named = (object: unknown): string =>
    object === o ? 'o' : (Object.entries(o).find(([, each]) => each === object)?.[0] ?? typeof object);
  const tell = (object: unknown, key: unknown): unknown => {
    told.push(`${named(object)}.${String(key)}`);
    return object;
  };
  const barriers = [
    true,
    tell,
    (object: unknown) => (objects.push(object), object),
    (key: unknown) => (tell(objects.pop(), key), key),
    (object: unknown) => tell(object, '*'),
    (_: null, name: string) => void told.push(name),
  ];
  const run = runInThisContext(`(function (${NAMES.join(', ')}) { return (${code}\n); })`) as (
    ...args: unknown[]
  ) => unknown;
  const value = run(o, () => o, ...barriers);
  return { o, told, value };
}

const WRITING: readonly (readonly [text: string, told: readonly string[]])[] = [
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

test.for(WRITING)('%s', ([text, told]) => {
  const { code, isWhole } = barredExpression(text);
  expect(isWhole).toBe(true);
  const [plain, barred] = [evaluated(text), evaluated(code)];
  expect(barred.told).toEqual(told);
  expect([barred.o, barred.value, barred.o.re.lastIndex]).toEqual([plain.o, plain.value, plain.o.re.lastIndex]);
});

test.for(['eval("o.x = 2")', 'delete o.none?.x.y', 'o.none?.re.exec("a")', '({ set() { super.x = 1; } }).set()'])(
  'what %s writes is not told',
  (text) => {
    const { code, isWhole } = barredExpression(text);
    expect(isWhole).toBe(false);
    expect(evaluated(code).value).toEqual(evaluated(text).value);
  },
);
