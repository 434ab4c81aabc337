/*
 * A console input runs as statements in a `with` block and has a value. Before each write of a property, a barrier reports
 * object and key.
 */
import { runInThisContext } from 'node:vm';
import { toConsoleInput, type InputCode } from '@turntable/transform';
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
  const run = runInThisContext(`(function (${NAMES.join(', ')}) { ${code}\n })`) as (...args: unknown[]) => unknown;
  const value = run(o, () => o, ...barriers);
  return { o, notes, value };
}

function toInput(text: string): InputCode {
  const input = toConsoleInput(text, 'read');
  if (input === undefined) throw new SyntaxError(text);
  return input;
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
  const { code, hasAllBarriers: isWhole } = toInput(text);
  expect(isWhole).toBe(true);
  const [plain, withBarriers] = [evaluated(`return (${text}\n)`), evaluated(code)];
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
    const { code, hasAllBarriers: isWhole } = toInput(text);
    expect(isWhole).toBe(false);
    expect(evaluated(code).value).toEqual(evaluated(`return (${text}\n)`).value);
  },
);

interface RunInput {
  readonly value: unknown;
  readonly declared: object;
  readonly constants: readonly string[];
}

/** Runs an input with variables in scope. `tt$await` doubles its argument. */
function runInput(text: string, scope: object): RunInput {
  let declared = {};
  let constants: readonly string[] = [];
  const declare = (value: unknown, variables: object, names: readonly string[]): unknown => {
    declared = { ...declared, ...variables };
    constants = names;
    return value;
  };
  const names = 'tt$scope, tt$await, tt$this, tt$declare, read, tt$w, tt$g, tt$o';
  const source = `(function (${names}) { with (tt$scope) { ${toInput(text).code}\n} })`;
  const run = runInThisContext(source) as (...args: unknown[]) => unknown;
  const value = run(
    scope,
    (each: number) => each * 2,
    () => 'self',
    declare,
    undefined,
    false,
  );
  return { value, declared, constants };
}

test.for<[string, unknown, object?]>([
  ['let x = 3; x + n', 8, { x: 3 }],
  ['const { a, b: [c = 4] } = { a: 1, b: [] }; [a, c]', [1, 4], { a: 1, c: 4 }],
  ['function f() { return n } f()', 5, { f: expect.any(Function) }],
  ['class C { m() { return 2 } }\nnew C().m()', 2, { C: expect.any(Function) }],
  ['let list: number[] = []; for (const i of [1, 2]) list.push(i * n); list', [5, 10], { list: [5, 10] }],
  ['{ let inner = 1; inner }', undefined],
  ['{ a: n }', { a: 5 }],
  ['if (n) 1', undefined],
  ['await n', 10],
  ['const y = await n + 1; y', 11, { y: 11 }],
  ['(async () => await n)() instanceof Promise', true],
  ['await (n)', 10],
  ['(await n)', 10],
  ['((n))', 5],
  ['(n); (n + 1)', 6],
  ['(function f() {}).name', 'f'],
  ['this', 'self'],
  ['(() => this)()', 'self'],
  ['({ m() { return this.k }, k: 4 }).m()', 4],
  ['n // a comment', 5],
  ['', undefined],
])('the value of "%s"', ([text, value, declared = {}]) => {
  const result = runInput(text, { n: 5 });
  expect([result.value, result.declared]).toEqual([value, declared]);
});

test('names of constants are listed', () => {
  const { constants } = runInput('const a = 1, { b } = { b: 2 }; let c = 3; var d = 4; class E {}', {});
  expect(constants).toEqual(['a', 'b']);
});

test('assignments reach the variables of the scope', () => {
  const scope = { n: 5, m: 1, list: [0] };
  runInput('n = 6; [m] = [n + 1]; (() => n++)(); for (list of [[1]]);', scope);
  expect(scope).toEqual({ n: 7, m: 7, list: [1] });
});

test.for(['n = 1', '(n = 1)', 'n++', '[n] = [1]', '(() => { n = 1 })()', 'let x = 1'])(
  '%s has effects of its own',
  (text) => {
    expect(toInput(text).hasOwnEffects).toBe(true);
  },
);

test.for(['n + 1', 'o.x = 1', 'f(n)', 'await n', 'if (n) f()'])('%s has no effects of its own', (text) => {
  expect(toInput(text).hasOwnEffects).toBe(false);
});

test.for(['let =', 'a b', 'return 1', '}', 'for (', '#x'])('%s is not valid', (text) => {
  expect(toConsoleInput(text, 'read')).toBeUndefined();
});
