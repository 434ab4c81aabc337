// Ways to get a builtin or a package other than `import` and `require`, and functions of `process` that act on the
// machine: what the program gets is recorded, and a replay performs nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../loader/test/running.ts';
import { recordProgram, replayProgram } from './taped-runs.ts';

/** Expressions for `node:fs`. */
const WAYS_TO_FS: Readonly<Record<string, string>> = {
  'indirect eval': `(0, eval)('process.getBuiltinModule("fs")')`,
  'process.getBuiltinModule as a reaction': `await Promise.resolve('fs').then(process.getBuiltinModule)`,
  'process.getBuiltinModule, called by Node': `new AsyncLocalStorage().run(1, process.getBuiltinModule, 'fs')`,
  'process.getBuiltinModule, called by a builtin function': `['fs'].map(process.getBuiltinModule)[0]`,
  'vm.runInThisContext': `vm.runInThisContext('process.getBuiltinModule("fs")')`,
  'vm.Script': `new vm.Script('process.getBuiltinModule("fs")').runInThisContext()`,
  'vm.compileFunction': `vm.compileFunction('return process.getBuiltinModule("fs")')()`,
  'Module._load': `Module._load('fs')`,
  'Module._load as a reaction': `await Promise.resolve('fs').then(Module._load)`,
  'Module._load, called by Node': `new AsyncLocalStorage().run(1, Module._load, 'fs')`,
  'Module._load of a replacement': `(Module._load = Module._load.bind(Module), createRequire(import.meta.url)('fs'))`,
  'require of a package': `createRequire(deviceFile)('fs')`,
  'require of any module': `Module.prototype.require.call({ filename: deviceFile, paths: [] }, 'fs')`,
  'text compiled as the file of a package': `compiled('module.exports = require("fs")')`,
};
const PRELUDE = `
  import Module, { createRequire } from 'node:module';
  import { AsyncLocalStorage } from 'node:async_hooks';
  import vm from 'node:vm';
  const deviceFile = new URL('node_modules/device/build.node', import.meta.url).pathname;
  function compiled(text) {
    const module = new Module('compiled');
    module._compile(text, deviceFile);
    return module.exports;
  }
`;

describe.concurrent('a file is read once, although the program gets the builtin through', () => {
  it.for(Object.entries(WAYS_TO_FS))('%s', async ([, expression], { onTestFinished }) => {
    const directory = createProgram(
      {
        'data.txt': 'recorded',
        'main.mjs': `${PRELUDE} const fs = ${expression};\nconsole.log(fs.readFileSync('data.txt', 'utf8'));`,
      },
      onTestFinished,
    );
    const recorded = await recordProgram(directory, 'main.mjs');
    expect(recorded.stdout).toContain('recorded\n');
    rmSync(join(directory, 'data.txt'));
    expect(await replayProgram(directory, 'main.mjs')).toEqual(recorded);
  });
});

/** Statements that create the file `made`. */
const WAYS_TO_ACT: Readonly<Record<string, string>> = {
  'process.binding': `
    const { spawn } = process.binding('spawn_sync');
    spawn({ file: '/usr/bin/touch', args: ['touch', 'made'], envPairs: [], stdio: Array(3).fill({ type: 'ignore' }) });`,
  'process.report.writeReport': `process.report.writeReport('made');`,
  'module.register': `
    const { register } = process.getBuiltinModule('node:module');
    const text = "import { writeFileSync } from 'node:fs'; writeFileSync('made', '');";
    register('data:text/javascript,' + encodeURIComponent(text));`,
};

describe.concurrent('a replay does not perform', () => {
  it.for(Object.entries(WAYS_TO_ACT))('%s', async ([, statement], { onTestFinished }) => {
    const directory = createProgram({ 'main.mjs': `${statement}\nconsole.log('end');` }, onTestFinished);
    const { stdout } = await recordProgram(directory, 'main.mjs');
    expect(existsSync(join(directory, 'made'))).toBe(true);
    rmSync(join(directory, 'made'));
    expect((await replayProgram(directory, 'main.mjs')).stdout).toBe(stdout);
    expect(existsSync(join(directory, 'made'))).toBe(false);
  });
});

const COUNTS_SIGNALS = `
  process.on('SIGUSR2', () => console.log('from the program'));
  process.on('SIGTERM', () => process.exit());
  console.log('ready');
  setInterval(() => {}, 1000);`;

