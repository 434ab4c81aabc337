// A run of a service that those who ask for requests have in their tests, without any process.
import type { Step } from './random-runs.ts';

/** On one thread: two requests to one URL at once, the second of which is answered first; one that came before; one that fails; one that is never answered. */
export const SERVED: readonly Step[] = [
  { what: 'run', thread: 0, sends: 0, kind: 'entry', happens: [{ kind: 'request', text: 'GET /carts', request: 1 }] },
  { what: 'read', thread: 0 },
  {
    what: 'run',
    thread: 0,
    sends: 0,
    kind: 'entry',
    happens: [
      { kind: 'response', text: '? ? 204', request: 3 },
      { kind: 'request', text: 'GET /carts', request: 2 },
    ],
  },
  { what: 'read', thread: 0 },
  {
    what: 'run',
    thread: 0,
    sends: 0,
    kind: 'entry',
    happens: [
      { kind: 'request', text: 'POST /carts/7', request: 4 },
      { kind: 'response', text: 'GET /carts 404', request: 2 },
    ],
  },
  { what: 'read', thread: 0 },
  { what: 'run', thread: 0, sends: 0, kind: 'entry', happens: [{ kind: 'request', text: 'GET /never', request: 6 }] },
  { what: 'read', thread: 0 },
  {
    what: 'run',
    thread: 0,
    sends: 0,
    happens: [
      { kind: 'response', text: 'GET /carts 200', request: 1 },
      { kind: 'response', text: 'POST /carts/7 500', request: 4 },
    ],
  },
];
