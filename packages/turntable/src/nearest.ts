// Hints for mistyped commands, flags and other words.
import { closestName } from '@turntable/loader/closest-name';

/** The name that a mistyped word is nearest to; undefined if none is near. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  return closestName(word, names);
}

/** The end of a message about an unknown word: `; did you mean "replay"?`, or nothing. */
export function didYouMean(word: string, names: readonly string[], quote = '"'): string {
  const nearest = nearestName(word, names);
  return nearest === undefined ? '' : `; did you mean ${quote}${nearest}${quote}?`;
}
