// Shims of Node's functions: the program gets an implementation that can be captured, native code gets Node's. A shim is
// loaded at its first call and cannot be distinguished from Node's function.
import { describe, expect, it } from 'vitest';
import { createProgram, runTransformed } from './running.ts';

/** A package that does I/O and therefore stays native. */
const DEVICE_PACKAGE = {
  'node_modules/device/package.json': '{"name":"device"}',
  'node_modules/device/index.js': `
    require('fs').readFileSync(__filename);
    const { EventEmitter, once, on } = require('events');
    const util = require('util');
    const NativePromise = (async () => {})().constructor;
    exports.isNative = (value) => Object.getPrototypeOf(value) === NativePromise.prototype;
    exports.once = () => { const e = new EventEmitter(); setImmediate(() => e.emit('a')); return once(e, 'a'); };
    exports.promisified = () => util.promisify((callback) => callback(null, 1))();
    exports.called = (fn) => fn();
    exports.texts = () => [once, on, util.promisify].map((fn) => [fn.name, fn.length, String(fn).includes('native code')]);
    exports.functions = { once, on, promisify: util.promisify };`,
};

describe('a shim', () => {
  it('acts as Node’s function for native callers and as the program’s for the program’s', async ({
    onTestFinished,
  }) => {
    const directory = createProgram(
      {
        ...DEVICE_PACKAGE,
        'main.mjs': `
          import device from 'device';
          import events, { once, on, EventEmitter } from 'node:events';
          import { promisify } from 'node:util';
          const emitter = new EventEmitter();
          const soon = () => setImmediate(() => emitter.emit('b'));
          console.log(device.isNative(device.once()), device.isNative(device.promisified()));
          soon();
          console.log(device.isNative(once(emitter, 'b')), device.isNative(device.called(() => once(emitter, 'b'))));
          soon();
          console.log(['b'].map((name) => once(emitter, name)).some(device.isNative), device.isNative(Reflect.apply(once, null, [emitter, 'b'])));
          console.log(device.isNative(Promise.resolve('b').then(once.bind(null, emitter))), device.isNative(promisify((callback) => callback())()));
          console.log(device.functions.once === once, device.functions.on === on, device.functions.promisify === promisify, events.once === once);
          console.log(JSON.stringify(device.texts()));`,
      },
      onTestFinished,
    );
    const { stdout, stderr } = await runTransformed(directory, 'main.mjs');
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'true true',
      'false false',
      'false false',
      'false false',
      'true true true true',
      '[["once",2,false],["on",2,false],["promisify",1,false]]',
      '',
    ]);
  });

  it('loads no module in a program that does not call it', async ({ onTestFinished }) => {
    const programWith = (call: string): string => `
      const { promisify } = require('util');
      require('events');
      ${call}
      const { installedLoader } = await_loader();
      function await_loader() { return process.getBuiltinModule('module').createRequire('${import.meta.filename}')('@turntable/replayer'); }
      console.log([...installedLoader().program.graph.records.keys()].filter((key) => key.includes('/node-shims/')).length);`;
    const directory = createProgram(
      { 'idle.cjs': programWith(''), 'busy.cjs': programWith('promisify(() => {});') },
      onTestFinished,
    );
    expect((await runTransformed(directory, 'idle.cjs')).stdout).toBe('0\n');
    expect((await runTransformed(directory, 'busy.cjs')).stdout).toBe('2\n');
  });
});
