// Programs behave under `turntable/register` as natively: output, exit code, final error.
import { describe, expect, it } from 'vitest';
import { comparableOutcome, createProgram, runNative, runTransformed, type Files } from './running.ts';

interface ProgramFixture {
  readonly entryFile: string;
  readonly files: Files;
}

/** `entryFile` is the first file. */
function createFixture(files: Files): ProgramFixture {
  return { entryFile: Object.keys(files)[0] as string, files };
}

const CAUGHT_FUNCTION =
  'const caught = async (f) => { try { console.log(await f()); } catch (e) { console.log(e.name, e.code, e.message); } };';

const PROGRAM_FIXTURES: Readonly<Record<string, ProgramFixture>> = {
  'an ES cycle sees hoisted functions and dead zones': createFixture({
    'main.mjs': `import { b } from './b.mjs'; export function hoisted() { return 'hoisted'; } export let later = 1; console.log('main', b); export class K {}`,
    'b.mjs': `import { hoisted, later, K } from './main.mjs'; import * as ns from './main.mjs';
      console.log(hoisted()); for (const f of [() => later, () => K, () => ns.later, () => Object.keys(ns)]) try { f(); } catch (e) { console.log(e.name); }
      export const b = 'b'; setTimeout(() => console.log(later, typeof K, Object.keys(ns), ns.later));`,
  }),
  'live bindings follow assignments, through re-exports and namespaces too': createFixture({
    'main.mjs': `import { count, up } from './counter.mjs'; import { renamed } from './again.mjs'; import * as all from './again.mjs';
      up(); up(); console.log(count, renamed, all.count, all); try { all.count = 9; } catch (e) { console.log(e.name); } up(); console.log(all, 'count' in all, Reflect.ownKeys(all));`,
    'counter.mjs': 'export let count = 0; export const up = () => count++;',
    'again.mjs': "export * from './counter.mjs'; export { count as renamed } from './counter.mjs'; export default 'd';",
  }),
  'top-level await keeps the order of a diamond': createFixture({
    'main.mjs': "import './left.mjs'; import './right.mjs'; console.log('main');",
    'left.mjs': "import { x } from './base.mjs'; console.log('left', x); await null; console.log('left again');",
    'right.mjs': "import { x } from './base.mjs'; console.log('right', x);",
    'base.mjs':
      "console.log('base'); export const x = await new Promise((r) => setTimeout(r, 5, 'value')); console.log('base again');",
  }),
  'an error in an asynchronous dependency ends everything above it': createFixture({
    'main.mjs': "import './sync.mjs'; import './fails.mjs'; console.log('never');",
    'sync.mjs': "console.log('sync');",
    'fails.mjs': "await null; throw new RangeError('asynchronous');",
  }),
  'a module that failed fails again in the same way': createFixture({
    'main.mjs': `${CAUGHT_FUNCTION} await caught(() => import('./fails.mjs')); await caught(() => import('./above.mjs'));
      const [a, b] = await Promise.allSettled([import('./fails.mjs'), import('./fails.mjs')]); console.log(a.reason === b.reason);`,
    'above.mjs': "import './fails.mjs';",
    'fails.mjs': "console.log('once'); throw new TypeError('x');",
  }),
  'a top-level await that settles in beforeExit continues without a warning': createFixture({
    'main.mjs':
      "const { promise, resolve } = Promise.withResolvers(); process.once('beforeExit', resolve); await promise; console.log(process.sourceMapsEnabled);",
  }),
  'an unsettled top-level await exits with code 13': createFixture({
    'main.mjs': "console.log('waits'); await new Promise(() => {});",
  }),
  'an uncaught error of a module ends the process': createFixture({
    'main.mjs': "console.log(1); throw new SyntaxError('mine');",
  }),
  'an unhandled rejection ends the process': createFixture({
    'main.cjs': "Promise.reject(new Error('unhandled')); setTimeout(() => console.log('never'), 50);",
  }),
  'rejections are events with the promise the program knows': createFixture({
    'main.mjs': `const late = Promise.reject(new Error('late')); const soon = Promise.reject(1); process.nextTick(() => soon.catch(() => console.log('in time')));
      process.on('unhandledRejection', (reason, p) => console.log('unhandled', reason.message, p === late)); process.on('rejectionHandled', (p) => console.log('handled', p === late));
      setTimeout(() => late.catch(() => {}), 5);`,
  }),
  'a CommonJS entry runs its ticks before its microtasks': createFixture({
    'main.cjs': `process.nextTick(() => console.log('tick')); Promise.resolve().then(() => console.log('job')); queueMicrotask(() => console.log('micro'));
      setTimeout(() => console.log('timeout')); console.log('main', module.id, require.main === module, module.parent, module.loaded); setTimeout(() => console.log(module.loaded), 5);`,
  }),
  'ticks and microtasks survive an uncaught exception of the entry': createFixture({
    'main.cjs': `process.on('uncaughtException', (e, origin) => console.log(e.message, origin)); process.nextTick(() => console.log('tick'));
      Promise.resolve().then(() => console.log('job')); setTimeout(() => console.log('timeout')); throw new Error('thrown');`,
  }),
  'CommonJS cycles give the exports so far': createFixture({
    'a.cjs':
      "exports.early = 1; const b = require('./b.cjs'); exports.late = 2; console.log(b.seen, b.a === exports, module.children.length);",
    'b.cjs': "const a = require('./a.cjs'); exports.seen = Object.keys(a); exports.a = a;",
  }),
  'CommonJS has the objects it expects': createFixture({
    'main.cjs': `const path = require('path'); console.log(this === exports, typeof require.resolve, path.basename(require.resolve('./dep')), require.resolve('fs'), require.resolve('node:fs'));
      console.log(require('./dep') === require('./dep.js'), Object.keys(require.cache).map((k) => path.basename(k)), module.paths.length > 1, path.basename(module.filename), path.basename(__dirname) === path.basename(path.dirname(__filename)));
      delete require.cache[require.resolve('./dep')]; console.log(require('./dep').n, require('./dep').n, module.children.map((m) => path.basename(m.id)));
      console.log(module instanceof require('module'), require('./json').deep.x, require('./folder'), require.main.filename === __filename);`,
    'dep.js': 'globalThis.n = (globalThis.n ?? 0) + 1; module.exports = { n: globalThis.n };',
    'json.json': '{"deep":{"x":[1,2]}}',
    'folder/index.js': "module.exports = 'folder';",
  }),
  'a CommonJS file that throws can be required again': createFixture({
    'main.cjs':
      "for (let i = 0; i < 2; i++) try { require('./fails.cjs'); } catch (e) { console.log(e.message, module.children.length); }",
    'fails.cjs': "console.log('runs'); throw new Error('again');",
  }),
  'missing modules have Node’s codes and messages': createFixture({
    'main.mjs': `${CAUGHT_FUNCTION} import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);
      for (const s of ['./none.mjs', 'nopackage', 'has-exports/private', '#internal', './folder', './a%2fb.mjs', 'node:nothing', 'has-exports/broken', './bad.json', 'http://x/y.mjs', './x.unknown']) await caught(() => import(s));
      for (const s of ['./none', 'nopackage', 'has-exports/private', '#internal', 'node:nothing', '', './bad.json']) await caught(() => require(s));
      try { require('./none'); } catch (e) { console.log(e.requireStack.length); }`,
    'folder/x.js': '',
    'bad.json': '{"x": }',
    'x.unknown': '',
    'package.json': '{"imports":{"#other":"./main.mjs"}}',
    'node_modules/has-exports/package.json': '{"name":"has-exports","exports":{".":"./i.js","./broken":"./none.js"}}',
    'node_modules/has-exports/i.js': '',
  }),
  'a missing static import ends the process as in Node': createFixture({
    'main.mjs': "import './first.mjs'; import './none.mjs';",
    'first.mjs': "console.log('never');",
  }),
  'names that are not exported are Node’s errors': createFixture({
    'main.mjs': `${CAUGHT_FUNCTION} for (const s of ['./esm.mjs', './cjs.mjs', './star.mjs', './json.mjs', './cycle.mjs']) await caught(() => import(s));`,
    'esm.mjs': "import { nothing } from './x.mjs';",
    'cjs.mjs': "import { found, hidden as other } from './c.cjs';",
    'star.mjs': "import { both } from './stars.mjs';",
    'stars.mjs': "export * from './x.mjs'; export * from './y.mjs';",
    'json.mjs': "import { key } from './j.json' with { type: 'json' };",
    'cycle.mjs': "export { z } from './cycle2.mjs';",
    'cycle2.mjs': "export { z } from './cycle.mjs';",
    'x.mjs': 'export const both = 1;',
    'y.mjs': 'export const both = 2;',
    'c.cjs': "exports.found = 1; exports['hid' + 'den'] = 2;",
    'j.json': '{"key":1}',
  }),
  'syntax errors are in the engine’s words': createFixture({
    'main.mjs': `${CAUGHT_FUNCTION} for (const s of ['./a.mjs', './b.cjs', './c.mjs']) await caught(() => import(s));`,
    'a.mjs': 'let x = ;',
    'b.cjs': 'const { = 1;',
    'c.mjs': 'export const a = 1; export const a = 2;',
  }),
  'import attributes are checked': createFixture({
    'main.mjs': `${CAUGHT_FUNCTION} import j from './j.json' with { type: 'json' }; console.log(j);
      await caught(() => import('./j.json')); await caught(() => import('./x.mjs', { with: { type: 'json' } })); await caught(() => import('./j.json', { with: { type: 'css' } }));
      await caught(() => import('./x.mjs', { with: { other: 'x' } })); await caught(async () => (await import('./j.json', { with: { type: 'json' } })).default === j); await caught(() => import('./x.mjs', 5));`,
    'j.json': '{"a":[1]}',
    'x.mjs': '',
  }),
  'import.meta is complete': createFixture({
    'main.mjs': `import { meta } from './dep.mjs'; for (const m of [import.meta, meta]) console.log(Object.keys(m), m.main, m.url.split('/').at(-1), m.filename.split('/').at(-1), m.dirname.length, m.resolve('./q').split('/').at(-1), m.resolve('fs'), Object.getPrototypeOf(m));`,
    'dep.mjs': 'export const meta = import.meta;',
  }),
  'import sees CommonJS as Node does': createFixture({
    'main.mjs': `import def, { a, viaRequire } from './c.cjs'; import * as all from './c.cjs'; import whole from './fn.cjs'; import { default as es, x } from './transpiled.cjs';
      console.log(def, a, viaRequire, all, whole(), es, x, all['module.exports'] === def);`,
    'c.cjs': "exports.a = 1; exports.__esModule = false; module.exports = { ...require('./d.cjs'), a: 1 };",
    'd.cjs': "exports.viaRequire = 'd';",
    'fn.cjs': 'module.exports = function () { return this === undefined; };',
    'transpiled.cjs':
      "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'default'; exports.x = 'x';",
  }),
  'require sees ES modules as Node does': createFixture({
    'main.cjs': `console.log(require('./plain.mjs'), require('./def.mjs'), require('./whole.mjs'), require('./def.mjs') === require('./def.mjs'));
      for (const s of ['./async.mjs', './cycle.mjs', './fails.mjs']) try { console.log(require(s)); } catch (e) { console.log(e.code, e.message.split('\\n')[0].replace(/\\S*\\//g, '')); }
      import('./async.mjs').then((ns) => console.log(ns, require('./plain.mjs')));`,
    'plain.mjs': 'export const a = 1; export let b = 2;',
    'def.mjs': 'export default class D {} export const x = 1;',
    'whole.mjs': "const f = () => 1; export { f as 'module.exports' };",
    'async.mjs': 'export const v = await 1;',
    'cycle.mjs': "import './back.cjs';",
    'back.cjs': "require('./cycle.mjs');",
    'fails.mjs': "throw new Error('esm failed');",
  }),
  'dual packages, conditions, self-references and imports maps resolve as in Node': createFixture({
    'main.mjs': `import { kind } from 'dual'; import { createRequire } from 'node:module'; import self from 'the-program/self'; import { inner } from '#inner';
      console.log(kind, createRequire(import.meta.url)('dual').kind, self, inner); console.log((await import('dual')).kind, (await import('dual/sub/x')).default);`,
    'package.json':
      '{"name":"the-program","exports":{"./self":"./self.mjs"},"imports":{"#inner":{"import":"./inner.mjs","default":"./none.cjs"}}}',
    'self.mjs': "export default 'self';",
    'inner.mjs': "export const inner = 'inner';",
    'node_modules/dual/package.json':
      '{"name":"dual","exports":{".":{"import":"./i.mjs","require":"./r.cjs"},"./sub/*":"./lib/*.js"}}',
    'node_modules/dual/i.mjs': "export const kind = 'import';",
    'node_modules/dual/r.cjs': "exports.kind = 'require';",
    'node_modules/dual/lib/x.js': "module.exports = 'pattern';",
  }),
  'a file without a type is what its syntax says': createFixture({
    'main.js':
      "import { x } from './esm.js'; import c from './cjs.js'; console.log(x, c, typeof require, (await 1) + 1);",
    'esm.js': 'export const x = import.meta.url.length > 0;',
    'cjs.js': 'module.exports = typeof module + (function () { return typeof this; })();',
  }),
  'dynamic import in its many forms': createFixture({
    'main.cjs': `const log = console.log; (async () => { const ns = await import('./a.mjs'); log(ns === (await import('./a.mjs')), ns === (await import('./a.mjs?q')), (await import('data:text/javascript,export default 5')).default);
      log((await import('node:path')).default === require('path'), await import('./thenable.mjs'), await import({ toString: () => './a.mjs' }).then((m) => m.x));
      import({ toString() { throw 7; } }).catch((e) => log('rejected', e)); log(typeof import('./a.mjs').then, Object.prototype.toString.call(import('./a.mjs'))); })();
      import('./order.mjs').then(() => log('imported')); process.nextTick(() => log('tick')); log('sync');`,
    'a.mjs': "export const x = 'x';",
    'thenable.mjs': "export function then(resolve) { resolve('from then'); }",
    'order.mjs': "console.log('evaluated');",
  }),
  'workers run transformed, their errors reach the parent': createFixture({
    'main.mjs': `import { Worker } from 'node:worker_threads'; import { once } from 'node:events';
      const w = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: { n: 20 } }); const ended = once(w, 'exit'); console.log(await once(w, 'message'), await ended);
      const f = new Worker(new URL('./fails.cjs', import.meta.url)); f.on('error', (e) => console.log(e.name, e.message)); f.on('exit', (code) => console.log('exit', code));`,
    'worker.mjs':
      "import { parentPort, workerData } from 'node:worker_threads'; const later = async (n) => { await null; return n + 1; }; parentPort.postMessage([await later(workerData.n), later.toString(), import.meta.main]);",
    'fails.cjs': "setTimeout(() => { throw new TypeError('in worker'); });",
  }),
  'TypeScript without emitted syntax': createFixture({
    'main.mts':
      "import { type T, make } from './lib.mts'; import c = require('./c.cts'); const x: T = make<number>(3); console.log(x satisfies T);".replace(
        " import c = require('./c.cts');",
        '',
      ),
    'lib.mts':
      'export interface T { readonly n: number } export function make<N extends number>(n: N): T { return { n }; }',
  }),
  'a device in a cycle with the program finds its functions': createFixture({
    'main.mjs':
      "import { viaDevice } from 'device'; export function fromProgram(x) { return ['program', x]; } export let counter = 1; console.log(typeof viaDevice); export const up = () => ++counter; setTimeout(() => { console.log(viaDevice(1)); up(); console.log(viaDevice(2)); });",
    'node_modules/device/package.json': '{"name":"device","type":"module","exports":"./i.js"}',
    'node_modules/device/i.js':
      "import 'node:fs'; import { fromProgram, counter } from '../../main.mjs'; console.log(typeof fromProgram); export const viaDevice = (x) => [fromProgram(x), counter];",
  }),
  'devices and the program share one instance of a library': createFixture({
    'main.mjs':
      "import { Thing } from 'library'; import device from 'device'; console.log(device.made instanceof Thing, device.Thing === Thing, device.read()); import { change } from 'library'; change(); console.log(device.read());",
    'node_modules/library/package.json': '{"name":"library","type":"module","exports":"./i.js"}',
    'node_modules/library/i.js':
      'export class Thing {} export let value = 1; export const change = () => { value++; };',
    'node_modules/device/package.json': '{"name":"device","type":"module","exports":"./i.js"}',
    'node_modules/device/i.js':
      "import fs from 'node:fs'; import { Thing, value } from 'library'; export default { made: new Thing(), Thing, read: () => [value, typeof fs] };",
  }),
  'promises of both sides are promises to each other': createFixture({
    'main.cjs': `const util = require('util'); const { check } = require('device'); const own = (async () => 42)(); console.log(check(own), util.types.isPromise(own), own instanceof Promise, check(check) instanceof Promise);
      console.log(own, Promise.reject(1).catch(() => {}) && 0, new Promise(() => {}), async function named() {}, function* gen() {}, (() => {}).constructor === Function); own.then(() => console.log(own, [Promise.resolve({ a: 1 })]));
      util.promisify(setTimeout)(1).then(() => console.log('promisified'));`,
    'node_modules/device/package.json': '{"name":"device"}',
    'node_modules/device/index.js':
      "require('fs'); exports.check = (x) => (typeof x === 'function' ? (async () => 1)() : x instanceof Promise);",
  }),
  'functions show their source': createFixture({
    'main.mjs': `function f(a, /* b */ c = 1) { return a; } class K { #x = 1; async m(q) { await this.#x; } static s = 1; get g() { return 1; } } const arrow = async (z) => z;
      console.log(String(f), String(K), K.prototype.m.toString(), arrow + '', String(Promise), String(Promise.all), String(new Function('a', 'b', 'return a')), (0, eval)('(function inEval() { return 1; })').toString(), (0, eval)('let inside = 1; var outside = inside + 1; outside'), typeof inside, outside, String(Math.max), String(class {}));`,
  }),
  'AsyncLocalStorage follows awaits, reactions, microtasks, timers and callbacks': createFixture({
    'main.mjs': `import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventEmitter, once } from 'node:events';
const als = new AsyncLocalStorage(), other = new AsyncLocalStorage();
const log = (...a) => console.log(...a, als.getStore(), other.getStore());
async function work(n) { log('a', n); await null; log('b', n); await sleep(1); log('c', n); await Promise.all([inner(n), inner(n)]); log('d', n); }
async function inner(n) { await null; return als.run(\`\${n}!\`, async () => { await null; log('inner', n); }); }
await Promise.all([als.run(1, () => work(1)), als.run(2, () => other.run('o', () => work(2)))]);
log('outside');
als.run(3, () => { Promise.resolve().then(() => log('then')); queueMicrotask(() => log('qm')); process.nextTick(() => log('tick')); setTimeout(() => { log('timer'); Promise.resolve().then(() => log('timer then')); }); });
const p = als.run(4, () => new Promise((r) => setTimeout(r, 5))); await als.run(5, () => p.then(() => log('settled elsewhere')));
als.enterWith(6); log('entered'); await null; log('after await');
const e = new EventEmitter(); setTimeout(() => als.run(7, () => e.emit('x')), 1); await once(e, 'x'); log('once');
async function* gen() { log('g1'); yield 1; log('g2'); yield 2; } als.run(8, () => {}); for await (const v of gen()) log('v', v);
const bound = als.run(9, () => AsyncResource.bind(() => log('bound'))); bound(); als.exit(() => log('exit'));
`,
  }),
  'error stacks name the places and functions that were written': createFixture({
    'main.mjs': `
async function deep(n) {
  await null;
  if (n === 0) throw new Error('deep');
  await deep(n - 1);
}
class K { async method() { await deep(2); } sync() { return new Error('sync').stack; } }
const show = (stack) => console.log(stack.split('\\n').filter((line) => !line.includes('node:')).map((line) => line.replace(/\\(?[^ ]*\\//, '')).join('\\n'));
show(new K().sync());
try { await new K().method(); } catch (e) { show(e.stack); }
await Promise.all([1, new K().method()]).catch((e) => show(e.stack));
await new Promise((resolve) => setTimeout(() => { show(new Error('timer').stack); resolve(); }));
show([1].map(function named() { return new Error('callback').stack; })[0]); await (async () => show(new Error('arrow').stack))();
`,
  }),
  'error stacks of TypeScript name the places that were written': createFixture({
    'main.mts':
      `interface Gone {\n  x: number }\n\nasync function deep(n: number): Promise<void> {\n  await null;\n  if (n === 0) throw new Error('deep');\n  await deep(n - 1);\n}\nclass K { async method() { await deep(2); } sync() { return new Error('sync').stack; } }\nconst show = (stack) => console.log(stack.split('\\n').filter((line) => !line.includes('node:')).map((line) => line.replace(/\\(?[^ ]*\\//, '')).join('\\n'));\nshow(new K().sync());\ntry { await new K().method(); } catch (e) { show(e.stack); }\nawait Promise.all([1, new K().method()]).catch((e) => show(e.stack));\nawait new Promise((resolve) => setTimeout(() => { show(new Error('timer').stack); resolve(); }));\nshow([1].map(function named() { return new Error('callback').stack; })[0]);\n`
        .replaceAll('(stack)', '(stack: string)')
        .replaceAll('e.stack', '(e as Error).stack as string')
        .replaceAll("').stack", "').stack as string")
        .replaceAll('resolve(); }', 'resolve(undefined); }'),
  }),
  'global objects agree with each other': createFixture({
    'main.cjs': `console.log(globalThis === global, globalThis.Promise === Promise, globalThis.globalThis === globalThis, 'Promise' in globalThis, Object.keys(globalThis).includes('setTimeout'));
      globalThis.mine = 1; console.log(mine, delete globalThis.mine, typeof mine); const P = globalThis.Promise; globalThis.Promise = 5; console.log(Promise, globalThis.Promise); globalThis.Promise = P; console.log((async () => {})() instanceof Promise);
      console.log(Object.getOwnPropertySymbols(globalThis).filter((s) => String(s).includes('turntable')).length, Object.getOwnPropertyDescriptor(globalThis, 'Promise').enumerable);`,
  }),
};

describe.concurrent('a program', () => {
  for (const [name, { entryFile, files }] of Object.entries(PROGRAM_FIXTURES)) {
    it(name, async ({ onTestFinished }) => {
      const directory = createProgram(files, onTestFinished);
      const [native, transformed] = await Promise.all([
        runNative(directory, entryFile),
        runTransformed(directory, entryFile),
      ]);
      expect({ ...comparableOutcome(transformed), stderr: transformed.stderr }).toEqual({
        ...comparableOutcome(native),
        stderr: transformed.stderr,
      });
    });
  }
});
