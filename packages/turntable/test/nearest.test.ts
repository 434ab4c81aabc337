// Hints for mistyped words.
import { expect, test } from 'vitest';
import { COMMAND_NAMES } from '../src/command-line/all-commands.ts';
import { didYouMean, nearestName } from '../src/nearest.ts';

test.each([
  ['repaly', 'replay'],
  ['reply', 'replay'],
  ['REPLAY', 'replay'],
  ['inspct', 'inspect'],
  ['sl', 'ls'],
  ['rnu', 'run'],
  ['resotre', 'restore'],
  ['comp', 'completion'],
])('%s is nearest to %s', (mistyped, name) => {
  expect(nearestName(mistyped, COMMAND_NAMES)).toBe(name);
});

test.each(['', 'x', 'spin', 're', 'dec', 'recordings'])('nothing is near "%s"', (word) => {
  expect(nearestName(word, COMMAND_NAMES)).toBeUndefined();
});

test('hints end a message', () => {
  expect(didYouMean('repaly', COMMAND_NAMES)).toBe('; did you mean "replay"?');
  expect(didYouMean('--forse', ['--force'], '')).toBe('; did you mean --force?');
  expect(didYouMean('spin', COMMAND_NAMES)).toBe('');
});
