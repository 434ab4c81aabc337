// Sources of output that a recording cannot contain are named.
import { expect, test } from 'vitest';
import { watchAddonOutput } from '../../src/membrane/unseen-output.ts';

test('an addon is named by its file, before it is loaded', () => {
  const sources: string[] = [];
  watchAddonOutput((source) => sources.push(source));
  expect(() => process.dlopen({ exports: {} }, '/no/such/place/missing.node')).toThrow('missing.node');
  expect(sources).toEqual(['the addon missing.node']);
});
