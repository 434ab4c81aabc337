// Kinds of events and tasks that `forward` and `back` go to.

/** A kind of event or task for `forward` and `back`, which is also the id of the move that they make. */
export interface NavigationKind {
  readonly kind: string;
  readonly summary: string;
  /** Meaning of TEXT; undefined if the kind takes none. */
  readonly text?: string;
  /** Key in the window. With Shift, it goes back. */
  readonly key?: string;
}

export const NAVIGATION_KINDS: readonly NavigationKind[] = [
  { kind: 'request', summary: 'request to a service', text: 'method and URL', key: 'r' },
  { kind: 'response', summary: 'response of a service', text: 'method, URL and status' },
  { kind: 'exception', summary: 'throw or rejection, caught or not', text: 'the error message', key: 'e' },
  { kind: 'caught', summary: 'throw that was caught, or that ended a turn', text: 'the error message' },
  { kind: 'uncaught', summary: 'uncaught error', text: 'the error message' },
  { kind: 'rejection', summary: 'throw that rejected a promise', text: 'the error message' },
  { kind: 'output', summary: 'output', text: 'the printed text', key: 'x' },
  { kind: 'device', summary: 'host call', text: 'the function, such as fs.*, clock.*, random.*' },
  { kind: 'task', summary: 'task of any worker', text: 'the title', key: 'j' },
  { kind: 'turn', summary: 'turn of any actor', text: 'Actor.method', key: 't' },
  { kind: 'callback', summary: 'host callback', text: 'the source, such as timer', key: 'k' },
  { kind: 'snapshot', summary: 'phase that starts with a snapshot' },
  { kind: 'actor', summary: 'task of this actor', text: 'the name of another actor', key: 'a' },
  { kind: 'worker', summary: 'task on this worker', text: 'the number of another worker', key: 'w' },
];
