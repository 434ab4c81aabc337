// Random plan of what the accounts do: each step addresses one of them, and most steps lead to further ones.
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
  /** Accounts that relay the step. */
  readonly path: readonly number[];
  readonly place: number;
  /** Bytes of additional payload. */
  readonly load: number | undefined;
  /** For a flood: enough messages to need several queue segments, or a mailbox of their own. */
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
  // Sent by the first account, which is flooded at most once.
  if (random(16) === 0) all[0] = { ...step(1), how: 'flood', count: pickOne(random, [200, 500, 1200]) };
  return { accounts, steps: all };
}
