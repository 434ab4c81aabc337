// Program code that the transform does not see: text that `node:vm` runs in the program's own context, and direct `eval`
// in packages. It gets the same globals as all other code of the program.
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../loader/test/running.ts';
import { recordProgram, replayProgram } from './taped-runs.ts';

/** Functions that evaluate a text. */
const EVALUATORS: Readonly<Record<string, string>> = {
  'vm.runInThisContext': 'vm.runInThisContext',
  'vm.runInThisContext with a file name': `(text) => vm.runInThisContext(text, { filename: '/views/a.js' })`,
  'vm.Script': '(text) => new vm.Script(text).runInThisContext()',
  'vm.Script with a code cache': `(text) =>
    new vm.Script(text, { cachedData: new vm.Script(text).createCachedData() }).runInThisContext()`,
  'vm.compileFunction': '(text) => vm.compileFunction(`return ${text}`)()',
  'direct eval in a package': 'evaluate',
};
const PRELUDE = `
  import vm from 'node:vm';
  import { AsyncLocalStorage } from 'node:async_hooks';
  import { evaluate } from 'evaluating';
`;
const EVALUATING = {
  'node_modules/evaluating/index.js': 'exports.evaluate = (text) => eval(text);',
  'node_modules/evaluating/package.json': '{ "name": "evaluating" }',
};
/** Expressions that lead to objects of the host. */
const EXPRESSIONS =
  'fetch WebSocket Request Response FormData Blob File BroadcastChannel MessageChannel MessagePort ReadableStream ' +
  'CompressionStream SubtleCrypto CryptoKey PerformanceObserver setTimeout setInterval setImmediate clearImmediate clearTimeout ' +
  'queueMicrotask WeakRef FinalizationRegistry globalThis.fetch this.fetch Date performance process.stdin crypto.subtle ' +
  'navigator.locks process.report';

describe.concurrent('code that is not transformed sees the globals of the program', () => {
  it.for(Object.entries(EVALUATORS))('%s', async ([name, evaluator], { onTestFinished }) => {
    // Of the lazy globals, a package gets the program's after the first use of `node:vm` only.
    const start = name === 'direct eval in a package' ? `vm.runInThisContext('1');` : '';
    const main = `${PRELUDE} ${start}
      const run = ${evaluator};
      const expressions = ${JSON.stringify(EXPRESSIONS.split(' '))};
      const seen = { __proto__: null, 'globalThis.fetch': fetch, 'this.fetch': fetch, process, crypto, navigator };
      const expected = (path) => seen[path] ?? path.split('.').reduce((object, key) => object[key], globalThis);
      if (${name === 'direct eval in a package'}) expressions.splice(expressions.indexOf('this.fetch'), 1);
      console.log('others:', expressions.filter((each) => run(each) !== expected(each)));`;
    const directory = createProgram({ ...EVALUATING, 'main.mjs': main }, onTestFinished);
    const recorded = await recordProgram(directory, 'main.mjs');
    expect(recorded.stdout).toContain('others: []\n');
    expect(await replayProgram(directory, 'main.mjs')).toEqual(recorded);
  });
});

describe.concurrent('globals that code without transform reads', () => {
  const runBoth = async (main: string, onTestFinished: (end: () => void) => void): Promise<string> => {
    const directory = createProgram({ ...EVALUATING, 'main.mjs': `${PRELUDE} ${main}` }, onTestFinished);
    const recorded = await recordProgram(directory, 'main.mjs');
    expect(await replayProgram(directory, 'main.mjs')).toEqual(recorded);
    return recorded.stdout;
  };

  it('are ordinary properties for the program, and stay guarded when it defines them again', async ({
    onTestFinished,
  }) => {
    const output = await runBoth(
      `for (const name of ['fetch', 'setTimeout', 'Blob']) {
         const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
         Object.defineProperty(globalThis, name, descriptor);
         const { enumerable, configurable, writable, value } = Object.getOwnPropertyDescriptor(globalThis, name);
         console.log(name, enumerable, configurable, writable, value === globalThis[name], vm.runInThisContext(name) === value);
       }`,
      onTestFinished,
    );
    expect(output).toContain(
      'fetch true true true true true\nsetTimeout true true true true true\nBlob false true true true true\n',
    );
  });

  it('can be replaced by either code for both', async ({ onTestFinished }) => {
    const output = await runBoth(
      `const { setTimeout: own, fetch: ownFetch } = globalThis;
       globalThis.setTimeout = () => 'by the program';
       console.log(vm.runInThisContext('setTimeout()'));
       vm.runInThisContext('setTimeout = () => "by the text"; fetch = () => "fetched"');
       console.log(setTimeout(), fetch());
       globalThis.setTimeout = own;
       globalThis.fetch = ownFetch;
       console.log(vm.runInThisContext('setTimeout') === own, vm.runInThisContext('fetch') === ownFetch);
       delete globalThis.fetch;
       console.log(vm.runInThisContext('typeof fetch'), typeof fetch);`,
      onTestFinished,
    );
    expect(output).toContain('by the program\nby the text fetched\ntrue true\nundefined undefined\n');
  });

  it('are the program’s also where Node calls their accessors', async ({ onTestFinished }) => {
    const output = await runBoth(
      `const { get } = vm.runInThisContext('Object.getOwnPropertyDescriptor(globalThis, "fetch")');
       console.log(new AsyncLocalStorage().run(1, get) === fetch, ['fetch'].map(get)[0] === fetch);`,
      onTestFinished,
    );
    expect(output).toContain('true true\n');
  });

  it('fire timers and requests of the recorded run', async ({ onTestFinished }) => {
    const output = await runBoth(
      `const later = vm.runInThisContext('(callback) => setTimeout(() => callback(Date.now()), 1)');
       console.log(await new Promise(later));
       console.log(await vm.runInThisContext('fetch("data:,answer").then((response) => response.text())'));`,
      onTestFinished,
    );
    expect(output).toMatch(/^\d+\nanswer\n/);
  });
});

it('errors of text that node:vm compiles have the positions of its options', async ({ onTestFinished }) => {
  const main = `
    import vm from 'node:vm';
    const options = { filename: '/views/a.js', lineOffset: 3, columnOffset: 4 };
    const [, first] = vm.runInThisContext('new Error("thrown").stack', options).split('\\n');
    const [, second] = vm.compileFunction('\\n  return new Error("thrown").stack', [], options)().split('\\n');
    console.log(first, second);`;
  const directory = createProgram({ 'main.mjs': main }, onTestFinished);
  expect((await recordProgram(directory, 'main.mjs')).stdout).toContain(
    '    at /views/a.js:4:5     at /views/a.js:5:10\n',
  );
});
