// Levels of durability. The command line imports this file alone at its start.

/**
 * What the bytes of an HTTP response wait for: nothing, until all that they depend on is written and survives a kill of
 * the process, or until it also survives a loss of power.
 */
export type Durability = 'none' | 'reply' | 'reply+fsync';

const LEVELS: Readonly<Record<Durability, true>> = { none: true, reply: true, 'reply+fsync': true };
export const DURABILITY_LEVELS = Object.keys(LEVELS) as readonly Durability[];

/** The levels as texts of flags and environment variables, for errors. */
export const DURABILITY_TEXTS = alternatives(DURABILITY_LEVELS);
/** The levels as values of settings, for errors. */
export const DURABILITY_EXPECTED = alternatives(DURABILITY_LEVELS.map((level) => `'${level}'`));

export function isDurability(value: unknown): value is Durability {
  return typeof value === 'string' && Object.hasOwn(LEVELS, value);
}

function alternatives(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}
