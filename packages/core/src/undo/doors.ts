// Doors between a program and all that is not its own, for who undoes stretches of it and runs them once more. What calls the program is kept, so that it can
// be called again by nobody else; what the program asks is answered as it was, and whoever it asked, who has gone on since, does not hear of it.

import { apply } from '../intrinsics.ts';
import type { Context } from '../frame.ts';

/** What the program hands over when it asks. */
export interface Handover<Done = unknown> {
  /** What asking has done to it, if anything: of who is handed over once more the same is to be true. */
  readonly done: Done | undefined;
  again(done: Done): void;
}

export interface Doors {
  /** The program is called: by `call` now, by `again` whenever the stretch is run once more; in the context of the moment, unless another one is given. */
  in<T>(call: () => T, again: () => unknown, context?: Context): T;
  /** The program makes something for whoever calls it next: it stays as it was made. Once more it makes another one, which nobody has. */
  makes<T>(make: () => T): T;
  /** The program asks; `name`: what, for a run that is not the same. */
  out<T>(name: string, ask: () => T, handed?: Handover): T;
  /** The same of what tells whoever looks on only what is known, and does nothing then. */
  looks<T>(name: string, ask: () => T): T;
  /** What runs is not the program's, and nobody asks what it answers: once more it is not run. */
  apart<T>(run: () => T): T;
  /** Within `out` or `apart`: what changes is the program's. */
  within<T>(run: () => T): T;
  /** The stretch cannot be undone. */
  cannot(why: string): void;
}

type Methods = Record<string, ((...args: unknown[]) => unknown) | undefined>;

/** In the places of these methods of an object, those that it inherits among them, `how` runs them. */
export function guardMethods(
  object: object,
  names: readonly string[],
  how: (name: string, run: () => unknown, args: readonly unknown[]) => unknown,
): void {
  const methods = object as Methods;
  for (const name of names) {
    const method = methods[name];
    if (method === undefined) continue;
    methods[name] = (...args) => how(name, () => apply(method, object, args as never[]), args);
  }
}
