// A run that those who talk with a time machine have in their tests, without any process.
import type { Step } from './random-runs.ts';

/** Two workers: one sends to the other, which is answered, prints and fails; and a snapshot. */
export const SHOP: readonly Step[] = [
  { what: 'run', thread: 0, sends: 2, kind: 'evaluation' },
  { what: 'take', thread: 1, from: 0 },
  { what: 'run', thread: 1, sends: 0, kind: 'construct', actor: 1 },
  { what: 'read', thread: 1 },
  { what: 'run', thread: 1, sends: 2, actor: 1, prints: true },
  { what: 'cut', thread: 0 },
  { what: 'cut', thread: 1 },
  { what: 'take', thread: 0, from: 1 },
  { what: 'run', thread: 0, sends: 0, kind: 'entry', fails: true },
];
