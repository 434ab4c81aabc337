// Functions of Node's that stand for two: the program gets what can be captured, native code what it always got. Neither side is loaded
// before it is called, and nobody can tell them apart by looking.
import { describe, expect, it } from 'vitest';
import { createProgram, runTransformed } from './running.ts';

/** A package that does I/O, and so stays native. */
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

describe('a function that stands for two', () => {
  it('is Node’s for native code and the program’s for the program, whoever made the call that leads there', async ({
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

  it('costs a program that does not call it no module', async ({ onTestFinished }) => {
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
