// Values that cannot be captured are refused with their path, the reason and a remedy. Texts are compared exactly,
// because users read them.
import { describe, expect, it } from 'vitest';
import { HeapError } from '@turntable/heap';
import { inEachCopy, CaptureWorld } from './world.ts';

const DEVICE_REMEDY = 'create it in device(() => …), or create it again when it is needed';
const TRANSFORM_REMEDY = 'transform its module with --include PACKAGE, or create it in device(() => …)';
const UNTRANSFORMED = 'is not transformed, so its captured variables cannot be read';
const PROMISE =
  'the reactions of a native promise cannot be read; ' +
  'await it in transformed code, or create it there with new Promise(…) or an async function';
const ITERATOR =
  'the position of a native iterator cannot be read; iterate with for-of, or copy the remaining values into an array';

/** Values that native code may give to transformed code. */
function natives(): Record<string, unknown> {
  const captured = 1;
  class Native {}
  return {
    closure: () => captured,
    instance: new Native(),
    generator: (function* () {})(),
    asyncGenerator: (async function* () {})(),
    pending: new Promise(() => {}),
    settled: Promise.resolve(1),
    resolve: Promise.withResolvers().resolve,
    iterator: [1].values(),
    mapIterator: new Map([[1, 2]]).values(),
    matches: 'ab'.matchAll(/./g),
    proxy: new Proxy({}, { get: () => captured }),
    weakRef: new WeakRef({}),
    registry: new FinalizationRegistry(() => {}),
  };
}

function refusal(source: string): string {
  const world = CaptureWorld.run(source, { native: natives() });
  world.settle();
  try {
    world.heap.write(world.state);
  } catch (error) {
    expect(error).toBeInstanceOf(HeapError);
    expect((error as HeapError).code).toBe('TT_UNCAPTURABLE');
    return (error as HeapError).message;
  }
  return 'was written';
}

it('a class that extends a host class can be captured', () => {
  inEachCopy(
    `const { Readable } = require('node:stream');
     class Numbers extends Readable { #n = 0; constructor(most) { super({ objectMode: true }); this.most = most; } _read() { this.push(this.#n < this.most ? this.#n++ : null); } }
     exports.Numbers = Numbers; exports.Readable = Readable;`,
    ({ Numbers, Readable }: { Numbers: new (n: number) => { read(): unknown }; Readable: unknown }) => {
      const numbers = new Numbers(2);
      return [numbers.read(), numbers.read(), Object.getPrototypeOf(Numbers) === Readable];
    },
  );
});

/** Path of a CommonJS module's exports. */
const EXPORTS = 'roots.record parameters[0]';

describe('refuses host objects', () => {
  it.each([
    [
      'a socket',
      `const { Socket } = require('node:net'); exports.session = { peer: { socket: new Socket() } };`,
      `${EXPORTS}.session.peer.socket: a node:net.Socket belongs to the host; ${DEVICE_REMEDY}`,
    ],
    [
      'an HTTP server in a module variable',
      `const app = { server: require('node:http').createServer() };`,
      `roots.record app.server: a node:http.Server belongs to the host; ${DEVICE_REMEDY}`,
    ],
    [
      'a server in a private field',
      `class App { #server = require('node:net').createServer(); } exports.app = new App();`,
      `${EXPORTS}.app.#server: a node:net.Server belongs to the host; ${DEVICE_REMEDY}`,
    ],
    [
      'a stream in a Map',
      `const { Readable } = require('node:stream'); exports.streams = new Map([['in', Readable.from([])]]);`,
      `${EXPORTS}.streams.get("in"): a node:stream.Readable belongs to the host; ${DEVICE_REMEDY}`,
    ],
    [
      'an instance of a subclass of a host class',
      `const { PassThrough } = require('node:stream'); class Mine extends PassThrough {} exports.mine = new Mine();`,
      `${EXPORTS}.mine: a node:stream.PassThrough belongs to the host; ${DEVICE_REMEDY}`,
    ],
    [
      'a message port captured by a closure',
      `const { MessageChannel } = require('node:worker_threads');
       exports.make = () => { const port = new MessageChannel().port1; return () => port; }; exports.close = exports.make();`,
      `${EXPORTS}.close captured port: a MessagePort belongs to the host; ${DEVICE_REMEDY}`,
    ],
    [
      'a worker',
      `const { Worker } = require('node:worker_threads');
       exports.worker = new Worker('', { eval: true }); exports.worker.terminate();`,
      `${EXPORTS}.worker: a node:worker_threads.Worker belongs to the host; ${DEVICE_REMEDY}`,
    ],
    [
      'a response in a local of a suspended function',
      `exports.done = (async () => { const response = new Response(); await new Promise((resolve) => { exports.go = resolve; }); return response; })();`,
      `${EXPORTS}.go captured 0.eventual.waiting.s0: a Response belongs to the host; ${DEVICE_REMEDY}`,
    ],
    [
      'shared memory in a subclass',
      `exports.counter = new (class Counter extends SharedArrayBuffer {})(4);`,
      `${EXPORTS}.counter: it shares memory with other threads (a SharedArrayBuffer); create shared memory in device(() => …), or store a copy of its contents`,
    ],
    [
      'shared memory behind a DataView',
      `exports.counter = new DataView(new SharedArrayBuffer(4));`,
      `${EXPORTS}.counter: it shares memory with other threads (a SharedArrayBuffer); create shared memory in device(() => …), or store a copy of its contents`,
    ],
    [
      'shared memory',
      `exports.counter = new Int32Array(new SharedArrayBuffer(4));`,
      `${EXPORTS}.counter: it shares memory with other threads (a SharedArrayBuffer); create shared memory in device(() => …), or store a copy of its contents`,
    ],
  ])('%s', (_, source, message) => expect(refusal(source)).toBe(message));
});

