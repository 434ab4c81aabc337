// The scanner finds the requests of random programs: which module, where, and whether in a function.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quickScan } from '../src/classification/quick-scan.ts';
import { scan, tokenScan } from '../src/classification/scan.ts';

/** `@` precedes the word of a request of the module `N`. */
const REQUESTS = [
  "@require('./N');",
  'var a = @require("./N");',
  "var { b, c: d } = @require('./N');",
  "@require ( './N' );",
  "@require(\n  './N'\n);",
  "@require('./N', 1);",
  "x = { ...@require('./N') };",
  "a / b / @require('./N');",
  "a = 1 / 2 / @require('./N') / /'/.exec(b);",
  "f(a) / @require('./N') / g('b');",
  "a[0] / @require('./N') / 'c'.length;",
  "new (@require('./N'))();",
  "@require('./N').x(1);",
  "`${@require('./N')}`;",
  "t = `a\\`${{ b: `}` }}$${ @require('./N') }'`;",
  "return @require('./N');",
  "y = typeof @require('./N');",
  "(a, @require('./N'));",
  "a ? @require('./N') : b;",
  "if (a) /[/'\"]/.test(b); @require('./N');",
  "@import('./N').then(f);",
  'await @import ( "./N" );',
];
/** Requests that are possible only outside of blocks. */
const TOP_LEVEL_REQUESTS = [
  "@import './N';",
  "@import a from './N';",
  '@import a from"./N";',
  "@import * as a from './N';",
  "@import a, * as b from './N';",
  "@import a, { b as c } from './N';",
  "@import { a, b } from './N';",
  "@import{a}from'./N';",
  "@import {\n  a,\n  b,\n} from './N';",
  "@import { a } from './N' with { type: 'json' };",
  "@export * from './N';",
  "@export * as a from './N';",
  "@export { a, b as c } from './N';",
];
const OTHERS = [
  "// require('./no')",
  "// it's",
  "/* import './no' */",
  "/**/ /* ' */",
  '/* } */',
  `var s = "require('./no')";`,
  String.raw`var s = 'it\'s require("./no")';`,
  String.raw`var s = "a\
  require('./no')";`,
  "var s = `require('./no') ${a} ${`in ${b}`} \\` $ { $`;",
  String.raw`var r = /require\('.\/no'\)[/"'\]` + '`]/g.test(s);',
  "x.require('./no');",
  "x?.require('./no');",
  "x . require('./no');",
  'var o = { require: 1, import: 2 };',
  "xrequire('./no'); $require('./no'); require$('./no'); _import('./no');",
  'require(name);',
  "require('./no' + b);",
  'require();',
  'import(name);',
  "if (a) /'/.test(a);",
  "while (a) /'/.test(a);",
  'x = [/\'/, !/"/, /`/];',
  "f(/'/);",
  "a = b ? /'/ : c;",
  "typeof /'/;",
  'var d = a / b / c;',
  'f(1) / 2 / g;',
  'a[0] / 1 / 2;',
  '1 / 2 / 3.5;',
  '"s" / 2; `t` / 2;',
  'y = z\n/ 2 / 1;',
  'a => a / 2;',
  'var v = { a: { b: 1 } };',
  'for (;;) { break; }',
  'try { a(); } catch (e) { b(); }',
  "switch (a) { case /'/: b(); }",
  'var q = a === b, r = a == b, s = a >= b;',
  'var q = a?.b ?? c ? .5 : a?.[0];',
  'class A { #a = 1; static b = 2; get c() { return 1; } }',
  "var \u00fcn\u00ef = '\u{1f600}';",
  'async function* g() { yield a; for await (const b of c) d(); }',
];
const TOP_LEVEL_OTHERS = [
  'export const k = 1;',
  'export { k as l };',
  'export {};',
  'export default 1;',
  'export function f() {}',
  'import.meta.url;',
];
/** `#` stands for statements. */
const BLOCKS = [
  '{ # }',
  'if (a) { # } else { b(); }',
  'if (f(a)) { #\n}',
  'if (a) b();\nelse { # }',
  'for (const a of b) { # }',
  'for (let i = (1); i < (2); i++) { # }',
  'while (a) { # }',
  'do { # } while (a);',
  'try { # } finally { a(); }',
  'try { a(); } catch (e) { # }',
  'try { a(); } catch { # }',
  'switch (a) { case 1: # }',
  'label: { # }',
  'class A { static { # } }',
];
const FUNCTIONS = [
  'function f() { # }',
  'function f(a = {}, { b }) {\n# }',
  'async function f(a) { # }',
  'function* f() { # }',
  'const f = () => { # };',
  'const f = async (a) => {\n  #\n};',
  'f(function () { # });',
  'class A { m() { # } }',
  'class A { static async *m(a, b) { # } }',
  'class A { get a() { # } }',
  'o = { m() { # } };',
];
const ARROWS = ["const f = () => @require('./N');", "f((a) => @require('./N'), 1);"];

