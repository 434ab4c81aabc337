// A run for tests of clients, without any process.
import type { RandomStep } from './random-runs.ts';

/** Two workers: one sends to the other, gets an answer, prints and fails; and a snapshot. */
export const SHOP_STEPS: readonly RandomStep[] = [
  { action: 'run', thread: 0, sends: 2, kind: 'evaluation' },
  { action: 'take', thread: 1, from: 0 },
  { action: 'run', thread: 1, sends: 0, kind: 'construct', actor: 1 },
  { action: 'read', thread: 1 },
  { action: 'run', thread: 1, sends: 2, actor: 1, prints: true },
  { action: 'cut', thread: 0 },
  { action: 'cut', thread: 1 },
  { action: 'take', thread: 0, from: 1 },
  { action: 'run', thread: 0, sends: 0, kind: 'entry', fails: true },
];
