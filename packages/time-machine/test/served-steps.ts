// A run of a service for tests of requests, without any process.
import type { RandomStep } from './random-runs.ts';

type Run = Extract<RandomStep, { readonly action: 'run' }>;

const READ: RandomStep = { action: 'read', thread: 0 };

function runStep(kind: NonNullable<Run['kind']>, ...events: NonNullable<Run['events']>): Run {
  return { action: 'run', thread: 0, sends: 0, kind, events };
}

/** On one thread: two requests at once, answered in reverse order; an earlier, a failing and an unanswered one. */
export const SERVED_STEPS: readonly RandomStep[] = [
  runStep('entry', { kind: 'request', text: 'GET /carts', request: 1 }),
  READ,
  runStep(
    'entry',
    { kind: 'response', text: '? ? 204', request: 3 },
    { kind: 'request', text: 'GET /carts', request: 2 },
  ),
  READ,
  runStep(
    'entry',
    { kind: 'request', text: 'POST /carts/7', request: 4 },
    { kind: 'response', text: 'GET /carts 404', request: 2 },
  ),
  READ,
  runStep('entry', { kind: 'request', text: 'GET /never', request: 6 }),
  READ,
  runStep(
    'call',
    { kind: 'response', text: 'GET /carts 200', request: 1 },
    { kind: 'response', text: 'POST /carts/7 500', request: 4 },
  ),
];
