// The variables of a statement, as its probe has passed them.
import { UNINITIALISED } from '@turntable/core';
import type { StatementPlace } from '@turntable/loader';

/** Values by names; of a variable that has none yet, only that it is there. */
export type Variables = ReadonlyMap<string, { readonly value: unknown } | undefined>;

export function variablesAt({ locals: names, boxed }: StatementPlace, locals: readonly unknown[]): Variables {
  return new Map(names.map((name, i) => [name, heldBy(locals[i], boxed[i] === true)]));
}

/** The same of one of them; undefined as well where it has none yet. */
export function valueOf(local: unknown, isBoxed: boolean): unknown {
  if (isBoxed) return heldBy(local, true)?.value;
  return local === UNINITIALISED ? undefined : local;
}

/** A box's variable; one that is still in its dead zone holds nothing. */
function heldBy(local: unknown, isBoxed: boolean): { readonly value: unknown } | undefined {
  if (local === UNINITIALISED) return undefined;
  if (!isBoxed) return { value: local };
  const held = typeof local === 'object' && local !== null ? Object.getOwnPropertyDescriptor(local, 'v') : undefined;
  return held !== undefined && 'value' in held ? { value: held.value } : undefined;
}
