/*
 * Small cases in the form of test262, for the constructs where a transform is most likely to fail; the suite itself is not in
 * the repository. A case must also pass natively. In the mode `interrupted`, the program moves to a fresh realm, as bytes, at
 * every job boundary.
 */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { MINIFIERS } from '../programs/minifiers.ts';
import type { FileOutcome } from './execution.ts';
import type { Mode } from './worker.ts';
import { runFiles } from './worker-pool.ts';

const suite = fileURLToPath(new URL('cases/', import.meta.url));
const paths = globSync('test/**/*.js', { cwd: suite })
  .filter((path) => !path.includes('_FIXTURE'))
  .toSorted();

const VARIANTS = ['sloppy', 'strict'] as const;
const variantIndex = (Number(process.versions.node.split('.')[0]) / 2) % 2;

describe.each(['native', 'transformed', 'debug', 'interrupted'] as const)('%s', (mode: Mode) => {
  const outcomes = new Map<string, FileOutcome>();
  // Interruptions are expensive, as each makes a realm: each Node version covers one of the two variants of scripts.
  const only = mode === 'interrupted' ? VARIANTS[variantIndex] : undefined;

  beforeAll(async () => {
    await runFiles(paths, { suite, mode, only, jobs: 1, onResult: (path, outcome) => outcomes.set(path, outcome) });
  }, 600_000);

  test.each(paths)('%s', (path) => {
    expect(outcomes.has(path), 'was run').toBe(true);
    expect(outcomes.get(path)?.failure).toBeUndefined();
    expect(outcomes.get(path)?.exclusion).toBeUndefined();
  });

  if (mode !== 'interrupted') return;
  test('programs are interrupted, those with jobs several times', () => {
    const counts = [...outcomes.values()].map(({ interruptions }) => interruptions ?? 0);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.filter((count) => count > 2).length).toBeGreaterThan(paths.length / 3);
  });
});

describe.each(MINIFIERS)('minified by %s', (minifier) => {
  const failures = { native: new Map<string, unknown>(), transformed: new Map<string, unknown>() };

  beforeAll(async () => {
    for (const mode of ['native', 'transformed'] as const) {
      const tested = mode === 'native' ? paths : passingNatively();
      const onResult = (path: string, { failure }: FileOutcome): void => void failures[mode].set(path, failure);
      await runFiles(tested, { suite, mode, minifier, jobs: 1, onResult });
    }
  }, 600_000);

  const passingNatively = (): string[] => paths.filter((path) => failures.native.get(path) === undefined);

  test('cases that pass natively pass transformed', () => {
    expect(Object.fromEntries([...failures.transformed].filter(([, failure]) => failure !== undefined))).toEqual({});
    expect(passingNatively().length).toBeGreaterThan(paths.length / 2);
  });
});
