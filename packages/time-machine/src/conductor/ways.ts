import type { Position } from '../position.ts';

/** The ways in which something gets the value that it has. */
export const WAYS = ['written', 'passed', 'sent', 'settled', 'resumed'] as const;
export type Way = (typeof WAYS)[number];

/** A place, and what is to be said of it; or why there is none. */
export type Led =
  | { readonly position: Position; readonly note: string; readonly origin: Origin }
  | { readonly position: Position; readonly breakpoints: readonly number[] }
  | { readonly why: string };

/** How something has come to its value. */
export interface Origin {
  readonly way: Way;
  /** Of what was asked about: the rest has come with it. */
  readonly part: string;
}
