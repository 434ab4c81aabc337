// turntable.config: its settings, their precedence, and the errors when it is invalid.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findConfig } from '../src/settings/config-file.ts';
import { LoaderError } from '../src/errors.ts';
import { loaderOptions } from '../src/settings/options.ts';
import { createProgram, runTransformed, type Files } from './running.ts';

/** Detects whether the file is transformed: only natively is direct `eval` allowed. */
const DIRECT_EVAL = "console.log(eval('1 + 1'));\n";

describe('a config file', () => {
  it.for<readonly [string, string]>([
    ['turntable.config.ts', "const kept: string[] = ['./main.cjs'];\nexport default { exclude: kept };\n"],
    ['turntable.config.mts', "export default { exclude: ['./main.cjs'] as string[] };\n"],
    ['turntable.config.js', "module.exports = { exclude: ['./main.cjs'] };\n"],
    ['turntable.config.mjs', "export default { exclude: ['./main.cjs'] };\n"],
    ['turntable.config.json', '{\n  // why\n  "exclude": ["./main.cjs"],\n}\n'],
  ])('is read from %s, without a word', { timeout: 60_000 }, async ([name, text], { onTestFinished }) => {
    const directory = createProgram({ 'main.cjs': DIRECT_EVAL, [name]: text }, onTestFinished);
    expect(await runTransformed(directory, 'main.cjs')).toEqual({ stdout: '2\n', stderr: '', code: 0 });
  });

  it(
    'applies to workers after the program has changed its directory',
    { timeout: 60_000 },
    async ({ onTestFinished }) => {
      const main = `
      const { Worker } = require('node:worker_threads');
      process.chdir('/');
      new Worker(require('node:path').join(__dirname, 'worker.cjs')).on('error', (error) => console.log(error.message));`;
      const files = {
        'main.cjs': main,
        'worker.cjs': DIRECT_EVAL,
        'turntable.config.json': '{"exclude":["./worker.cjs"]}',
      };
      const { stdout, stderr } = await runTransformed(createProgram(files, onTestFinished), 'main.cjs');
      expect({ stdout, stderr }).toEqual({ stdout: '2\n', stderr: '' });
    },
  );

  it('is loaded natively and invisibly to the program', { timeout: 60_000 }, async ({ onTestFinished }) => {
    const files = {
      'main.cjs': "const { count } = require('./shared.cjs'); console.log(count(), Object.keys(require.cache).length);",
      'shared.cjs': 'let n = 0; exports.count = () => ++n; exports.isNative = (f) => eval("1") === 1;',
      'turntable.config.js': "require('./shared.cjs').count(); module.exports = { exclude: ['./shared.cjs'] };",
    };
    expect((await runTransformed(createProgram(files, onTestFinished), 'main.cjs')).stdout).toBe('1 2\n');
  });

  it('ends the process with the location of an invalid setting', { timeout: 60_000 }, async ({ onTestFinished }) => {
    const text = "import { join } from 'node:path';\nexport default {\n  exclud: [join('a', 'b')],\n};\n";
    const directory = createProgram({ 'main.cjs': '', 'turntable.config.ts': text }, onTestFinished);
    const { stderr, code } = await runTransformed(directory, 'main.cjs');
    expect(code).toBe(1);
    expect(stderr).toContain(
      `${directory}/turntable.config.ts:3\n  exclud: [join('a', 'b')],\n  ^\n\nLoaderError [TT_CONFIG]: there is no setting "exclud"; did you mean "exclude"?\n`,
    );
    expect(stderr).not.toMatch(/packages\/\w+\/src/);
  });
});

