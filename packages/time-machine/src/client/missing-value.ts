import type { EntryInfo } from '../protocol/expression-of.ts';

/** Text in place of a value that an entry does not have. */
export function missingValueText({ kind, isNotKept }: Pick<EntryInfo, 'kind' | 'isNotKept'>): string {
  if (kind === 'accessor') return '(accessor)';
  return isNotKept === true ? '(not available after the await)' : '(no value yet)';
}
