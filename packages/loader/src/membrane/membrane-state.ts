// Where a membrane stands, with a snapshot: what numbers were given, and who has them. Only a run again has any use for it; where a program goes on
// outside of its recording the outside is another one.
import type { HandMade } from './hand-made.ts';

export interface MembraneState {
  /** So many handles, exported objects and promises had numbers. */
  readonly counts: readonly [handles: number, exports: number, promises: number];
  /** Paths of what is there in every process and has crossed, with its number. */
  readonly statics: readonly (readonly [path: string, number: number])[];
  /** What the outside has of the program. */
  readonly exports: readonly (readonly [number: number, inside: object])[];
  /** Promises that the outside will settle. */
  readonly pending: readonly (readonly [number: number, promise: object])[];
  /** In which code of the program has asked for something. */
  readonly contexts: readonly (readonly [number: number, context: object])[];
  readonly contextCount: number;
  readonly symbols: readonly symbol[];
  /** What data sources have said. */
  readonly sources: readonly HandMade[];
  readonly handMade: readonly (readonly [number: number, object: object, kind: number])[];
}
