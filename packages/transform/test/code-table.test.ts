import { describe, expect, it } from 'vitest';
import { transform, type CodeTable } from '@turntable/transform';

function tableOf(source: string, kind: 'module' | 'commonjs' = 'commonjs'): CodeTable {
  return transform(source, { path: 'a.js', kind }).table;
}

function entry(table: CodeTable, name: string) {
  const found = table.functions.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
}

describe('the table of functions', () => {
  it('lists what a function captures, and boxes only what a nested function assigns', () => {
    const table = tableOf('function outer(a) { let n = 0; function inc() { n++; return a; } return inc; }');
    expect(entry(table, 'inc')).toMatchObject({ captures: ['n', 'a'], boxed: [true, false] });
    expect(entry(table, 'outer').captures).toEqual([]);
  });

  it('does not list variables of the file itself', () => {
    const table = tableOf('let total = 0; exports.add = (n) => () => { total += n; };');
    expect(table.functions.map((each) => each.captures)).toEqual([[], ['n']]);
  });

  it('passes captures on through the functions in between', () => {
    const table = tableOf('function a(x) { return function b() { return () => x; }; }');
    expect(entry(table, 'b').captures).toEqual(['x']);
  });

  it('lists this, arguments and new.target of arrows', () => {
    const table = tableOf('function F() { return () => [this, arguments, new.target]; }');
    expect(table.functions[1]?.captures).toEqual(['this', 'arguments', 'new.target']);
  });

  it('names the variables of a file in the order in which its code reads them', () => {
    const source =
      'read(); const a = await 1; let b = a; function read() { return a; } async function later() {} class C {}';
    for (const text of [source, source.replace('await', '')]) {
      const { code, table } = transform(text, { path: 'a.mjs', kind: 'module' });
      expect([...code.matchAll(/case \d+: return (\w+); /g)].map(([, name]) => name)).toEqual(table.module.variables);
    }
  });

  it('gives a variable an explicit dead zone only if a closure can run before the declaration', () => {
    const storage = (source: string): string | undefined =>
      tableOf(source)
        .scopes.flatMap((scope) => scope.variables)
        .find((variable) => variable.name === 'x')?.storage;
    const around = (before: string, after: string): string => `function* f() { ${before} let x = 0; x++; ${after} }`;
    expect(storage(around('(() => x)();', ''))).toBe('cell');
    expect(storage(around('function g() { return x; } g();', ''))).toBe('cell');
    expect(storage(around('const g = () => x, h = () => g(); h();', ''))).toBe('cell');
    expect(storage(around('class A { m() { return x; } } new A().m();', ''))).toBe('cell');
    expect(storage(around('function g() { return x; }', 'g();'))).toBe('box');
    expect(storage(around('const g = () => x, h = () => g();', 'h();'))).toBe('box');
  });

  it('boxes a loop variable only if closures assign it or a suspended function shares it', () => {
    const storage = (source: string): string | undefined =>
      tableOf(source)
        .scopes.flatMap((scope) => scope.variables)
        .find((variable) => variable.name === 'i')?.storage;
    expect(storage('function f(g) { for (let i = 0; i < 3; i++) g(() => i); }')).toBe('local');
    expect(storage('function f(g) { for (let i = 0; i < 3; i++) g(() => i++); }')).toBe('box');
    expect(storage('async function f(g) { for (let i = 0; i < 3; i++) g(() => i); await 0; }')).toBe('box');
    expect(storage('function f(g) { for (let i = 0; i < 3; i++) g(async () => await i); }')).toBe('box');
  });

  it('gives an async function a step only if it suspends', () => {
    const table = tableOf('async function plain(x) { return x; } async function waits(x) { return await x; }');
    expect(table.functions.map((each) => each.step !== null)).toEqual([false, true]);
  });

  it('gives every suspension point its position and live slots', () => {
    const source = 'async function f(a, b) { const x = await a; await b; return x; }';
    const { step } = entry(tableOf(source), 'f');
    expect(step?.points.map((point) => source.slice(point.at, point.at + 7))).toEqual(['await a', 'await b']);
    const live = step?.points.map((point) => point.live.map((slot) => step.slots[slot]));
    expect(live).toEqual([['b'], ['x']]);
  });

  it('names the live slots of a suspension point by the variables that use them there', () => {
    const namesOf = (step: CodeTable['topLevelStep'] | null) =>
      step?.points.map(({ live, names }) => names ?? live.map((slot) => step.slots[slot]));
    const blocks = 'async function f(g) { { const a = 1; await a; g(a); } { const b = 2; await b; g(b); } }';
    expect(namesOf(entry(tableOf(blocks), 'f').step)).toEqual([
      ['g', 'a'],
      ['g', 'b'],
    ]);
    const hidden = 'async function f(x, y) { { const x = y; await x; } await y; return x; }';
    expect(namesOf(entry(tableOf(hidden), 'f').step)).toEqual([['', 'y'], ['x']]);
    const module = tableOf('for (const n of [1]) { await n; n; } { const m = 2; await m; m; }', 'module');
    expect(namesOf(module.topLevelStep)).toEqual([['for of', 'n'], ['m']]);
    expect(tableOf('export const n = 1;', 'module').topLevelStep).toBeUndefined();
  });

  it('keeps positions of the original text for functions, methods and classes', () => {
    const source = 'class A { static async *m() {} get x() { return 1; } }';
    const { functions, classes } = tableOf(source);
    expect(functions.map((each) => source.slice(each.start, each.end))).toEqual([
      'async *m() {}',
      'get x() { return 1; }',
    ]);
    expect(classes.map((each) => source.slice(each.start, each.end))).toEqual([source]);
  });
});

