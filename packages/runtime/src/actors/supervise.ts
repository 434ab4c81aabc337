// What is to become of an actor whose worker is lost: as its spawner says it, and as a number, on the wire and wherever it is kept in mind.

import { RuntimeError } from '../runtime-error.ts';

export type Supervise = 'restart' | 'rollback' | 'restore';

/** By their numbers: never another one in the place of one of them. */
const WAYS: readonly (Supervise | undefined)[] = [undefined, 'restart', 'rollback', 'restore'];

/** Nobody supervises the actor. */
export const UNSUPERVISED = 0;
export const ROLLBACK = WAYS.indexOf('rollback');
export const RESTORE = WAYS.indexOf('restore');
/** Added on the wire, where the actor is one that was lost and is made anew. */
export const ANEW = 16;

/** What is added on the wire is left out. */
export function wayOf(supervised: number): number {
  return supervised & (ANEW - 1);
}

/** Fails if it is none of them. */
export function checkSupervise(supervise: unknown): number {
  const way = WAYS.indexOf(supervise as Supervise | undefined);
  if (way >= 0) return way;
  const known = WAYS.slice(1).map((each) => `'${String(each)}'`);
  throw new RuntimeError('TT_OPTIONS', `supervise: ${known.join(', ')} or nothing, not ${JSON.stringify(supervise)}`);
}
