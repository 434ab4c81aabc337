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

  it.each<[source: string, members: readonly string[] | undefined]>([
    ["const { a, b: c } = require('x');", ['a', 'b']],
    ["const { a, b: c = d, 'e': f } = require('x');", ['a', 'b']],
    ["const {} = require('x');", []],
    ["const { a, ...b } = require('x');", undefined],
    ["const { a: { b } } = require('x');", undefined],
    ["({ a } = require('x'));", ['a']],
    ["[a] = require('x');", undefined],
    ["const x = require('x'); x.one(); x.two; y.x.three();", ['one', 'two']],
    ["const x = require('x'); x.one(); x?.one; x?.two(); y?.x;", ['one', 'two']],
    ["let x; x = require('x'); x.one();", undefined],
    ["x = require('x'); x.one();", ['one']],
    ["const x = require('x');", []],
    ["const x = require('x'); x.one(); f(x);", undefined],
    ["const x = require('x'); f(x); x.one();", undefined],
    ["const x = require('x'); x.one(); x = y;", ['one']],
    ["const x = require('x'); x['one']();", undefined],
    ["const x = require('x'); x?.['one'];", undefined],
    ["const x = require('x'); x.", undefined],
    ["y.x = require('x'); x.one();", undefined],
    ["y?.x = require('x'); x.one();", undefined],
    ["module.exports = require('x').one;", ['one']],
    ["require('x').one.two; const one = 1;", ['one']],
    ["const one = require('x').one; one.two();", ['one']],
    ["require('x')?.one;", undefined],
    ["require('x')['one'];", undefined],
    ["require('x');", undefined],
    ["f(require('x'));", undefined],
    ["const x = y || require('x'); x.one();", undefined],
    ["require('./x').one;", undefined],
    ["require('x', y).one;", undefined],
    ["import { a as b, c } from 'x';", ['a', 'c']],
    ["import {} from 'x';", []],
    ["import * as x from 'x'; x.one(x.two);", ['one', 'two']],
    ["import * as x from 'x'; f(x);", undefined],
    ["import * as x from 'x';", []],
    ["import x from 'x'; x.one();", ['one']],
    ["import x from 'x'; f(x);", undefined],
    ["import x, { a } from 'x'; x.one();", ['a', 'one']],
    ["import x, { a } from 'x'; f(x);", undefined],
    ["import x, * as y from 'x'; x.one(); y.two();", undefined],
    ["import type { a } from 'x';", ['a']],
    ["import './x';", undefined],
    ["import 'x';", undefined],
    ["import { a } from './x';", ['a']],
    ["import x from './x'; f(x);", []],
    ["import('x');", undefined],
    ["export * from 'x';", undefined],
    ["export * as x from 'x'; x.one();", undefined],
    ["export { a as b, c } from 'x';", ['a', 'c']],
  ])('finds the members used in %j', (source, members) => {
    const { requests } = tokenScan(source);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.members).toEqual(members);
  });

  it.each([
    ["require('x', y)", ['x']],
    ["require('x' + y)", []],
    ["require(x, 'y')", []],
    ['require(x)', []],
    ["require 'x'", []],
    ["require('x'", []],
    ["'(' + require + '(x' + ')'", []],
    ["import('x' + y)", []],
    ["import('x', y)", ['x']],
    ["import(x); import y from 'z';", ['z']],
    ["export const a = 'x'; from; 'y'", []],
    ["export default from; 'y'", []],
    ["export { a }; from 'y'", []],
    ["export { a } 'y'", []],
    ['export', []],
    ['import', []],
    ['import.meta', []],
    ["import.meta.from 'y'", []],
    ["function f() { import 'x'; import y from 'y'; export * from 'z'; import('w'); }", ['x', 'w']],
    ["{ import y from 'y' }", ['y']],
    ["import x = require('x');", ['x']],
    ["x.import('y'); x.export * from 'y'; x?.import('z')", []],
    ['`${1}`; require("x")', ['x']],
    ["`}`; require('x')", ['x']],
    ['`\\\\`; require("x")', ['x']],
    ["a = 0 / 1; require('x') / '/'", ['x']],
    ["9 / require('x') / 2", ['x']],
    ["'a' / require('x') / 2", ['x']],
    ["/a/ / require('x') / 2", ['x']],
    ["a$_Z9 / require('x') / 2", ['x']],
    ["\u0061 / require('x') / 2", ['x']],
    ["\u00fc\u200d / require('x') / 2", ['x']],
    ["1.5e3 / require('x') / 2", ['x']],
    ["x = { a } / require('x') / 2", ['x']],
    ["`a` / require('x') / 2", ['x']],
    ["(a) / require('x') / 2", ['x']],
    ["while (a) /'/.test(require('x'))", ['x']],
    ["for ((a);;) /'/.test(require('x'))", ['x']],
    ["/'/.test(require('x'))", ['x']],
    ["/[/']/gims.test(require('x'))", ['x']],
    ["/[\\]/']/.test(require('x'))", ['x']],
    ["/\\//.test(require('x')), /'/", ['x']],
    ["/]/.test(require('x')), /'/", ['x']],
    ["instanceof /'/, require('x')", ['x']],
    ["'cut off\nrequire('x')", ['x']],
    ["/cut off\nrequire('x')", ['x']],
    ["'a\\\nb'; require('x')", ['x']],
    ["/* cut off require('x')", []],
    ["// cut off require('x')", []],
    ["/**/require('x')/**/", ['x']],
    ["/*/ require('no') /*/ require('x')", ['x']],
    ["#! require('no')\nrequire('x')", ['x']],
    ["#! require('no')", []],
    ["'#!'\nrequire('x')", ['x']],
    ["a\trequire('x')\r\nrequire('y')", ['x', 'y']],
  ])('finds in %j the requests %j', (source, specifiers) => {
    expect(tokenScan(source).requests.map(({ specifier }) => specifier)).toEqual(specifiers);
  });

  it('gives the line of each request, forwards and backwards', () => {
    const source =
      "\nrequire('a');\n\nimport 'b';\nimport {\n c } from 'c'; /*\n*/ import('d'); new WebAssembly.Module();";
    const { requests, mentions } = tokenScan(source);
    expect(requests.map(({ line }) => line)).toEqual([2, 4, 5, 7]);
    expect(mentions).toEqual([{ name: 'WebAssembly', line: 7 }]);
    expect(tokenScan("require('a')\n").requests[0]?.line).toBe(1);
  });

  it('reads a long list of imported names, but not without end', () => {
    const importOf = (count: number): string =>
      `import { ${Array.from({ length: count }, (_, i) => `a${i}`).join(', ')} } from 'x';`;
    expect(tokenScan(importOf(1500)).requests[0]?.members).toHaveLength(1500);
    expect(tokenScan(importOf(3000)).requests).toEqual([]);
  });

  it('marks requests inside functions as lazy', () => {
    const lazyFlagsOf = (source: string): unknown => scan(source).requests.map((request) => request.isLazy);
    expect(
      lazyFlagsOf(
        "if (a) { require('x'); } function f() { require('y'); } const g = () => require('z'); for (;;) { require('w') }",
      ),
    ).toEqual([false, true, true, false]);
  });

  it.each([
    ['new SharedArrayBuffer(8)', true],
    ['new WebAssembly', true],
    ['WebAssembly.compile(x)', true],
    ["WebAssembly['compile'](x)", true],
    ['typeof SharedArrayBuffer', false],
    ['typeof SharedArrayBuffer.prototype', false],
    ['x instanceof SharedArrayBuffer', false],
    ['x instanceof WebAssembly.Module', false],
    ['x = SharedArrayBuffer', false],
    ['SharedArrayBuffer(8)', false],
    ['x.SharedArrayBuffer.y', false],
    ['x?.WebAssembly.y', false],
    ['"new SharedArrayBuffer"', false],
    ['new SharedArray(8)', false],
  ])('counts a use of shared memory but not a feature test: %j', (source, isUse) => {
    expect(scan(source).mentions).toHaveLength(isUse ? 1 : 0);
  });

  it('gives name and line of shared memory', () => {
    expect(scan("typeof SharedArrayBuffer !== 'undefined' && x instanceof SharedArrayBuffer").mentions).toEqual([]);
    expect(scan('new SharedArrayBuffer(8);\nWebAssembly.compile(x)').mentions).toEqual([
      { name: 'SharedArrayBuffer', line: 1 },
      { name: 'WebAssembly', line: 2 },
    ]);
  });

  it('finds nothing in a file without its words', () => {
    expect(scan('const requires = imported;')).toEqual({ requests: [], mentions: [] });
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
    "import 'x'",
    "export * from 'x'",
    "import x from /* y */ './x'",
    "require(/* y */ './x')",
    "require/**/('./x')",
    "import/**/('./x')",
    'import(`./x`)',
    'new SharedArrayBuffer(1)',
    'WebAssembly.compile',
    "a = 'cut off\nrequire('./a')",
    "a = '",
    "require('./a'); /cut off",
    "\u00fc / require('./a')",
    "\u00fcrequire('./a')",
    "require\u00fc('./a')",
    "function f() { import a from './a'; }",
  ])('leaves %j to the full scan', (source) => {
    expect(quickScan(source, lineOf)).toBe(undefined);
  });

  it.each([
    "x.require('fs')",
    'require(a)',
    'x.WebAssembly',
    "import('fs')",
    'import(a)',
    '\'require("fs")\'',
    'export { a };',
  ])('reads %j itself', (source) => {
    expect(quickScan(source, lineOf)).toBeDefined();
  });
});

it('terminates on texts that are not JavaScript', () => {
  expect(scan("require('fs'); \\ \\").requests.length).toBe(1);
});
