import { describe, expect, it } from 'vitest';
import { transform } from '@turntable/transform';

function codeOf(source: string, options: { id?: string; prefix?: string } = {}): string {
  return transform(source, { path: 'a.js', kind: 'commonjs', ...options }).code;
}

describe('names the transform adds', () => {
  it('avoid names of the source', () => {
    const code = codeOf('const $$P = 1, $$F = 2; exports.f = async () => [await $$P, $$F];');
    expect(code).toContain('const $$P = 1, $$F = 2;');
    expect(code).toContain('new $$0_Frame');
  });

  it('have the prefix of the caller', () => {
    expect(codeOf('exports.f = async () => await 1;', { prefix: '$$7_' })).toContain('new $$7_Frame');
  });
});

describe('the marker', () => {
  it('is first in the text of every function, also if parameters hold functions', () => {
    const code = codeOf(
      'function f(a = () => 1) {} class A { m() {} get x() { return 1; } } const o = { n() {}, async p() {} };',
      { id: 'x' },
    );
    const { functions } = transform(
      'function f(a = () => 1) {} class A { m() {} get x() { return 1; } } const o = { n() {}, async p() {} };',
      {
        path: 'a.js',
        kind: 'commonjs',
      },
    ).table;
    expect(functions.map((each) => each.name)).toEqual(['f', '', 'm', 'x', 'n', 'p']);
    expect(code).toMatch(/function f\(\/\*@x:0\*\/a = \(\) => \/\*@x:1\*\/1\)/);
    for (const ordinal of [2, 3, 4, 5]) expect(code).toContain(`/*@x:${ordinal}*/`);
  });

  it('shows whether the function has a probe', () => {
    const code = codeOf('function f(a) { return () => a; }', { id: 'x' });
    expect(code).toContain('function f(a) {/*@x:0*/');
    expect(code).toContain('() => /*@x:1+*/$$P.on ? $$P.take([a]) : a');
  });

  it('differs between files of the same text', () => {
    const at = (path: string): string => transform('1', { path, kind: 'commonjs' }).table.id;
    expect(at('/a.js')).not.toBe(at('/b.js'));
    expect(at('/a.js')).toBe(at('/a.js'));
  });
});
