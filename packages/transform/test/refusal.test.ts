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

describe('what cannot be captured', () => {
  it('refuses direct eval with its place and the way out', () => {
    const error = failure('function f(x) {\n  return eval(x);\n}');
    expect(error.code).toBe('TT_REFUSED');
    expect(error.message).toMatch(/^\/app\/cart\.js:2:10: direct eval cannot be captured/);
    expect(error.message).toContain('new Function');
  });

  it('lets indirect eval through', () => {
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

  it('leaves direct eval and with in place where the caller asks for it', () => {
    const { code } = transform('with (o) { eval("x") }', { path: 'a.js', kind: 'commonjs', lenient: true });
    expect(code).toMatch(/with \(o\) \{ eval\("x"\)/);
  });

  it('leaves them in place only where the caller asks for it', () => {
    const lenientIn = (line: number): void =>
      void transform('eval(a);\neval(b);', { path: 'a.js', kind: 'commonjs', lenient: (place) => place.line === line });
    expect(() => lenientIn(1)).toThrow('a.js:2:1: direct eval');
    expect(() => lenientIn(2)).toThrow('a.js:1:1: direct eval');
  });

  it('refuses super() in an async arrow whatever the caller asks for', () => {
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

  it('name the place in TypeScript as it was written', () => {
    const error = failure('interface A { x: number }\nlet y: = 3;', 'module', '/app/b.ts');
    expect(error.message).toMatch(/^\/app\/b\.ts:2:8: /);
  });

  it('are found where the emitted form would hide them', () => {
    expect(failure('async function f() {} { async function g() {} async function g() {} let g; }').code).toBe(
      'TT_SYNTAX',
    );
    expect(failure('for (;;) { const x; }').code).toBe('TT_SYNTAX');
  });
});
