/*
 * Own small cases in the form of test262, on the ground where transformed code is most likely to go astray; the suite
 * itself is not part of the repository. A case must hold natively, or it says nothing about the transform.
 */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Failure } from './execution.ts';
import type { Mode } from './worker.ts';
import { runFiles } from './worker-pool.ts';

const suite = fileURLToPath(new URL('cases/', import.meta.url));
const paths = globSync('test/**/*.js', { cwd: suite })
  .filter((path) => !path.includes('_FIXTURE'))
  .toSorted();

describe.each(['native', 'transformed', 'interrupted'] as const)('%s', (mode: Mode) => {
  const failures = new Map<string, Failure | undefined>();

  beforeAll(async () => {
    await runFiles(paths, { suite, mode, jobs: 1, onResult: (path, { failure }) => failures.set(path, failure) });
  }, 120_000);

  test.each(paths)('%s', (path) => {
    expect(failures.has(path), 'it was run').toBe(true);
    expect(failures.get(path)).toBeUndefined();
  });
});
