// What is to become of an actor whose worker is lost: as its spawner says it, and as a number, on the wire and wherever it is kept in mind.

import { RuntimeError } from '../runtime-error.ts';

export type SupervisionPolicy = 'restart' | 'rollback' | 'restore';

/** By their numbers: never another one in the place of one of them. */
const POLICIES: readonly (SupervisionPolicy | undefined)[] = [undefined, 'restart', 'rollback', 'restore'];

/** Nobody supervises the actor. */
export const UNSUPERVISED = 0;
export const ROLLBACK = POLICIES.indexOf('rollback');
export const RESTORE = POLICIES.indexOf('restore');
/** Added on the wire, where the actor is one that was lost and is made anew. */
export const RESPAWN_FLAG = 16;

/** What is added on the wire is left out. */
export function policyOf(policyFlags: number): number {
  return policyFlags & (RESPAWN_FLAG - 1);
}

/** Fails if it is none of them. */
export function checkSupervisionPolicy(policyName: unknown): number {
  const policy = POLICIES.indexOf(policyName as SupervisionPolicy | undefined);
  if (policy >= 0) return policy;
  const known = POLICIES.slice(1).map((each) => `'${String(each)}'`);
  throw new RuntimeError('TT_OPTIONS', `supervise: ${known.join(', ')} or nothing, not ${JSON.stringify(policyName)}`);
}
