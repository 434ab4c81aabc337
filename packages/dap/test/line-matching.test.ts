// Lines of an edited file are found in the recorded text.
import { expect, test } from 'vitest';
import { matchLine } from '../src/line-matching.ts';

const recorded = ['a();', 'if (x) {', '  b();', '}', 'if (y) {', '  b();', '}'];

test.each([
  ['moved down', ['// new', '', ...recorded], 3, 1],
  ['moved up', recorded.slice(1), 1, 2],
  ['the one of two equal lines in the same surroundings', ['c();', 'd();', ...recorded], 8, 6],
  ['indented', recorded.map((text) => `  ${text}`), 3, 3],
  ['an empty line before it', ['', ...recorded], 1, 1],
  ['changed', ['a(1);', ...recorded.slice(1)], 1, undefined],
  ['an empty line at the end', [...recorded, ''], 8, undefined],
  ['after the end', recorded, 9, undefined],
])('%s', (_, current, line, expected) => {
  expect(matchLine(current, recorded, line)).toBe(expected);
});
