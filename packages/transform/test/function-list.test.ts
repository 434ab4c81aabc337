// The functions of a file with the names that users give to breakpoints: `reserve`, `Cart.reserve`, `app.locals.run`.
import { expect, test } from 'vitest';
import { listFunctions } from '@turntable/transform';

/** Functions with names as `Owner.name(parameters)`, in source order. */
function namesIn(source: string, path = 'cart.ts'): string[] {
  return listFunctions(source, path)
    .filter(({ name }) => name !== '' && !name.startsWith('<'))
    .map(({ owner, name, parameters }) => `${owner === undefined ? '' : `${owner}.`}${name}(${parameters.join(', ')})`);
}

test('functions without a name, fields and static blocks are listed with the names of V8', () => {
  const source = `
    list.map((each) => each.id);
    call(function (done) {});
    class Cart { total = count(); static all = []; static { all.push(1); } open = () => 1; }
  `;
  const listed = listFunctions(source, 'cart.js').map(({ name, owner, parameters, start: { line, column } }) =>
    [line, column, owner, name, ...parameters].join(' '),
  );
  expect(listed).toEqual([
    '2 24   each',
    '3 26   done',
    '4 26 Cart <instance_members_initializer>',
    '4 48 Cart <static_initializer>',
    '4 52 Cart <static_initializer>',
    '4 83 Cart <instance_members_initializer>',
    '4 89 Cart open',
  ]);
});

test('declarations, and functions that variables hold, have names', () => {
  expect(
    namesIn(`
      function reserve(item, count) {}
      async function load() {}
      function* walk(tree) {}
      const sum = (a, b) => a + b;
      let add = function (x) {};
      const named = function inner() {};
      export default function main() {}
    `),
  ).toEqual(['reserve(item, count)', 'load()', 'walk(tree)', 'sum(a, b)', 'add(x)', 'inner()', 'main()']);
});

test('a class owns its methods, accessors and fields', () => {
  expect(
    namesIn(`
      class Cart {
        constructor(shop) {}
        add(item) {}
        async #check(limit) {}
        static of(items) {}
        static #last() {}
        get total() {}
        set total(value) {}
        remove = (item) => {};
        static create = function () {};
        'two words'() {}
        [Symbol.iterator]() {}
      }
      const Stock = class { take(count) {} };
      const Named = class Inner { run() {} };
      export default class { close() {} }
    `),
  ).toEqual([
    'Cart.constructor(shop)',
    'Cart.add(item)',
    'Cart.#check(limit)',
    'Cart.of(items)',
    'Cart.#last()',
    'Cart.total()',
    'Cart.total(value)',
    'Cart.remove(item)',
    'Cart.create()',
    'Cart.two words()',
    'Stock.take(count)',
    'Inner.run()',
    'close()',
  ]);
});

test('an object owns its methods, and the target of an assignment its function', () => {
  expect(
    namesIn(
      `
      const api = { get(id) {}, put: async (id, body) => {}, remove: function (id) {}, 7() {}, [key]() {} };
      exports.run = function (args) {};
      app.locals.format = (value) => value;
      Cart.prototype.add = function (item) {};
      handler = () => {};
      Cart.Inner = class { open() {} };
      call({ done() {} });
      list[0] = () => {};
      call(() => {}, function () {});
    `,
      'cart.js',
    ),
  ).toEqual([
    'api.get(id)',
    'api.put(id, body)',
    'api.remove(id)',
    'api.7()',
    'exports.run(args)',
    'app.locals.format(value)',
    'Cart.prototype.add(item)',
    'handler()',
    'Inner.open()',
    'done()',
  ]);
});

test('nested functions are listed where they are written, without the owner of the outer one', () => {
  expect(
    namesIn(`
      class Cart {
        add(item) {
          const check = () => { function deep() {} };
          return { undo() {} };
        }
        remove(item = () => { const inDefault = () => 1; }) {}
      }
      items.map((each) => { const size = () => 1; });
      if (true) { function inBlock() {} }
    `),
  ).toEqual([
    'Cart.add(item)',
    'check()',
    'deep()',
    'undo()',
    'inDefault()',
    'Cart.remove(item)',
    'size()',
    'inBlock()',
  ]);
});

test('parameters are the names that they declare, also in patterns', () => {
  expect(
    namesIn(`
      function f(a, { b, c: d, e = 1, ...g }, [h, , [i]], j = 2, ...k) {}
      class Cart { constructor(private readonly shop: Shop, public total = 0, item?: Item) {} }
      function typed(this: Cart, a: number, b?: string): void {}
    `),
  ).toEqual(['f(a, b, d, e, g, h, i, j, k)', 'Cart.constructor(shop, total, item)', 'typed(a, b)']);
});

test('declarations without a body, which do not exist at run time, are left out', () => {
  expect(
    namesIn(`
      function over(a: number): void;
      function over(a: string): void;
      function over(a: unknown): void {}
      declare function outside(): void;
      abstract class Shape { abstract area(): number; scale(by: number): void; scale(by: unknown) {} }
      interface Shop { open(): void }
    `),
  ).toEqual(['over(a)', 'Shape.scale(by)']);
});

test('a function has the range of its parameters and body, also without a name', () => {
  const source = 'function f(a) {\n  return a;\n}\ncall((x) =>\n  x + 1, () => 2);\n';
  const places = listFunctions(source, 'a.js').map(({ name, head, start, end }) => [
    name,
    ...[head, start, end].map(({ line, column }) => `${line}:${column}`),
  ]);
  expect(places).toEqual([
    ['f', '1:12', '1:15', '3:2'],
    ['', '4:7', '5:3', '5:8'],
    ['', '5:16', '5:16', '5:17'],
  ]);
});

test.each([
  ['a.ts', 'const f = <T,>(x: T): T => x;'],
  ['a.mts', 'const f = (x: number) => x;'],
  ['a.cts', 'const f = (x: number) => x;'],
  ['a.tsx', 'const f = (x: number) => <p>{x}</p>;'],
  ['a.jsx', 'const f = (x) => <p>{x}</p>;'],
  ['a.mjs', 'const f = (x) => x;'],
  ['/p/no-extension', 'const f = (x) => x;'],
])('%s is parsed as its extension says', (path, source) => {
  expect(namesIn(source, path)).toEqual(['f(x)']);
});

test.each([
  ['a.js', 'function f( {'],
  ['a.js', 'const f = (x: number) => x;'],
  ['a.json', '{"a": 1}'],
  ['a.txt', 'some text'],
  ['a.js', ''],
])('a file that cannot be parsed has no functions (%s: %s)', (path, source) => {
  expect(listFunctions(source, path)).toEqual([]);
});
