/*
 * The protocol of docs/snapshots.md, tried in all interleavings of small programs, and each of its rules left out once. Of a protocol that is
 * wrong a test prints the fewest steps that lead to what is.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { explore } from './explorer/explorer.ts';
import { faults, type Fault } from './explorer/faults.ts';
import { scenarios } from './explorer/scenarios.ts';

describe('every snapshot in every interleaving is a moment of the program', () => {
  let states = 0;
  let snapshots = 0;
  afterAll(() => console.info(`explored ${states} states, restored ${snapshots} different snapshots`));

  test.each(scenarios)('$name', (scenario) => {
    const found = explore(scenario);
    states += found.states;
    snapshots += found.snapshots;
    if (found.wrong !== undefined) expect.fail(found.wrong);
    expect(found.snapshots).toBeGreaterThan(0);
  });
});

describe('a protocol is found out that', () => {
  test.each(Object.entries(faults).map(([fault, shown]) => ({ fault, ...shown })))('$fault: $wrong', (shown) => {
    const { fault } = shown;
    const scenario = scenarios.find(({ name }) => name === shown.in);
    if (scenario === undefined) throw new Error(`there is no scenario “${shown.in}”`);
    expect(explore(scenario, fault as Fault, 'deep').wrong).toBeDefined();
  });
});
