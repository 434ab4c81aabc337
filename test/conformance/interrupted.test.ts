/*
 * A sample of test262, its programs captured and restored at every job boundary: every four-hundredth file, about a minute.
 * The suite is not part of the repository; where a checkout is, the variable `TEST262` tells.
 */
import { describe, expect, test } from 'vitest';
import type { Outcome } from './execution.ts';
import { listSuite } from './suite.ts';
import type { Mode } from './worker.ts';
import { runFiles } from './worker-pool.ts';

const suite = process.env['TEST262'] ?? '';
const step = 400;
/** Of the files that pass natively and use nothing that cannot be captured by nature. */
const threshold = 0.98;

describe.skipIf(suite === '')('test262, interrupted', () => {
  test(`at least ${threshold * 100} % of a sample pass`, { timeout: 600_000 }, async () => {
    const paths = listSuite(suite, undefined).filter((_, i) => i % step === 0);
    const native = await run('native', paths);
    const passing = paths.filter((path) => native.get(path)?.failure === undefined);
    const outcomes = [...(await run('interrupted', passing))].filter(([, { apart }]) => apart === undefined);
    const failed = outcomes.filter(([, { failure }]) => failure !== undefined);
    expect(outcomes.length).toBeGreaterThan(paths.length / 2);
    expect(outcomes.some(([, { interruptions = 0 }]) => interruptions > 2)).toBe(true);
    expect(1 - failed.length / outcomes.length, JSON.stringify(failed, null, 1)).toBeGreaterThanOrEqual(threshold);
  });
});

async function run(mode: Mode, paths: readonly string[]): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  await runFiles(paths, { suite, mode, jobs: 1, onResult: (path, outcome) => outcomes.set(path, outcome) });
  return outcomes;
}