it.concurrent.for(['kill', '_kill'])('a replay sends no signal: process.%s', async (name, { onTestFinished }) => {
  const victim = spawn(process.execPath, ['-e', COUNTS_SIGNALS], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void victim.kill('SIGKILL'));
  const lines: string[] = [];
  const output = createInterface(victim.stdout).on('line', (line) => lines.push(line));
  await once(output, 'line');
  const main = `
    import { constants } from 'node:os';
    console.log(process.${name}(${victim.pid}, constants.signals.SIGUSR2));`;
  const directory = createProgram({ 'main.mjs': main }, onTestFinished);
  const signalled = once(output, 'line');
  const recorded = await recordProgram(directory, 'main.mjs');
  await signalled;
  expect(await replayProgram(directory, 'main.mjs')).toEqual(recorded);
  victim.kill('SIGTERM');
  await once(output, 'close');
  expect(lines).toEqual(['ready', 'from the program']);
});

it('a muted replay prints no texts of process._rawDebug', async ({ onTestFinished }) => {
  const directory = createProgram({ 'main.mjs': `process._rawDebug('%s debugged', 1);` }, onTestFinished);
  expect((await recordProgram(directory, 'main.mjs')).stderr).toBe('1 debugged\n');
  expect((await replayProgram(directory, 'main.mjs')).stderr).toBe('1 debugged\n');
  const muted = await replayProgram(directory, 'main.mjs', { environment: { TURNTABLE_CONSOLE: 'mute' } });
  expect(muted.stderr).toBe('');
});

/** Expressions whose values differ in another process. */
const UNREPEATABLE: Readonly<Record<string, string>> = {
  'URL.createObjectURL': `URL.createObjectURL(new Blob(['content']))`,
  'the content at an object URL': `await fetch(URL.createObjectURL(new Blob([process.pid]))).then((got) => got.text())`,
  'vm.measureMemory': `JSON.stringify(await vm.measureMemory({ execution: 'eager' }))`,
  'v8.queryObjects': `v8.queryObjects(Array)`,
  'eventLoopUtilization of perf_hooks': `await new Promise((go) => setTimeout(go, 1)), JSON.stringify(perfHooks.eventLoopUtilization?.())`,
  'recordDelta of a histogram': `[1, 2].map(() => (histogram.recordDelta(), histogram.max)).join()`,
  'v8.startCpuProfile': `v8.startCpuProfile?.().stop()`,
};

describe.concurrent('a replay gets the recorded value of', () => {
  it.for(Object.entries(UNREPEATABLE))('%s', async ([, expression], { onTestFinished }) => {
    const main = `
      import v8 from 'node:v8';
      import vm from 'node:vm';
      import perfHooks from 'node:perf_hooks';
      const histogram = perfHooks.createHistogram();
      console.log(${expression});`;
    const directory = createProgram({ 'main.mjs': main }, onTestFinished);
    const recorded = await recordProgram(directory, 'main.mjs');
    expect(recorded.code).toBe(0);
    const replayed = await replayProgram(directory, 'main.mjs');
    expect(replayed.stdout).toBe(recorded.stdout);
  });
});

describe.concurrent('the dispatcher of the built-in undici', () => {
  const KEYS = `
    import http from 'node:http';
    import { once } from 'node:events';
    const keys = [1, 2].map((version) => Symbol.for('undici.globalDispatcher.' + version));
    let served = 0;
    const server = http.createServer((_, response) => response.end('served ' + ++served)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = 'http://127.0.0.1:' + server.address().port;
    const text = async (response) => (await response).text();
    await text(fetch('data:,'));`;

  it('sends no request in a replay', async ({ onTestFinished }) => {
    const main = `${KEYS}
      for (const key of keys) {
        const { statusCode, body } = await globalThis[key].request({ origin, path: '/', method: 'GET' });
        const { value, writable, enumerable } = Object.getOwnPropertyDescriptor(globalThis, key);
        console.log(statusCode, await text(body), value === globalThis[key], writable, enumerable);
      }
      server.close();`;
    const directory = createProgram({ 'main.mjs': main }, onTestFinished);
    const recorded = await recordProgram(directory, 'main.mjs');
    expect(recorded.stdout).toContain('200 served 1 true true false\n200 served 2 true true false\n');
    expect(await replayProgram(directory, 'main.mjs')).toEqual(recorded);
  });

  it('can be set by the program, whose object then gets the requests of fetch in both runs', async ({
    onTestFinished,
  }) => {
    const main = `${KEYS}
      const calls = [];
      for (const key of keys) {
        const dispatcher = globalThis[key];
        const dispatch = (options, handler) => {
          calls.push(options.path);
          return dispatcher.dispatch(options, handler);
        };
        Object.defineProperty(globalThis, key, { value: { dispatch }, writable: true, enumerable: false });
      }
      console.log(await text(fetch(origin + '/path')), calls);
      server.close();`;
    const directory = createProgram({ 'main.mjs': main }, onTestFinished);
    const recorded = await recordProgram(directory, 'main.mjs');
    expect(recorded.stdout).toContain("served 1 [ '/path' ]\n");
    expect(await replayProgram(directory, 'main.mjs')).toEqual(recorded);
  });
});
