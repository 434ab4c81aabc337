// Explores the protocol of docs/internals/snapshots.md in all interleavings of small programs, as it is and with each of its
// rules left out. For a broken protocol the failure prints the shortest path to the problem.
import { afterAll, describe, expect, test } from 'vitest';
import { explore } from './explorer/explorer.ts';
import { FAULTS, type Fault } from './explorer/faults.ts';
import { SCENARIOS } from './explorer/scenarios.ts';

describe('every snapshot in every interleaving is a reachable state of the program', () => {
  let states = 0;
  let snapshots = 0;
  afterAll(() => console.info(`explored ${states} states, restored ${snapshots} different snapshots`));

  test.each(SCENARIOS)('$name', (scenario) => {
    const found = explore(scenario);
    states += found.states;
    snapshots += found.snapshots;
    if (found.problem !== undefined) expect.fail(found.problem);
    expect(found.snapshots).toBeGreaterThan(0);
  });
});

describe('the explorer detects a protocol that', () => {
  test.each(Object.entries(FAULTS).map(([fault, shown]) => ({ fault, ...shown })))('$fault: $wrong', (shown) => {
    const { fault } = shown;
    const scenario = SCENARIOS.find(({ name }) => name === shown.in);
    if (scenario === undefined) throw new Error(`no scenario is named “${shown.in}”`);
    expect(explore(scenario, fault as Fault, 'deep').problem).toBeDefined();
  });
});
