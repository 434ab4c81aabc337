// The variables of a statement, as its probe has passed them.
import { UNINITIALISED } from '@turntable/core';
import type { ProbeLocation } from '@turntable/loader';

/** Values by names; of a variable that has none yet, only that it is there. */
export type Variables = ReadonlyMap<string, { readonly value: unknown } | undefined>;

export function variablesAt({ locals: names, boxed }: ProbeLocation, locals: readonly unknown[]): Variables {
  return new Map(names.map((name, i) => [name, unboxLocal(locals[i], boxed[i] === true)]));
}

/** The same of one of them; undefined as well where it has none yet. */
export function localValue(local: unknown, isBoxed: boolean): unknown {
  if (isBoxed) return unboxLocal(local, true)?.value;
  return local === UNINITIALISED ? undefined : local;
}

/** A box's variable; one that is still in its dead zone holds nothing. */
function unboxLocal(local: unknown, isBoxed: boolean): { readonly value: unknown } | undefined {
  if (local === UNINITIALISED) return undefined;
  if (!isBoxed) return { value: local };
  const descriptor =
    typeof local === 'object' && local !== null ? Object.getOwnPropertyDescriptor(local, 'v') : undefined;
  return descriptor !== undefined && 'value' in descriptor ? { value: descriptor.value } : undefined;
}
