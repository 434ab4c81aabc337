// Ways to get a builtin or a package other than `import` and `require`, and functions of `process` that act on the
// machine: what the program gets is recorded, and a replay performs nothing.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
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
