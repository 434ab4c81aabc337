// Errors about refused code show the original line and the remedy, without Turntable's frames.
import { describe, expect, it } from 'vitest';
import { createProgram, runTransformed, type Files } from './running.ts';

interface RefusedProgram {
  readonly files: Files;
  /** The first lines on standard error; `%` is the program's directory. */
  readonly stderrStart: string;
}

const DIRECT_EVAL = "// first\nlet y = eval('1');\n";
const DIRECT_EVAL_MESSAGE =
  "let y = eval('1');\n        ^\n\nSyntaxError [TT_REFUSED]: direct eval cannot be captured,";

/** By the cause; the first file is the entry point. */
const REFUSED_PROGRAMS: Readonly<Record<string, RefusedProgram>> = {
  'direct eval': { files: { 'main.js': DIRECT_EVAL }, stderrStart: `%/main.js:2\n${DIRECT_EVAL_MESSAGE}` },
  'direct eval in an ES module': {
    files: { 'main.mjs': DIRECT_EVAL },
    stderrStart: `file://%/main.mjs:2\n${DIRECT_EVAL_MESSAGE}`,
  },
  'direct eval in an imported file': {
    files: { 'main.mjs': "import './dep.mjs';\n", 'dep.mjs': DIRECT_EVAL },
    stderrStart: `file://%/dep.mjs:2\n${DIRECT_EVAL_MESSAGE}`,
  },
  'direct eval in TypeScript': {
    files: { 'main.cts': 'enum E { a }\nconst f = (x: string): E => eval(x);\n' },
    stderrStart:
      '%/main.cts:2\nconst f = (x: string): E => eval(x);\n                            ^\n\nSyntaxError [TT_REFUSED]: direct eval',
  },
  with: {
    files: { 'main.cjs': 'if (true) {\n\twith (Math) max(1);\n}\n' },
    stderrStart: '%/main.cjs:2\n\twith (Math) max(1);\n\t^\n\nSyntaxError [TT_REFUSED]: `with` cannot be captured,',
  },
  'super() in an async arrow': {
    files: { 'main.cjs': 'class A extends Object {\n  constructor() { (async () => super())(); }\n}\n' },
    stderrStart:
      '%/main.cjs:2\n  constructor() { (async () => super())(); }\n                               ^\n\nSyntaxError [TT_REFUSED]: `super()` in an async arrow',
  },
  'a syntax error in TypeScript': {
    files: { 'main.ts': 'const a: number = 1;\nconst b: = 2;\n' },
    stderrStart: '%/main.ts:2\nconst b: = 2;\n         ^\n\nSyntaxError: Unexpected token\n',
  },
  'an enum that ends too early': {
    files: { 'main.mjs': "import './dep.ts';", 'dep.ts': 'export enum E { a = 1, b = }\n' },
    stderrStart:
      '%/dep.ts:1\nexport enum E { a = 1, b = }\n                           ^\n\nSyntaxError: Unexpected token\n',
  },
  'a tsconfig.json that is not valid': {
    files: {
      'main.ts': 'let x: number;',
      'tsconfig.json': '{\n  // strictly\n  "compilerOptions": { "strict": tru },\n}',
    },
    stderrStart:
      '%/tsconfig.json:3\n  "compilerOptions": { "strict": tru },\n                                 ^\n\nLoaderError [TT_TSCONFIG]: this tsconfig.json is not valid: unexpected text\n',
  },
};

describe('a process that ends because of', () => {
  it.concurrent.for(Object.entries(REFUSED_PROGRAMS))(
    '%s shows the original line without Turntable’s frames',
    { timeout: 60_000 },
    async ([, { files, stderrStart }], { expect: expectHere, onTestFinished }) => {
      const directory = createProgram(files, onTestFinished);
      const { stderr, code } = await runTransformed(directory, Object.keys(files)[0] ?? '');
      expectHere(code).toBe(1);
      const expected = stderrStart.replaceAll('%', directory);
      expectHere(stderr.slice(0, expected.length)).toBe(expected);
      expectHere(stderr).not.toMatch(/packages\/\w+\/src|TransformError|line: /);
    },
  );

  it('a refusal in a worker shows the same', { timeout: 60_000 }, async ({ onTestFinished }) => {
    const directory = createProgram(
      {
        'main.mjs': "new (await import('node:worker_threads')).Worker(new URL('dep.js', import.meta.url));",
        'dep.js': DIRECT_EVAL,
      },
      onTestFinished,
    );
    const { stderr } = await runTransformed(directory, 'main.mjs');
    expect(stderr).toContain(`${directory}/dep.js:2\n${DIRECT_EVAL_MESSAGE}`);
    expect(stderr).not.toMatch(/packages\/\w+\/src/);
  });
});

it('a caught refusal has location, reason and importer', { timeout: 60_000 }, async ({ onTestFinished }) => {
  const text = `
    const seen = (e) => console.log(e instanceof SyntaxError, e.name, e.code, e.path, e.line, e.column, Object.keys(e), e.message.split(',')[0]);
    try { require('./dep.js'); } catch (e) { seen(e); console.log(/main\\.cjs:3:\\d+/.test(e.stack)); }
    import('./dep.mjs').catch(seen);`;
  const directory = createProgram({ 'main.cjs': text, 'dep.js': DIRECT_EVAL, 'dep.mjs': DIRECT_EVAL }, onTestFinished);
  const { stdout, stderr } = await runTransformed(directory, 'main.cjs');
  const line = (file: string): string =>
    `true SyntaxError TT_REFUSED ${directory}/${file} 2 9 [] ${directory}/${file}:2:9: direct eval cannot be captured\n`;
  expect(stderr).toBe('');
  expect(stdout).toBe(`${line('dep.js')}true\n${line('dep.mjs')}`);
});