interface Statement {
  readonly text: string;
  readonly isInFunction: boolean;
}

/** Statements with `@` before requests, and before those in functions `@@`. */
const { statement } = fc.letrec<{ statement: string; block: string }>((tie) => ({
  statement: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...OTHERS),
    fc.constantFrom(...REQUESTS),
    fc.constantFrom(...ARROWS.map((text) => text.replace('@', '@@'))),
    tie('block'),
  ),
  block: fc
    .tuple(
      fc.oneof(
        fc.constantFrom(...BLOCKS).map((text): Statement => ({ text, isInFunction: false })),
        fc.constantFrom(...FUNCTIONS).map((text): Statement => ({ text, isInFunction: true })),
      ),
      fc.array(tie('statement'), { maxLength: 3 }),
    )
    .map(([{ text, isInFunction }, inner]) => {
      const content = inner.map((each) => `${each}\n`).join('');
      return text.replace('#', () => (isInFunction ? content.replaceAll(/@+/g, '@@') : content));
    }),
}));
const topLevel = fc.oneof(
  { weight: 4, arbitrary: statement },
  { weight: 2, arbitrary: fc.constantFrom(...TOP_LEVEL_REQUESTS) },
  { weight: 1, arbitrary: fc.constantFrom(...TOP_LEVEL_OTHERS) },
);

/** The text without marks, and its requests. */
function marked(text: string): { source: string; requests: unknown[] } {
  let count = 0;
  let source = '';
  const requests: unknown[] = [];
  for (const [index, part] of text
    .replaceAll(/'\.\/N'|"\.\/N"/g, (name) => name.replace('N', String(count++)))
    .split(/(@+)/)
    .entries()) {
    if (index % 2 === 0) source += part;
    else requests.push({ line: source.split('\n').length, isInFunction: part.length > 1, start: source.length });
  }
  return {
    source,
    requests: (requests as { line: number; isInFunction: boolean; start: number }[]).map(
      ({ line, isInFunction, start }, index) => {
        const rest = source.slice(start);
        const kind = /^import\s*\(/.test(rest) ? 'dynamic' : rest.startsWith('require') ? 'require' : 'import';
        return { specifier: `./${index}`, kind, isLazy: isInFunction || kind === 'dynamic', members: undefined, line };
      },
    ),
  };
}

const withoutMembers = (requests: readonly object[]): unknown[] =>
  requests.map((request) => ({ ...request, members: undefined }));

describe('the scanner', () => {
  it('finds the requests of random programs, fully and quickly', () => {
    let quickCount = 0;
    const numRuns = 1500;
    fc.assert(
      fc.property(
        fc.array(topLevel, { maxLength: 6 }),
        fc.constantFrom('', '#!/usr/bin/node\n', "#!it's\n"),
        (all, start) => {
          const { source, requests } = marked(start + all.join('\n'));
          expect(withoutMembers(scan(source).requests), source).toEqual(requests);
          expect(withoutMembers(tokenScan(source).requests), source).toEqual(requests);
          const lineOf = (offset: number): number => source.slice(0, offset).split('\n').length;
          const quick = quickScan(source, lineOf);
          if (quick === undefined) return;
          quickCount++;
          expect(withoutMembers(quick), source).toEqual(requests);
        },
      ),
      { numRuns, seed: 7 },
    );
    expect(quickCount).toBeGreaterThan(numRuns / 2);
  });

  it('ends on any text', () => {
    const parts = fc.constantFrom(
      ...`\`'"/\\{}()[]$.,;=>?!*#\n\u00e9@`,
      '${',
      '=>',
      '//',
      '/*',
      '*/',
      'require',
      'import',
      'export',
      'from',
      'a',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 30 }), (texts) => {
        const source = texts.join('');
        expect(tokenScan(source).mentions).toEqual([]);
        expect(scan(source).mentions).toEqual([]);
      }),
      { numRuns: 2000, seed: 8 },
    );
  });
});
