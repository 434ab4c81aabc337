/*
 * Own small cases in the form of test262, on the ground where transformed code is most likely to go astray; the suite
 * itself is not part of the repository. A case must hold natively, or it says nothing about the transform. Interrupted, its
 * program goes on in a fresh realm, from bytes, at every job boundary.
 */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FileOutcome } from './execution.ts';
import type { Mode } from './worker.ts';
import { runFiles } from './worker-pool.ts';

const suite = fileURLToPath(new URL('cases/', import.meta.url));
const paths = globSync('test/**/*.js', { cwd: suite })
  .filter((path) => !path.includes('_FIXTURE'))
  .toSorted();

const WAYS = ['sloppy', 'strict'] as const;
const turn = (Number(process.versions.node.split('.')[0]) / 2) % 2;

describe.each(['native', 'transformed', 'debug', 'interrupted'] as const)('%s', (mode: Mode) => {
  const outcomes = new Map<string, FileOutcome>();
  // Each interruption is a realm: of scripts that are run sloppy and strict, each version of Node interrupts those of one way.
  const only = mode === 'interrupted' ? WAYS[turn] : undefined;

  beforeAll(async () => {
    await runFiles(paths, { suite, mode, only, jobs: 1, onResult: (path, outcome) => outcomes.set(path, outcome) });
  }, 600_000);

  test.each(paths)('%s', (path) => {
    expect(outcomes.has(path), 'it was run').toBe(true);
    expect(outcomes.get(path)?.failure).toBeUndefined();
    expect(outcomes.get(path)?.exclusion).toBeUndefined();
  });

  if (mode !== 'interrupted') return;
  test('programs go on elsewhere, those with jobs several times', () => {
    const counts = [...outcomes.values()].map(({ interruptions }) => interruptions ?? 0);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(counts.filter((count) => count > 2).length).toBeGreaterThan(paths.length / 3);
  });
});
