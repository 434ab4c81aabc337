import type { Position } from '../position.ts';

/** The ways in which something gets the value that it has. */
export const LAST_WRITE_KINDS = ['written', 'passed', 'sent', 'settled', 'resumed'] as const;
export type LastWriteKind = (typeof LAST_WRITE_KINDS)[number];

/** A place, and what is to be said of it; or why there is none. */
export type StepResult =
  | { readonly position: Position; readonly note: string; readonly lastWrite: LastWriteInfo }
  | { readonly position: Position; readonly breakpoints: readonly number[] }
  | { readonly reason: string };

/** How something has come to its value. */
export interface LastWriteInfo {
  readonly kind: LastWriteKind;
  /** Of what was asked about: the rest has come with it. */
  readonly part: string;
}
