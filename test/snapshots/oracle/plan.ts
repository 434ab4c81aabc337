// What the accounts of a run are to do: each step goes to one of them, and most lead to further ones.
import { pickOne, type RandomInteger } from './random.ts';

const ACTION_KINDS = [
  'pay',
  'token',
  'ask',
  'later',
  'in time',
  'tick',
  'timer',
  'chain',
  'pass',
  'settle',
  'lend',
  'raise',
] as const;

export interface PlanStep {
  readonly how: (typeof ACTION_KINDS)[number] | 'flood';
  readonly to: number;
  readonly amount: number;
  readonly change: number;
  /** By whom else it goes. */
  readonly path: readonly number[];
  readonly place: number;
  /** Bytes that go with it. */
  readonly load: number | undefined;
  /** Of a flood: more messages than stand in one segment of a queue, or as many as make a mailbox of their own. */
  readonly count?: number;
  readonly then: readonly PlanStep[];
}

export interface ProgramPlan {
  readonly accounts: readonly {
    readonly place: number;
    readonly mark: number;
    readonly money: number;
    readonly tokens: readonly number[];
    readonly supervise?: 'restart' | 'restore';
  }[];
  readonly steps: readonly PlanStep[];
}

export function randomPlan(random: RandomInteger, workers: number): ProgramPlan {
  const accounts = Array.from({ length: 2 + random(5) }, (_, number) => ({
    place: random(workers),
    mark: pickOne(random, [2, 5, 10_000]),
    money: 1000 * (number + 1),
    tokens: [10 * number, 10 * number + 1],
  }));
  const steps = (depth: number, maxSteps: number): PlanStep[] =>
    depth === 0 ? [] : Array.from({ length: random(maxSteps + 1) }, () => step(depth));
  const step = (depth: number): PlanStep => ({
    how: pickOne(random, ACTION_KINDS),
    to: random(60),
    amount: random(20),
    change: random(4),
    path: Array.from({ length: 1 + random(3) }, () => random(60)),
    place: random(workers),
    load: random(12) === 0 ? 1500 + random(3000) : undefined,
    then: steps(depth - 1, 3),
  });
  const all = Array.from({ length: 4 + random(12) }, () => step(3));
  // From the first account, which nobody floods twice.
  if (random(16) === 0) all[0] = { ...step(1), how: 'flood', count: pickOne(random, [200, 500, 1200]) };
  return { accounts, steps: all };
}
