// Variables of a statement, decoded from the values that its probe passed.
import { UNINITIALISED } from '@turntable/core';
import type { ProbeLocation } from '@turntable/loader';

/** Values by name; undefined for a variable that is still uninitialized. */
export type Variables = ReadonlyMap<string, { readonly value: unknown } | undefined>;

export function variablesAt({ locals: names, boxed }: ProbeLocation, locals: readonly unknown[]): Variables {
  return new Map(names.map((name, i) => [name, unboxLocal(locals[i], boxed[i] === true)]));
}

/** Value of one variable; also undefined if it is uninitialized. */
export function localValue(local: unknown, isBoxed: boolean): unknown {
  if (isBoxed) return unboxLocal(local, true)?.value;
  return local === UNINITIALISED ? undefined : local;
}

/** Value of a variable, also from its box; undefined while the variable is uninitialized. */
function unboxLocal(local: unknown, isBoxed: boolean): { readonly value: unknown } | undefined {
  if (local === UNINITIALISED) return undefined;
  if (!isBoxed) return { value: local };
  const descriptor =
    typeof local === 'object' && local !== null ? Object.getOwnPropertyDescriptor(local, 'v') : undefined;
  return descriptor !== undefined && 'value' in descriptor ? { value: descriptor.value } : undefined;
}
