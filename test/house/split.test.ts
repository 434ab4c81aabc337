import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import { majors, root } from '../../scripts/node-release.mjs';
import { NOT_RUN_ON } from '../../scripts/test-run/split.ts';

const filesOf = (entry: string): string[] => globSync(`${entry}.test.ts`, { cwd: root });
const entries = majors.map((major) => NOT_RUN_ON[major] ?? []);

it('every entry of NOT_RUN_ON names test files', () => {
  expect(entries.flat().filter((entry) => filesOf(entry).length === 0)).toEqual([]);
});

it('every test file runs on some version', () => {
  const [first, ...others] = entries.map((each) => new Set(each.flatMap(filesOf)));
  expect([...(first ?? [])].filter((file) => others.every((files) => files.has(file)))).toEqual([]);
});
