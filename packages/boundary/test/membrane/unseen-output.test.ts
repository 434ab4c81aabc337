// Sources of output that a recording cannot contain are named.
import childProcess from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { watchAddonOutput, watchChildOutput } from '../../src/membrane/unseen-output.ts';

test('an addon is named by its file, before it is loaded', () => {
  const sources: string[] = [];
  watchAddonOutput((source) => sources.push(source));
  expect(() => process.dlopen({ exports: {} }, '/no/such/place/missing.node')).toThrow('missing.node');
  expect(() => process.dlopen({ exports: {} }, undefined as never)).toThrow();
  expect(sources).toEqual(['the addon missing.node']);
});

const sources: string[] = [];
watchChildOutput(childProcess, (source) => sources.push(source));
const NODE_FLAGS = ['-e', ''];

test.each<[childProcess.StdioOptions | undefined, boolean]>([
  [undefined, false],
  ['pipe', false],
  ['ignore', false],
  ['inherit', true],
  [['inherit', 'pipe', 'pipe'], false],
  [['pipe', 'inherit', 'pipe'], true],
  [['pipe', 'pipe', 'inherit'], true],
  [['pipe', 'pipe', 'pipe', 'inherit'], false],
  [['ignore', 1, 'ignore'], true],
  [['ignore', 'ignore', 2], true],
  [['ignore', 'ignore', 'ignore', 2], false],
  [['ignore', process.stdout, 'pipe'], true],
  [[null, undefined, null], false],
])('child processes with stdio %j share the output of their parent: %s', async (stdio, isShared) => {
  const expected = isShared ? ['child processes'] : [];
  const options = stdio === undefined ? {} : { stdio };
  sources.length = 0;
  await once(childProcess.spawn(process.execPath, NODE_FLAGS, options), 'exit');
  expect(sources.splice(0)).toEqual(expected);
  childProcess.spawnSync(process.execPath, NODE_FLAGS, options);
  expect(sources.splice(0)).toEqual(expected);
  childProcess.execFileSync(process.execPath, NODE_FLAGS, options);
  expect(sources.splice(0)).toEqual(expected);
});

test('child processes without options do not share the output of their parent', async () => {
  sources.length = 0;
  await once(childProcess.spawn(process.execPath, NODE_FLAGS), 'exit');
  childProcess.spawnSync(process.execPath, NODE_FLAGS);
  childProcess.execSync('true');
  expect(sources).toEqual([]);
  childProcess.execSync('true', { stdio: 'inherit' });
  expect(sources).toEqual(['child processes']);
});
