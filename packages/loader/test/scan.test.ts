import { describe, expect, it } from 'vitest';
import { quickScan } from '../src/classification/quick-scan.ts';
import type { ScannedRequest } from '../src/classification/quick-scan.ts';
import { tokenScan, scan } from '../src/classification/scan.ts';

const specifiersIn = (source: string): string[] => scan(source).requests.map(({ specifier }) => specifier);

describe('the scanner', () => {
  it('finds all kinds of module requests', () => {
    expect(
      specifiersIn(`import 'a'; import b from 'b'; import { c } from 'c'; import * as d from 'd'; import e, { f } from 'e'; export * from 'f';
        export { g } from 'g'; export * as h from 'h'; const i = require('i'); import j from "j" with { type: 'json' }; await import('k');`),
    ).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k']);
  });

  it('ignores comments, strings, templates and regular expressions', () => {
    expect(
      specifiersIn(`// require('a')
        /* import 'b' */ const s = "require('c')", t = \`require('d') \${require('yes')} \`, r = /require\\('e'\\)[/"']/g, q = a / b / require('too');
        x.require('f'); const o = { require: 1 }; if (a) /import 'g'/.test(a); foo(1) / 2; import.meta.url;`),
    ).toEqual(['yes', 'too']);
  });

  it('finds the members used of a module', () => {
    const members = (source: string): unknown => scan(source).requests[0]?.members;
    expect(members("const { a, b: c } = require('x');")).toEqual(['a', 'b']);
    expect(members("const x = require('x'); x.one(); x.two; y.x.three();")).toEqual(['one', 'two']);
    expect(members("const x = require('x'); x.one(); f(x);")).toBe(undefined);
    expect(members("module.exports = require('x').one;")).toEqual(['one']);
    expect(members("import { a as b, c } from 'x';")).toEqual(['a', 'c']);
    expect(members("import * as x from 'x'; x.one(x.two);")).toEqual(['one', 'two']);
    expect(members("import x from 'x'; x.one();")).toEqual(['one']);
    expect(members("export * from 'x';")).toBe(undefined);
  });

  it('marks requests inside functions as lazy', () => {
    const lazyFlagsOf = (source: string): unknown => scan(source).requests.map((request) => request.isLazy);
    expect(
      lazyFlagsOf(
        "if (a) { require('x'); } function f() { require('y'); } const g = () => require('z'); for (;;) { require('w') }",
      ),
    ).toEqual([false, true, true, false]);
  });

  it('counts a use of shared memory but not a feature test', () => {
    expect(scan("typeof SharedArrayBuffer !== 'undefined' && x instanceof SharedArrayBuffer").mentions).toEqual([]);
    expect(scan('new SharedArrayBuffer(8);\nWebAssembly.compile(x)').mentions).toEqual([
      { name: 'SharedArrayBuffer', line: 1 },
      { name: 'WebAssembly', line: 2 },
    ]);
  });
});

describe('the quick scan', () => {
  const lineOf = (offset: number): number => offset;
  const comparable = ({ requests }: { requests: readonly ScannedRequest[] }): unknown =>
    requests.map(({ specifier, kind, isLazy: lazy, line }) => ({ specifier, kind, lazy, line }));

  it.each([
    "var a = require('./a'); function f() { return require('./b'); }",
    "import './a'; import b, { c as d } from './b.js';\nexport * from './c'; export * as e from './d'; export { f } from './e';",
    "export const g = () => import('./g'); export { g as h }; import.meta.url;",
    "if (x) /require('.\\/no')/.test(y); const q = a / b / require('./yes');",
    "const t = `${{ a: `}` }}${require('./in')}require('./no')`; // require('./no')\n/* } */ require('./top')",
    "const h = () => require('./lazy'); const i = (x) => { require('./lazier') }; while (x) { require('./now') }",
    "x.require('./no'); y = { ...require('./spread') }; $require('./no'); require ( './spaced' )",
    "return /[/'\"]/.exec(z) ? require('./r') : (a) / require('./s');",
  ])('sees in %j what the close one sees', (source) => {
    const quickRequests = quickScan(source, lineOf);
    expect(quickRequests).toBeDefined();
    expect(comparable({ requests: quickRequests ?? [] })).toEqual(comparable(tokenScan(source, lineOf)));
  });

  it.each([
    "require('fs')",
    "import x from 'x'",
    "import x from /* y */ './x'",
    'new SharedArrayBuffer(1)',
    "a = 'cut off\nrequire('./a')",
  ])('leaves %j to the close one', (source) => {
    expect(quickScan(source, lineOf)).toBe(undefined);
  });
});

it('terminates on texts that are not JavaScript', () => {
  expect(scan("require('fs'); \\ \\").requests.length).toBe(1);
});
