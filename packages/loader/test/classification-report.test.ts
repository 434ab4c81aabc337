// The report of a program's classification, made without running the program.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { classificationText, createClassificationReport } from '../src/classification/classification-report.ts';
import { ModuleClassifier } from '../src/classification/module-classifier.ts';
import { classifyProgram, transformErrorOf } from '../src/classification/program-classification.ts';
import { loaderOptions } from '../src/settings/options.ts';
import { createProgram, type Files } from './running.ts';

const FILES: Files = {
  'package.json': '{"name":"program","version":"1.2.3"}',
  'main.cjs':
    "require('./lib.cjs'); require('served'); require('plain'); require('@s/native'); require('gone'); require('node:path'); require('unused-' + x);",
  'lib.cjs':
    "const { gzipSync } = require('zlib'); const tty = require('tty'); tty.isatty(1); require('fs').readFileSync; function f() { require('./lazy.cjs'); }",
  'lazy.cjs': "require('zlib').gzip; require('./data.json'); import('./typed.mts');",
  'typed.mts': 'export const a: number = eval("1");',
  'data.json': '{}',
  'never.cjs': "require('net');",
  'node_modules/served/package.json': '{"name":"served"}',
  'node_modules/served/index.js': "require('net').connect; require('./other');",
  'node_modules/served/other.js': '',
  'node_modules/plain/package.json': '{"name":"plain","version":"0.1.0"}',
  'node_modules/plain/index.js': "require('./more'); require('crypto').randomUUID();",
  'node_modules/plain/more.js': 'with (a) {}',
  'node_modules/@s/native/package.json': '{"name":"@s/native","version":"2.0.0"}',
  'node_modules/@s/native/index.js': "require('bindings')('x');",
};

function classify(
  onFinished: (clean: () => void) => void,
  options = {},
): ReturnType<typeof classifyProgram> & { directory: string } {
  const directory = createProgram(FILES, onFinished);
  return { directory, ...classifyProgram(pathToFileURL(join(directory, 'main.cjs')).href, loaderOptions(options, {})) };
}

describe('the classification of a program', () => {
  it('has the packages that it reaches, the program’s first', ({ onTestFinished }) => {
    const { packages } = classify(onTestFinished);
    expect(packages.map(({ name, version, side, files }) => ({ name, version, side, files }))).toEqual([
      { name: 'plain', version: '0.1.0', side: 'program', files: 2 },
      { name: 'program', version: '1.2.3', side: 'program', files: 5 },
      { name: '@s/native', version: '2.0.0', side: 'device', files: 1 },
      { name: 'served', version: undefined, side: 'device', files: 1 },
    ]);
    expect(packages.find(({ name }) => name === 'served')?.reason).toContain('index.js:1 imports net');
  });

  it('has the builtins of the program with their strongest use', ({ onTestFinished }) => {
    const { builtins } = classify(onTestFinished);
    expect(builtins.map(({ name, class: ofClass, isRecorded }) => [name, ofClass, isRecorded])).toEqual([
      ['crypto', 'leaf', false],
      ['fs', 'device', false],
      ['path', 'pure', false],
      ['tty', 'leaf', false],
      ['zlib', 'device', false],
    ]);
    expect(builtins.find(({ name }) => name === 'tty')?.reason).toBe('terminals; of it, only isatty');
    expect(builtins.find(({ name }) => name === 'zlib')?.reason).toBe('compresses on other threads');
  });

  it('of a recorded program has the builtins whose calls are recorded', ({ onTestFinished }) => {
    const { builtins, packages } = classify(onTestFinished, { trace: true });
    expect(builtins.filter(({ isRecorded }) => isRecorded).map(({ name }) => name)).toEqual(['fs', 'net', 'zlib']);
    expect(builtins.find(({ name }) => name === 'fs')?.reason).toMatch(/^recorded: /);
    expect(packages.find(({ name }) => name === 'served')).toMatchObject({ side: 'program', files: 2 });
  });

  it('has the code of the program that is refused, but not that of packages', ({ onTestFinished }) => {
    const { refused, directory } = classify(onTestFinished);
    expect(refused).toEqual([expect.stringContaining(`${directory}/typed.mts:1:26: direct eval`)]);
    expect(transformErrorOf(join(directory, 'typed.mts'))?.message).toContain('direct eval');
    for (const name of ['main.cjs', 'lib.cjs', 'data.json'])
      expect(transformErrorOf(join(directory, name))).toBeUndefined();
    expect(transformErrorOf(join(directory, 'typed.mts'), () => true)).toBeUndefined();
    expect(transformErrorOf(join(directory, 'node_modules/plain/more.js'))).toBeUndefined();
    expect(transformErrorOf(join(directory, 'gone.js'))?.message).toContain('ENOENT');
  });

  it('is printed as two tables', () => {
    expect(
      classificationText({
        packages: [
          { name: 'a', version: '1.0.0', side: 'program', reason: 'why', files: 12 },
          { name: 'longer name', version: undefined, side: 'device', reason: '', files: 1 },
          { name: 'b', version: undefined, side: 'native', reason: 'x', files: 1 },
        ],
        builtins: [{ name: 'fs', class: 'device', reason: 'files', isRecorded: true }],
      }).split('\n'),
    ).toEqual([
      'package      is           files  because',
      '-----------  -----------  -----  -------',
      'a@1.0.0      transformed  12     why',
      'longer name  device       1',
      'b            native       1      x',
      '',
      'builtin  is      because',
      '-------  ------  -------',
      'fs       device  files',
    ]);
    expect(classificationText({ packages: [], builtins: [] })).toBe(
      'package  is  files  because\n-------  --  -----  -------',
    );
  });

  it('has builtins that were loaded without a request in a file', ({ onTestFinished }) => {
    const directory = createProgram({ 'main.cjs': "require('fs').readFile;" }, onTestFinished);
    const classifier = new ModuleClassifier(loaderOptions({}, {}), [], { isRecorded: false });
    classifier.classify(join(directory, 'main.cjs'));
    classifier.scan(join(directory, 'main.cjs'));
    const record = (kind: string): object => ({ hostState: { kind } });
    const records = new Map([
      ['node:fs', record('builtin')],
      ['node:path', record('builtin')],
      ['node:not-known', record('builtin')],
      ['file:///a.mjs', record('module')],
    ]);
    const { builtins } = createClassificationReport({ records } as never, classifier);
    expect(builtins.map(({ name, class: ofClass, reason }) => [name, ofClass, reason])).toEqual([
      ['fs', 'device', expect.any(String)],
      ['not-known', 'unknown', 'not known to this version'],
      ['path', 'pure', expect.any(String)],
    ]);
  });
});
