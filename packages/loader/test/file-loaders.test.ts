// A tool's loader for `require` also loads its files in a transformed program, whether it is installed before or after
// Turntable.
import { join } from 'node:path';
import { FLAGS, REGISTER } from '../../../scripts/tested-form.ts';
import { expect, test } from 'vitest';
import { isLoadedByTool } from '../src/node/file-loaders.ts';
import { createProgram, runNative, runWith } from './running.ts';

test('distinguishes Node’s loaders from those of a tool', () => {
  for (const name of ['a.js', 'a.cjs', 'a.ts', 'a.json', 'a.node', 'a']) expect(isLoadedByTool(name), name).toBe(false);
});

const programFiles = {
  'tool.cjs': `const { readFileSync } = require('node:fs');
    require.extensions['.shape'] = (module, filename) => module._compile(readFileSync(filename, 'utf8').replace('shape', 'module.exports ='), filename);`,
  'main.cjs': `const square = require('./square.shape'); console.log(square.area(3), square.place);`,
  'square.shape': `shape { area: (n) => n * n, place: require('node:path').basename(__filename) }`,
};

test.for(['before', 'after'] as const)(
  'a tool that is installed %s Turntable loads its files',
  async (when, { onTestFinished }) => {
    const directory = createProgram(programFiles, onTestFinished);
    const toolFlags = ['--require', './tool.cjs'];
    const native = await runNative(directory, 'main.cjs', { flags: toolFlags });
    expect(native.stdout).toBe('9 square.shape\n');
    const toolImport = ['--import', `${join(directory, 'tool.cjs')}`];
    const turntableImport = [...FLAGS, '--import', REGISTER];
    const args = when === 'before' ? [...toolImport, ...turntableImport] : [...turntableImport, ...toolImport];
    expect(await runWith(directory, [...args, 'main.cjs'], {})).toEqual(native);
  },
);
