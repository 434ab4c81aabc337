/*
 * The protocol of docs/snapshots.md, tried in all interleavings of small programs, and each of its rules left out once. Of a protocol that is
 * wrong a test prints the fewest steps that lead to what is.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { explore } from './explorer/explorer.ts';
import { FAULTS, type Fault } from './explorer/faults.ts';
import { SCENARIOS } from './explorer/scenarios.ts';

describe('every snapshot in every interleaving is a moment of the program', () => {
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

describe('a protocol is found out that', () => {
  test.each(Object.entries(FAULTS).map(([fault, shown]) => ({ fault, ...shown })))('$fault: $wrong', (shown) => {
    const { fault } = shown;
    const scenario = SCENARIOS.find(({ name }) => name === shown.in);
    if (scenario === undefined) throw new Error(`there is no scenario “${shown.in}”`);
    expect(explore(scenario, fault as Fault, 'deep').problem).toBeDefined();
  });
});
