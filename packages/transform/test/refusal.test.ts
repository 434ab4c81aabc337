import { describe, expect, it } from 'vitest';
import { transform, TransformError } from '@turntable/transform';

function failure(source: string, kind: 'module' | 'commonjs' = 'commonjs', path = '/app/cart.js'): TransformError {
  try {
    transform(source, { path, kind });
  } catch (error) {
    if (error instanceof TransformError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('code that cannot be captured', () => {
  it('refuses direct eval with position and remedy', () => {
    const error = failure('function f(x) {\n  return eval(x);\n}');
    expect(error.code).toBe('TT_REFUSED');
    expect(error.message).toMatch(/^\/app\/cart\.js:2:10: direct eval cannot be captured/);
    expect(error.message).toContain('new Function');
  });

  it('accepts indirect eval', () => {
    expect(() => transform('(0, eval)("1")', { path: 'a.js', kind: 'commonjs' })).not.toThrow();
  });

  it('refuses with', () => {
    const error = failure('with (console) log(1)');
    expect(error.code).toBe('TT_REFUSED');
    expect(error.message).toMatch(/:1:1: `with` cannot be captured/);
  });

  it('refuses super() in an async arrow', () => {
    const error = failure('class A extends B { constructor() { (async () => { super(); })(); } }');
    expect(error.message).toContain('`super()` in an async arrow function');
  });

  it('keeps direct eval and with if lenient', () => {
    const { code } = transform('with (o) { eval("x") }', { path: 'a.js', kind: 'commonjs', lenient: true });
    expect(code).toMatch(/with \(o\) \{ eval\("x"\)/);
  });

  it('keeps them only at positions for which the caller is lenient', () => {
    const lenientIn = (line: number): void =>
      void transform('eval(a);\neval(b);', { path: 'a.js', kind: 'commonjs', lenient: (place) => place.line === line });
    expect(() => lenientIn(1)).toThrow('a.js:2:1: direct eval');
    expect(() => lenientIn(2)).toThrow('a.js:1:1: direct eval');
  });

  it('refuses super() in an async arrow also if lenient', () => {
    const source = 'class A extends B { constructor() { (async () => { super(); })(); } }';
    expect(() => transform(source, { path: 'a.js', kind: 'commonjs', lenient: true })).toThrow('`super()` in an async');
  });
});

describe('syntax errors', () => {
  it('name file, line and column', () => {
    const error = failure('const a = 1;\nconst a = 2;', 'module', '/app/b.mjs');
    expect(error.code).toBe('TT_SYNTAX');
    expect(error).toBeInstanceOf(SyntaxError);
    expect(error.message).toMatch(/^\/app\/b\.mjs:(1|2):7: /);
  });

  it('name the position in the original TypeScript', () => {
    const error = failure('interface A { x: number }\nlet y: = 3;', 'module', '/app/b.ts');
    expect(error.message).toMatch(/^\/app\/b\.ts:2:8: /);
  });

  it('are found even if the emitted code would hide them', () => {
    expect(failure('async function f() {} { async function g() {} async function g() {} let g; }').code).toBe(
      'TT_SYNTAX',
    );
    expect(failure('for (;;) { const x; }').code).toBe('TT_SYNTAX');
  });
});