describe('refuses engine objects', () => {
  it.each([
    [
      'a pending promise of fs.promises',
      `const { promises } = require('node:fs');
       class Store { #loading = promises.stat('.'); } exports.store = new Store();`,
      `${EXPORTS}.store.#loading: ${PROMISE}`,
    ],
    ['a settled native promise', `exports.list = [0, require('native').settled];`, `${EXPORTS}.list[1]: ${PROMISE}`],
    ['a native iterator', `exports.it = require('native').iterator;`, `${EXPORTS}.it: ${ITERATOR}`],
    ['a native iterator of a Map', `exports.it = require('native').mapIterator;`, `${EXPORTS}.it: ${ITERATOR}`],
    ['a native iterator of matches', `exports.it = require('native').matches;`, `${EXPORTS}.it: ${ITERATOR}`],
    [
      'an iterator passed directly to a function',
      `const cursor = (it) => ({ it }); exports.cursor = cursor([1].values());`,
      `${EXPORTS}.cursor.it: ${ITERATOR}`,
    ],
    [
      'a native WeakRef',
      `exports.ref = require('native').weakRef;`,
      `${EXPORTS}.ref: native code created this WeakRef, so its results are not recorded; create it in transformed code, or in device(() => …)`,
    ],
    [
      'a native FinalizationRegistry',
      `exports.registry = require('native').registry;`,
      `${EXPORTS}.registry: native code created this FinalizationRegistry, so its registrations cannot be read; create it in transformed code, or in device(() => …)`,
    ],
    [
      'a native function',
      `exports.both = { resolve: require('native').resolve };`,
      `${EXPORTS}.both.resolve: a function is native code, so its state cannot be read; get it again where it is used instead of storing it, or create it in device(() => …)`,
    ],
  ])('%s', (_, source, message) => expect(refusal(source)).toBe(message));
});

describe('refuses untransformed code', () => {
  it.each([
    [
      'a closure among the listeners of an emitter',
      `const { EventEmitter } = require('node:events');
       exports.bus = new EventEmitter().on('message', require('native').closure);`,
      `${EXPORTS}.bus._events.message: the function "() => captured" ${UNTRANSFORMED}; ${TRANSFORM_REMEDY}`,
    ],
    [
      'a bound closure',
      `exports.bound = require('native').closure.bind(null);`,
      `${EXPORTS}.bound bound function: the function "() => captured" ${UNTRANSFORMED}; ${TRANSFORM_REMEDY}`,
    ],
    [
      'a closure as the storage value of a suspended function',
      `const { AsyncLocalStorage } = require('node:async_hooks');
       new AsyncLocalStorage().run(require('native').closure, async () => { await new Promise((resolve) => { exports.go = resolve; }); });`,
      `${EXPORTS}.go captured 0.eventual.waiting.context.store value: the function "() => captured" ${UNTRANSFORMED}; ${TRANSFORM_REMEDY}`,
    ],
    [
      'a trap of a Proxy',
      `exports.proxy = require('native').proxy;`,
      `${EXPORTS}.proxy.[[Handler]].get: the function "() => captured" ${UNTRANSFORMED}; ${TRANSFORM_REMEDY}`,
    ],
    [
      'an instance of a class',
      `exports.it = require('native').instance;`,
      `${EXPORTS}.it.[[Prototype]].constructor: the function "class Native {}" ${UNTRANSFORMED}; ${TRANSFORM_REMEDY}`,
    ],
    [
      'a generator',
      `exports.it = require('native').generator;`,
      `${EXPORTS}.it: the suspended state of a native generator cannot be read; transform the module of its function with --include PACKAGE`,
    ],
    [
      'an async generator in a suspended loop',
      `exports.done = (async () => { for await (const each of require('native').asyncGenerator) {} })();
       exports.it = require('native').asyncGenerator;`,
      `${EXPORTS}.it: the suspended state of a native generator cannot be read; transform the module of its function with --include PACKAGE`,
    ],
  ])('%s', (_, source, message) => expect(refusal(source)).toBe(message));
});

it('runs no program code while it looks for the path of a refused value', () => {
  expect(
    refusal(`
      const ran = () => { throw new Error('ran'); };
      const all = new Proxy({}, { get: () => ran });
      exports.trap = new Proxy({}, all);
      exports.child = Object.create(new Proxy({}, { getPrototypeOf: ran, get: ran, getOwnPropertyDescriptor: ran, ownKeys: ran }));
      exports.accessor = { get value() { return ran(); } };
      class Odd { static get [Symbol.species]() { return ran(); } get [Symbol.toStringTag]() { return ran(); } }
      exports.odd = new Odd();
      exports.last = { here: require('native').settled };`),
  ).toBe(`${EXPORTS}.last.here: ${PROMISE}`);
});
