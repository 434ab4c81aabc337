import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtinEntry, builtinUseOf } from '../src/classification/builtins.ts';
import { loaderOptions } from '../src/settings/options.ts';
import { ModuleClassifier } from '../src/classification/module-classifier.ts';
import { createProgram, type Files } from './running.ts';

const packageFiles = (name: string, index: string, moreFiles: Files = {}): Files => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name }),
  [`node_modules/${name}/index.js`]: index,
  ...Object.fromEntries(Object.entries(moreFiles).map(([file, text]) => [`node_modules/${name}/${file}`, text])),
});

describe('builtins', () => {
  it('are all classified in every supported Node', () => {
    expect(builtinModules.filter((name) => !name.startsWith('_') && builtinEntry(name) === undefined)).toEqual([]);
  });

  it('are classified by the members used', () => {
    const use = (name: string, members?: string[]): string => builtinUseOf(builtinEntry(name)!, members);
    expect(use('tty', ['isatty'])).toBe('leaf');
    expect(use('tty')).toBe('device');
    expect(use('http', ['STATUS_CODES', 'METHODS'])).toBe('pure');
    expect(use('crypto', ['randomUUID', 'createHash'])).toBe('leaf');
    expect(use('zlib', ['gzipSync'])).toBe('pure');
    expect(use('zlib', ['gzip'])).toBe('device');
  });
});

describe('a package', () => {
  function classifyPackage(
    files: Files,
    name: string,
    onFinished: (clean: () => void) => void,
    options = {},
    isRecorded = false,
  ): { side: string; reason: string } {
    const directory = createProgram(files, onFinished);
    return new ModuleClassifier(loaderOptions(options), [], { isRecorded }).classify(
      join(directory, 'node_modules', name, 'index.js'),
    );
  }

  it('is a device if one of its files imports I/O, with the location as the reason', ({ onTestFinished }) => {
    const files = packageFiles('p', "module.exports = require('./lib/a');", {
      'lib/a.js': "exports.read =\n  require('node:fs').readFileSync;",
    });
    expect(classifyPackage(files, 'p', onTestFinished)).toEqual({
      side: 'device',
      reason: 'p: lib/a.js:2 imports node:fs (readFileSync), which is I/O: files',
    });
  });

  it('is a device of a recorded program if a dependency of the program declares it', ({ onTestFinished }) => {
    const files: Files = {
      'package.json': JSON.stringify({ name: 'program', devDependencies: { source: '*', '@a/gone': '*' } }),
      'main.js': '',
      ...packageFiles('served', "require('net');"),
      ...packageFiles('@many/one', ''),
      ...packageFiles('other', ''),
      'node_modules/source/package.json': JSON.stringify({
        name: 'source',
        turntable: { devices: ['served', '@many/*', './outside.js', 7] },
      }),
      'node_modules/source/index.js': '',
      'node_modules/source/outside.js': '',
      'node_modules/other/package.json': JSON.stringify({ name: 'other', turntable: { devices: ['source'] } }),
    };
    const directory = createProgram(files, onTestFinished);
    const sidesOf = (isRecorded: boolean, options = {}): ((file: string) => string) => {
      const classifier = new ModuleClassifier(loaderOptions(options), [], { isRecorded });
      classifier.classify(join(directory, 'main.js'));
      return (file) => {
        const { side, reason } = classifier.classify(join(directory, 'node_modules', file));
        return side === 'device' ? reason : side;
      };
    };
    const sideOfFile = sidesOf(true);
    for (const file of ['served/index.js', '@many/one/index.js', 'source/outside.js'])
      expect(sideOfFile(file)).toBe('a device: source says so');
    for (const file of ['source/index.js', 'other/index.js']) expect(sideOfFile(file)).toBe('program');
    expect(sidesOf(true, { include: ['served'] })('served/index.js')).toBe('program');
    expect(sidesOf(false)('@many/one/index.js')).toBe('program');
  });

  it('is part of a recorded program unless it is excluded or cannot be tracked', ({ onTestFinished }) => {
    const classify = (index: string, moreFiles: Files = {}, options = {}): { side: string; reason: string } =>
      classifyPackage(packageFiles('p', index, moreFiles), 'p', onTestFinished, options, true);
    const ioSource = "require('net'); require('./lib/a');";
    expect(classify(ioSource, { 'lib/a.js': "require('node:fs');" })).toEqual({
      side: 'program',
      reason: 'part of a program that is recorded',
    });
    expect(classify(ioSource, { 'lib/a.js': 'new SharedArrayBuffer(1);' })).toEqual({
      side: 'device',
      reason: 'p: lib/a.js:1 uses SharedArrayBuffer',
    });
    expect(classify("require('./build/Release/a.node');", { 'build/Release/a.node': '' }).side).toBe('device');
    expect(classify(ioSource, {}, { exclude: ['p'] }).reason).toBe('excluded by "p"');
  });

  it('is transformed if its builtins are pure or leaves', ({ onTestFinished }) => {
    const source =
      "const tty = require('tty'); const { tracingChannel } = require('diagnostics_channel'); require('crypto').randomBytes(4); tty.isatty(1);";
    expect(classifyPackage(packageFiles('p', source), 'p', onTestFinished).side).toBe('program');
  });

  it('is not a device because of a require inside a function', ({ onTestFinished }) => {
    expect(
      classifyPackage(
        packageFiles('p', "exports.load = function (file) { return require('fs').readFileSync(file); };"),
        'p',
        onTestFinished,
      ).side,
    ).toBe('program');
  });

  it('is a device with a native addon or shared memory', ({ onTestFinished }) => {
    expect(classifyPackage(packageFiles('p', '', { 'binding.gyp': '{}' }), 'p', onTestFinished).side).toBe('device');
    expect(classifyPackage(packageFiles('p', "require('bindings')('x');"), 'p', onTestFinished).side).toBe('device');
    expect(classifyPackage(packageFiles('p', 'new SharedArrayBuffer(4);'), 'p', onTestFinished).side).toBe('device');
  });

  it('is on the side that the user sets', ({ onTestFinished }) => {
    expect(classifyPackage(packageFiles('p', "require('fs');"), 'p', onTestFinished, { include: ['p'] })).toEqual({
      side: 'program',
      reason: 'included by "p"',
    });
    expect(classifyPackage(packageFiles('@a/p', ''), '@a/p', onTestFinished, { exclude: ['@a/p'] })).toEqual({
      side: 'device',
      reason: 'excluded by "@a/p"',
    });
    expect(classifyPackage(packageFiles('p', ''), 'p', onTestFinished, { exclude: ['node_modules/p/'] }).side).toBe(
      'device',
    );
  });
});
