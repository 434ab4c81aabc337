// The supervision policies of actors. A policy determines the reaction to the loss of the actor's worker. On the wire
// and in tables, a policy is a number.

import { RuntimeError } from '../runtime-error.ts';

/** Reaction to the loss of an actor's worker. */
export type SupervisionPolicy = 'restart' | 'rollback' | 'restore';

/** Policies by number: entries must never be moved or reused. */
const POLICIES: readonly (SupervisionPolicy | undefined)[] = [undefined, 'restart', 'rollback', 'restore'];

/** Policy number of an actor without a supervisor. */
export const UNSUPERVISED = 0;
export const ROLLBACK = POLICIES.indexOf('rollback');
export const RESTORE = POLICIES.indexOf('restore');
/** Flag that is added to the policy on the wire if the actor was lost and is created again. */
export const RESPAWN_FLAG = 16;

export function policyOf(policyFlags: number): number {
  return policyFlags & (RESPAWN_FLAG - 1);
}

/** Returns the number of a policy; throws for other values. */
export function checkSupervisionPolicy(policyName: unknown): number {
  const policy = POLICIES.indexOf(policyName as SupervisionPolicy | undefined);
  if (policy >= 0) return policy;
  const known = POLICIES.slice(1).map((each) => `'${String(each)}'`);
  throw new RuntimeError(
    'TT_OPTIONS',
    `supervise must be ${known.join(', ')} or undefined, not ${JSON.stringify(policyName)}`,
  );
}
