// docs/internals/formats.md is the contract: its example is what the writer writes, and its numbers are the code's.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as tags from '../src/tags.ts';
import { firstDifference } from './graph-difference.ts';
import { testWorld } from './ports.ts';

const page = readFileSync(new URL('../../../docs/internals/formats.md', import.meta.url), 'utf8');

test('the example of docs/internals/formats.md is what the writer writes, and can be read', () => {
  const block = /```hex\n([^`]*)```/.exec(page)?.[1] ?? '';
  const hex = block
    .split('\n')
    .flatMap((line) => /^ *((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:\s{2,}|$)/.exec(line)?.[1]?.split(' ') ?? []);
  const world = testWorld();
  const p = { x: 1, y: 2.5 };
  const root = { points: [p, p], when: new Date(0), name: 'a' };
  const bytes = world.heap.write(root);
  const documented = Uint8Array.from(hex, (byte) => Number.parseInt(byte, 16));
  documented[5] = bytes[5]!;
  expect(Buffer.from(bytes).toString('hex')).toBe(Buffer.from(documented).toString('hex'));
  expect(firstDifference(root, world.heap.read(documented))).toBeUndefined();
});

test('docs/internals/formats.md has the version and limits of the code', () => {
  expect(page).toContain(`version ${tags.FORMAT_VERSION}`);
  expect(page).toContain(`more than ${tags.LONG_STRING_LENGTH} code units`);
  expect(page).toContain(`below ${tags.MAX_DEPTH} levels`);
  expect(page).toContain(`more than ${tags.PIECE_ENTRIES}`);
});
