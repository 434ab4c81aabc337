// Calls of Node's loaders of files by the program itself: the text of a file is read once, and a replay needs no file.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../loader/test/running.ts';
import { recordProgram, replayProgram } from './taped-runs.ts';

const PRELUDE = `
  import Module, { createRequire } from 'node:module';
  import { fileURLToPath } from 'node:url';
  const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
  const require = createRequire(import.meta.url);
  function loadedBy(load, name) {
    const module = new Module(name);
    load(module, fileOf(name));
    return module.exports;
  }`;
const FILES = {
  'text.cjs': `const { readFileSync } = require('fs'); exports.text = 'of ' + typeof readFileSync;`,
  'data.json': '\u{feff}{ "text": "of data" }',
  'module.mjs': `export const text = 'of a module';`,
  'inner/a.js': '',
  'inner/package.json': '{ "name": "inner" }',
};
/** Expressions that load one of the files, with their values. */
const LOADS: Readonly<Record<string, readonly [expression: string, value: string]>> = {
  "Module._extensions['.js']": [`loadedBy(Module._extensions['.js'], 'text.cjs').text`, 'of function'],
  "require.extensions['.js']": [`loadedBy(require.extensions['.js'], 'text.cjs').text`, 'of function'],
  "Module._extensions['.js'] of an ES module": [
    `loadedBy(Module._extensions['.js'], 'module.mjs').text`,
    'of a module',
  ],
  "Module._extensions['.json']": [`loadedBy(Module._extensions['.json'], 'data.json').text`, 'of data'],
  'module.load': [`loadedBy((module, file) => module.load(file), 'text.cjs').text`, 'of function'],
  'module.load of JSON': [`loadedBy((module, file) => module.load(file), 'data.json').text`, 'of data'],
  'module.findPackageJSON': [
    `Module.findPackageJSON('./inner/a.js', import.meta.url).slice(-18)`,
    'inner/package.json',
  ],
};

describe.concurrent('a program that loads a file without require is replayed without the file', () => {
  it.for(Object.entries(LOADS))('%s', async ([, [expression, value]], { onTestFinished }) => {
    const main = `${PRELUDE} console.log(${expression});`;
    const directory = createProgram({ ...FILES, 'main.mjs': main }, onTestFinished);
    const recorded = await recordProgram(directory, 'main.mjs');
    expect(recorded.stdout).toContain(`${value}\n`);
    expect(recorded.stdout).not.toContain('cannot replay');
    // `taped-runs` keeps no sources of modules, unlike a recording.
    for (const name of Object.keys(FILES)) if (name !== 'module.mjs') rmSync(join(directory, name));
    expect(await replayProgram(directory, 'main.mjs')).toEqual(recorded);
  });
});

it('a loader of the program gets the recorded text', async ({ onTestFinished }) => {
  const main = `${PRELUDE}
    const { '.js': load } = Module._extensions;
    Module._extensions['.js'] = (module, file) => {
      const { _compile } = module;
      module._compile = (text, name) => _compile.call(module, text.replace('COUNT', '2'), name);
      load(module, file);
    };
    console.log('count', require('./counted.js').count);`;
  const directory = createProgram({ 'counted.js': 'exports.count = COUNT;', 'main.mjs': main }, onTestFinished);
  const recorded = await recordProgram(directory, 'main.mjs');
  expect(recorded.stdout).toContain('count 2\n');
  writeFileSync(join(directory, 'counted.js'), 'exports.count = 1 + COUNT;');
  expect(await replayProgram(directory, 'main.mjs')).toEqual(recorded);
});

it('an error in a JSON file names the file', async ({ onTestFinished }) => {
  const main = `${PRELUDE}
    try {
      loadedBy(Module._extensions['.json'], 'broken.json');
    } catch ({ name, message }) {
      console.log(name, message.startsWith(fileOf('broken.json') + ': '));
    }`;
  const directory = createProgram({ 'broken.json': '{', 'main.mjs': main }, onTestFinished);
  expect((await recordProgram(directory, 'main.mjs')).stdout).toContain('SyntaxError true\n');
});
