// A run of a service that those who ask for requests have in their tests, without any process.
import type { Step } from './random-runs.ts';

type Run = Extract<Step, { readonly what: 'run' }>;

const READ: Step = { what: 'read', thread: 0 };

function stretch(kind: NonNullable<Run['kind']>, ...happens: NonNullable<Run['happens']>): Run {
  return { what: 'run', thread: 0, sends: 0, kind, happens };
}

/** On one thread: two requests to one URL at once, the second of which is answered first; one that came before; one that fails; one that is never answered. */
export const SERVED: readonly Step[] = [
  stretch('entry', { kind: 'request', text: 'GET /carts', request: 1 }),
  READ,
  stretch(
    'entry',
    { kind: 'response', text: '? ? 204', request: 3 },
    { kind: 'request', text: 'GET /carts', request: 2 },
  ),
  READ,
  stretch(
    'entry',
    { kind: 'request', text: 'POST /carts/7', request: 4 },
    { kind: 'response', text: 'GET /carts 404', request: 2 },
  ),
  READ,
  stretch('entry', { kind: 'request', text: 'GET /never', request: 6 }),
  READ,
  stretch(
    'call',
    { kind: 'response', text: 'GET /carts 200', request: 1 },
    { kind: 'response', text: 'POST /carts/7 500', request: 4 },
  ),
];