describe('the table of a module', () => {
  it('lists requests, imports and exports as linking needs them', () => {
    const source = `
      import d, { a as b } from './a.js';
      import * as ns from './n.js' with { type: 'json' };
      export { b, d as 'string name' };
      export * from './s.js';
      export * as star from './s.js';
      export { x as y } from './x.js';
      export let counter = 0;
      export default class {}
      export function bump() { counter++; ns; }
    `;
    const { module } = tableOf(source, 'module');
    expect(module.requests.map(({ specifier, attributes }) => [specifier, attributes])).toEqual([
      ['./a.js', {}],
      ['./n.js', { type: 'json' }],
      ['./s.js', {}],
      ['./x.js', {}],
    ]);
    expect(module.imports).toEqual([
      { request: 0, name: 'default', local: 'd' },
      { request: 0, name: 'a', local: 'b' },
      { request: 1, name: '*', local: 'ns' },
    ]);
    expect(module.exports).toEqual([
      { exported: 'b', request: 0, name: 'a' },
      { exported: 'string name', request: 0, name: 'default' },
      { exported: null, request: 2 },
      { exported: 'star', request: 2, name: '*' },
      { exported: 'y', request: 3, name: 'x' },
      { exported: 'counter', cell: 'counter' },
      { exported: 'default', cell: '*default*' },
      { exported: 'bump', cell: 'bump' },
    ]);
    expect(module.async).toBe(false);
  });

  it('detects top-level await, also in for await, but not in functions', () => {
    expect(tableOf('await 0;', 'module').module.async).toBe(true);
    expect(tableOf('for await (const x of []) {}', 'module').module.async).toBe(true);
    expect(tableOf('async () => await 0;', 'module').module.async).toBe(false);
  });
});

describe('the table of statements', () => {
  const written = (source: string): (string | null)[] =>
    transform(source, { path: 'a.ts', kind: 'module', debug: true }).table.statements.map((each) =>
      each.originalRange ? source.slice(...each.originalRange) : null,
    );

  it('gives the original ranges of TypeScript statements', () => {
    const source = `async function pay(cart: Cart): Promise<number> {
  const paid = await this.pay(
    cart as Cart,
  );
  for (let i = 0; i < paid; i++)
    sum += i!;
  const later = ({ items }: Cart): number =>
    items
  return paid satisfies number
}`;
    expect(written(source)).toEqual([
      'const paid = await this.pay(\n    cart as Cart,\n  );',
      'for (let i = 0; i < paid; i++)',
      'sum += i!;',
      'const later = ({ items }: Cart): number =>\n    items',
      'items',
      'return paid satisfies number',
    ]);
  });

  it('ends a statement with nested ones at the end of its head', () => {
    const source = 'if (a)\n{ b(); } switch (c()) { case 1: while (d()) e() }\nclass F extends G {\n}';
    const { table } = transform(source, { path: 'a.js', kind: 'commonjs', debug: true });
    expect(table.statements.map(({ start, end }) => source.slice(start, end))).toEqual([
      'if (a)',
      'b();',
      'switch (c())',
      'd()',
      'e()',
      'class F extends G',
    ]);
  });

  it('omits statements that lowering has added', () => {
    expect(written('enum Size { Small }\nuse(Size.Small);').at(-1)).toBe('use(Size.Small);');
    expect(new Set(written('enum Size { Small }'))).toEqual(new Set([null]));
  });
});
