// A process that ends with an error prints the same as natively: the line, the caret, the error and its properties.
import { describe, expect, it } from 'vitest';
import { createProgram, runNative, runTransformed, type Files, type Outcome } from './running.ts';

/** By the cause of the end; the first file is the entry point. */
const FATAL_PROGRAMS: Readonly<Record<string, Files>> = {
  'an error thrown by the entry point': {
    'main.cjs': "// first\nfunction f() {\n\tthrow new Error('plain');\n}\nf();\n",
  },
  'an error thrown by an entry point that is an ES module': {
    'main.mjs': "import 'node:fs';\nconst x = 1;\nthrow new RangeError('esm');\n",
  },
  'a rejection of an async function': {
    'main.cjs': "async function f() {\n  await null;\n  throw new TypeError('async');\n}\nf();\n",
  },
  'an error after a top-level await': {
    'main.mjs': "await null;\nfunction g() {\n  throw new RangeError('later');\n}\ng();\n",
  },
  'an error of the engine in a timer': { 'main.cjs': 'setTimeout(() => {\n\tundefined.foo;\n}, 1);\n' },
  'an error with properties in a tick': {
    'main.cjs': "process.nextTick(() => {\n  throw Object.assign(new Error('tick'), { code: 'X' });\n});\n",
  },
  'an error in a microtask, with listeners for the end': {
    'main.cjs':
      "process.on('uncaughtExceptionMonitor', (e, o) => console.log('monitor', e.message, o));\nprocess.on('exit', (c) => console.log('exit', c));\nqueueMicrotask(() => {\n  throw new Error('micro');\n});\n",
  },
  'an error thrown elsewhere than it was made': {
    'main.cjs': "const e = new Error('made here');\n\nsetImmediate(() => {\n  throw e;\n});\n",
  },
  'an error in a generator': {
    'main.cjs': "function* g() {\n  yield 1;\n  throw new Error('in gen');\n}\nfor (const x of g());\n",
  },
  'an error in a required file': {
    'main.cjs': "require('./dep.cjs');\n",
    'dep.cjs': '// a comment\nexports.a = 1;\n  nope();\n',
  },
  'an error in an imported file': { 'main.mjs': "import './dep.cjs';\n", 'dep.cjs': '\n\nnope();\n' },
  'an object that is no error': { 'main.cjs': '\nthrow { a: 1 };\n' },
  'nothing at all': { 'main.cjs': '\n\nthrow null;\n' },
  'a text thrown in a timer': { 'main.cjs': "setTimeout(() => {\n  throw 'text';\n}, 1);\n" },
  'a rejection with a number': { 'main.cjs': 'Promise.reject(7);\n' },
  "an unhandled 'error' event": { 'main.cjs': "new (require('events'))().emit('error', new Error('emitted'));\n" },
  'an error of a builtin': { 'main.cjs': "require('fs').readFileSync('/nonexistent');\n" },
  'text that is not JSON': { 'main.cjs': "JSON.parse('{bad');\n" },
  'a failed assertion': { 'main.cjs': "require('assert').strictEqual(1, 2);\n" },
  'an error with a cause and an exit code of its own': {
    'main.cjs':
      "process.exitCode = 5;\nprocess.on('exit', () => {\n  process.exitCode = 9;\n});\nthrow new Error('outer', { cause: 'inner' });\n",
  },
  'a syntax error in the entry point': { 'main.cjs': 'const a = 1;\nlet b = ;\n' },
  'a syntax error in an ES module': { 'main.mjs': 'const a = 1;\nlet b = ;\n' },
  'a syntax error in an imported ES module': {
    'main.mjs': "import './dep.mjs';\n",
    'dep.mjs': 'const a = 1;\n  let b = ;\n',
  },
};

describe('a process that ends with', () => {
  it.concurrent.for(Object.entries(FATAL_PROGRAMS))(
    '%s prints the same as natively',
    { timeout: 60_000 },
    async ([, files], { expect: expectHere, onTestFinished }) => {
      const directory = createProgram(files, onTestFinished);
      const [main = ''] = Object.keys(files);
      const [native, transformed] = await Promise.all([runNative(directory, main), runTransformed(directory, main)]);
      expectHere(normalizeReport(transformed)).toEqual(normalizeReport(native));
    },
  );
});

it.for(['--enable-source-maps', '--no-warnings'])(
  "follows the program's source maps with %s",
  { timeout: 60_000 },
  async (flag, { expect: expectHere, onTestFinished }) => {
    const map = btoa(JSON.stringify({ version: 3, sources: ['written.ts'], mappings: 'AACA' }));
    const files = {
      'main.cjs': `throw new Error('mapped');\n//# sourceMappingURL=data:application/json;base64,${map}\n`,
      'written.ts': "// a line more\nthrow new Error('mapped' as string);\n",
    };
    const directory = createProgram(files, onTestFinished);
    const flags = { flags: [flag] };
    const [native, transformed] = await Promise.all([
      runNative(directory, 'main.cjs', flags),
      runTransformed(directory, 'main.cjs', flags),
    ]);
    expectHere(normalizeReport(transformed)).toEqual(normalizeReport(native));
  },
);

it('shows the original line of TypeScript', { timeout: 60_000 }, async ({ onTestFinished }) => {
  const text =
    'interface A {\n  a: number;\n}\nenum E { x = 1 }\nconst a: A = { a: E.x };\nthrow new Error(`ts ${a.a}`);\n';
  const directory = createProgram({ 'main.cts': text }, onTestFinished);
  const { stderr } = await runTransformed(directory, 'main.cts');
  expect(stderr).toContain(`${directory}/main.cts:6\nthrow new Error(\`ts \${a.a}\`);\n^\n\nError: ts 1\n`);
});

it('runs the ticks of the entry point when a listener handles its error', { timeout: 60_000 }, async (context) => {
  const text = `
    process.on('uncaughtException', (e, origin) => console.log('caught', e.message, origin));
    process.nextTick(() => console.log('tick'));
    process.nextTick(() => console.log('second tick'));
    setTimeout(() => console.log('timeout'));
    Promise.resolve().then(() => console.log('microtask'));
    throw new Error('first');`;
  const directory = createProgram({ 'main.cjs': text }, context.onTestFinished);
  const [native, transformed] = await Promise.all([
    runNative(directory, 'main.cjs'),
    runTransformed(directory, 'main.cjs'),
  ]);
  expect(transformed).toEqual(native);
});

/** Removes Node's own frames, whose number differs. */
function normalizeReport({ stdout, stderr, code }: Outcome): object {
  return {
    stdout,
    code,
    stderr: stderr.replaceAll(/\n {4}at .*(?:node:internal|node:diagnostics_channel).*(?= {$)?/gm, ''),
  };
}
