// Variables of a statement, decoded from the values that its probe passed.
import { NOT_KEPT, UNINITIALISED } from '@turntable/core';
import { boxContent, type ProbeLocation } from '@turntable/loader';

/** Values by name; undefined for a variable that is still uninitialized. */
export type Variables = ReadonlyMap<string, { readonly value: unknown } | undefined>;

/** The variables with known values. */
export function variablesAt({ locals: names, boxed }: ProbeLocation, locals: readonly unknown[]): Variables {
  return new Map(
    names.flatMap((name, i) => (locals[i] === NOT_KEPT ? [] : [[name, unboxLocal(locals[i], boxed[i] === true)]])),
  );
}

/** Boxes and cells of the variables that closures share, by name. */
export function boxesAt({ locals: names, boxed }: ProbeLocation, locals: readonly unknown[]): Map<string, object> {
  return new Map(
    names.flatMap((name, i) => {
      const local = locals[i];
      return boxed[i] === true && typeof local === 'object' && local !== null ? [[name, local] as const] : [];
    }),
  );
}

/** Names of the variables that the frame, which comes from a snapshot, does not have after an `await` or `yield`. */
export function notKeptAt({ locals: names }: ProbeLocation, locals: readonly unknown[]): string[] {
  return names.filter((_, i) => locals[i] === NOT_KEPT);
}

/** Variables that every process has at a statement. */
export function commonVariablesAt(probe: ProbeLocation, locals: readonly unknown[]): Variables {
  const { kept, locals: names } = probe;
  const variables = new Map(variablesAt(probe, locals));
  for (const index of kept) variables.delete(names[index] as string);
  return variables;
}

/** Value of one variable; also undefined if it is uninitialized. */
export function localValue(local: unknown, isBoxed: boolean): unknown {
  if (local === NOT_KEPT) throw new ReferenceError('a variable is not available after the await');
  if (isBoxed) return unboxLocal(local, true)?.value;
  return local === UNINITIALISED ? undefined : local;
}

/** Value of a variable, also from its box; undefined while the variable is uninitialized. */
function unboxLocal(local: unknown, isBoxed: boolean): { readonly value: unknown } | undefined {
  if (local === UNINITIALISED) return undefined;
  return isBoxed ? boxContent(local) : { value: local };
}
