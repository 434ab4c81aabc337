// A service under load with a disk budget much too small for its whole recording; soak.ts runs it for longer.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { checkForLeaks } from '../../scripts/test-run/leak-check.ts';
import { enduranceProblems, runEndurance } from './endurance.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
/** Budget in bytes. */
const BUDGET = 80_000;
const SAMPLES = 8;
/** Timeout in milliseconds; other work may share the machine. */
const TIMEOUT_MS = 240_000;

it(
  'stays within its disk budget and leaks no memory, and its last part can be replayed',
  async () => {
    const shouldContinue = (samples: readonly unknown[]): boolean => samples.length < SAMPLES;
    const result = await runEndurance({ directory, budget: BUDGET, requests: 200, shouldContinue });
    checkForLeaks(() => expect(enduranceProblems(result, BUDGET), JSON.stringify(result)).toEqual([]));
    // The start of the recording was deleted.
    expect(result.phases[0], JSON.stringify(result)).toBeGreaterThan(1);
  },
  TIMEOUT_MS,
);
