import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { majors } from '../../scripts/node-release.mjs';
import { SLOW_FILES } from '../../scripts/test-run/slowest-first.ts';
import { ON_EVERY_VERSION, ON_ONE_VERSION, testFiles, versionsOf } from '../../scripts/test-run/split.ts';

const files = testFiles();

it('every entry of the tables names test files', () => {
  const entries = [...ON_EVERY_VERSION, ...Object.values(ON_ONE_VERSION).flat()];
  expect(entries.filter((entry) => !files.some((file) => matchesGlob(file, `${entry}.test.ts`)))).toEqual([]);
});

it('the slow files exist, each once', () => {
  expect(SLOW_FILES.filter((file) => !files.includes(file))).toEqual([]);
  expect(new Set(SLOW_FILES).size).toBe(SLOW_FILES.length);
});

it('every test file runs on some version', () => {
  expect(files.filter((file) => versionsOf(file).length === 0)).toEqual([]);
});

it('what depends on V8 or Node runs on every version', () => {
  const examples = [
    'packages/core/test/order.test.ts',
    'packages/boundary/test/membrane/membrane.test.ts',
    'packages/heap/test/round-trip.test.ts',
    'test/programs/programs.test.ts',
    'test/capture/restoration.test.ts',
    'test/replay/exit-codes.test.ts',
  ];
  expect(examples.map(versionsOf)).toEqual(examples.map(() => majors));
});

it.each([
  'apps/debugger',
  'packages/recording',
  'test/engine',
  'test/dap',
  'test/devtools',
  'test/recordings',
  'test/replay',
])('each version runs tests of %s', (folder) => {
  const versions = new Set(files.filter((file) => file.startsWith(`${folder}/`)).flatMap(versionsOf));
  expect([...versions].toSorted()).toEqual(majors);
});