describe('settings', () => {
  const configFile = { file: '/app/turntable.config.ts', settings: { include: ['a'], cache: '/kept', explain: true } };

  it('come from the environment before a config file before the defaults', () => {
    expect(loaderOptions({}, {}, configFile)).toEqual({
      include: ['a'],
      exclude: [],
      cache: '/kept',
      explain: true,
      recordings: false,
      snapshots: {},
      keep: {},
      trace: false,
      durability: 'none',
      services: true,
      debug: false,
      undo: false,
      config: configFile.file,
    });
    const environment = { TURNTABLE_INCLUDE: 'b, c', TURNTABLE_CACHE: 'off', TURNTABLE_EXPLAIN_CLASSIFICATION: '0' };
    expect(loaderOptions({}, environment, configFile)).toMatchObject({
      include: ['b', 'c'],
      cache: false,
      explain: false,
    });
    expect(loaderOptions({ include: ['d'], cache: '/given' }, environment, configFile)).toMatchObject({
      include: ['d'],
      cache: '/given',
    });
    expect(loaderOptions({}, { TURNTABLE_SERVICES: 'off' }, configFile).services).toBe(false);
    expect(loaderOptions({}, {}, { ...configFile, settings: { services: false } }).services).toBe(false);
    const environmentWithRecordings = {
      TURNTABLE_RECORDINGS: '/recorded',
      TURNTABLE_SNAPSHOTS: 'every=30s, work=250ms,turns=1000,requests=5,trace=64MB,signal=SIGUSR2,end',
      TURNTABLE_KEEP: 'count=3,age=1d,bytes=2GB,recordings=10,total=20GB,failed',
    };
    expect(loaderOptions({}, environmentWithRecordings, configFile)).toMatchObject({
      recordings: '/recorded',
      snapshots: { every: '30s', work: '250ms', turns: 1000, requests: 5, trace: '64MB', signal: 'SIGUSR2', end: true },
      keep: { count: 3, age: '1d', bytes: '2GB', recordings: 10, total: '20GB', failed: true },
    });
    expect(loaderOptions({}, { TURNTABLE_TRACE: '1' }, configFile)).toMatchObject({
      trace: true,
      recordings: join(process.cwd(), 'recordings'),
    });
    expect(loaderOptions({}, { TURNTABLE_TRACE: '1', TURNTABLE_RECORDINGS: 'off' }, configFile).recordings).toBe(false);
    expect(loaderOptions({}, { TURNTABLE_TRACE: '0' }, { ...configFile, settings: { trace: true } }).trace).toBe(false);
    expect(loaderOptions({}, {}, { ...configFile, settings: { trace: true } }).trace).toBe(true);
    expect(loaderOptions({}, { TURNTABLE_RECORDINGS: 'off' }, configFile).recordings).toBe(false);
    for (const invalidValue of ['every=soon', 'every=600h', 'turns=0', 'requests=x', 'signal=SIGNONE', 'start'])
      expect(() => loaderOptions({}, { TURNTABLE_SNAPSHOTS: invalidValue }, configFile)).toThrow(
        'TURNTABLE_SNAPSHOTS) must be a list such as',
      );
    for (const invalidValue of ['count=-1', 'recordings=0', 'total=much', 'snapshots=3'])
      expect(() => loaderOptions({}, { TURNTABLE_KEEP: invalidValue }, configFile)).toThrow(
        'must be a list such as count=20',
      );
    expect(loaderOptions({}, { TURNTABLE_INCLUDE: '', TURNTABLE_CACHE: '' }, configFile)).toMatchObject({
      include: [],
      cache: '/kept',
    });
  });

  it('are searched for up to the package and relative to their file', ({ onTestFinished }) => {
    const config = '{"cache":"kept","include":["./src/","lodash","lib/x"]}';
    const directory = createProgram({ 'turntable.config.json': config, 'inner/package.json': '{}' }, onTestFinished);
    mkdirSync(join(directory, 'src', 'deep'), { recursive: true });
    expect(findConfig(join(directory, 'src', 'deep'))).toEqual({
      file: join(directory, 'turntable.config.json'),
      settings: { cache: join(directory, 'kept'), include: [`${directory}/src/`, 'lodash', 'lib/x'] },
    });
    expect(findConfig(join(directory, 'inner'))).toBeUndefined();
  });

  it.for<readonly [string, Files, string]>([
    [
      'a key that does not exist',
      { 'turntable.config.json': '{"plugins":[]}' },
      ':1:2: there is no setting "plugins"; available: include, exclude, cache, explain, recordings, snapshots, keep, trace, durability, services',
    ],
    [
      'a misspelt key',
      { 'turntable.config.json': '{\n "Cache": "x"}' },
      ':2:2: there is no setting "Cache"; did you mean "cache"?',
    ],
    [
      'a value of another type',
      { 'turntable.config.mjs': "export default {\n  include: 'lodash',\n};" },
      ':2:3: "include" must be a list of package names and parts of paths, not \'lodash\'',
    ],
    [
      'a list of another type',
      { 'turntable.config.mjs': 'export default { exclude: [1] };' },
      ':1:18: "exclude" must be a list of package names and parts of paths, not [ 1 ]',
    ],
    [
      'a cache that is not a directory',
      { 'turntable.config.json': '{"cache":true}' },
      ':1:2: "cache" must be a directory, or false for none, not true',
    ],
    [
      'a flag that is not a boolean',
      { 'turntable.config.json': '{"explain":"yes"}' },
      ':1:2: "explain" must be true or false, not \'yes\'',
    ],
    [
      'a durability that does not exist',
      { 'turntable.config.json': '{"durability":"fsync"}' },
      ":1:2: \"durability\" must be 'none', 'reply' or 'reply+fsync', not 'fsync'",
    ],
    [
      'no settings at all',
      { 'turntable.config.mjs': 'export const a = 1;' },
      ':1:1: settings must be an object, but this file exports nothing; write `export default defineConfig({ … })`',
    ],
    ['a list', { 'turntable.config.json': '[]' }, ':1:1: settings must be an object, but this file exports []'],
    [
      'text that is not JSON',
      { 'turntable.config.json': '{\n  "cache": off\n}' },
      ':2:12: this file is not valid: unexpected text',
    ],
    [
      'text that ends early',
      { 'turntable.config.json': '{"include":["a"' },
      ":1:16: this file is not valid: Expected ',' or ']' after array element",
    ],
    [
      'a syntax error',
      { 'turntable.config.mjs': 'const a = 1;\nexport default { cache: 1 ;' },
      ":2:27: SyntaxError: Unexpected token ';'",
    ],
    [
      'an await',
      { 'turntable.config.mjs': 'export default await {};' },
      ':1:1: a config file is loaded synchronously; remove the top-level `await` from this file',
    ],
    [
      'an error',
      { 'turntable.config.mjs': "\nthrow new TypeError('boom');" },
      ':2:7: this file threw an error while it was loaded: TypeError: boom',
    ],
    [
      'two files',
      { 'turntable.config.ts': '', 'turntable.config.json': '{}' },
      ':1:1: there is also turntable.config.json, and only one config file is allowed; delete one of them',
    ],
  ])('cause an error with file, location and expectation: %s', ([, files, message], { onTestFinished }) => {
    const directory = createProgram(files, onTestFinished);
    const failure = errorThrownBy(() => findConfig(directory));
    expect(failure).toBeInstanceOf(LoaderError);
    const [file] = Object.keys(files);
    expect(failure.message).toBe(`${directory}/${file}${message}`);
    expect((failure as LoaderError).code).toBe('TT_CONFIG');
  });
});

function errorThrownBy(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('it did not fail');
}
