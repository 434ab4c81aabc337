// The redaction of secrets in what commands and debuggers show.
import { BUILT_IN_RULES, Redaction } from '@turntable/recording/redaction';

/** Splits comma-separated lists of names. A list that starts with `/` is one pattern, which may contain commas. */
export function parseNames(lists: readonly string[]): string[] {
  return lists
    .flatMap((list) => (list.startsWith('/') ? [list] : list.split(',').map((name) => name.trim())))
    .filter((name) => name !== '');
}

/** Returns the function that redacts texts. */
export function textRedactor(redaction: Redaction | undefined): (text: string) => string {
  return redaction === undefined ? (text) => text : (text) => redaction.redactText(text);
}

/**
 * The redaction set by TURNTABLE_REDACT: `off`, or further names and patterns.
 * @param names further names and patterns
 */
export function displayRedaction(names: readonly string[] = []): Redaction | undefined {
  const setting = process.env['TURNTABLE_REDACT'] ?? '';
  if (setting === 'off') return names.length === 0 ? undefined : new Redaction(names);
  const all = [...parseNames([setting]), ...names];
  return new Redaction(all.length === 0 ? [BUILT_IN_RULES] : all);
}
