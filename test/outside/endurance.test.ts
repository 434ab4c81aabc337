// A service under load inside a budget on the disk that is much too small for all of it; soak.ts does it for as long as is wished.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkForLeaks } from '../../scripts/test-run/leak-check.ts';
import { enduranceProblems, runEndurance } from './endurance.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
/** Bytes. */
const BUDGET = 80_000;
const MOMENTS = 8;
/** Milliseconds: other work may share the machine. */
const LIMIT = 240_000;

it(
  'has what it may have on the disk, no more memory late than early, and a last task that is replayed',
  async () => {
    const shouldContinue = (moments: readonly unknown[]): boolean => moments.length < MOMENTS;
    const endured = await runEndurance({ directory, budget: BUDGET, requests: 200, shouldContinue });
    checkForLeaks(() => expect(enduranceProblems(endured, BUDGET), JSON.stringify(endured)).toEqual([]));
    // Its beginning was deleted.
    expect(endured.phases[0], JSON.stringify(endured)).toBeGreaterThan(1);
  },
  LIMIT,
);
