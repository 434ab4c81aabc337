// In the course of which statement something happens, told while it does: that of the innermost frame of the program. It is mostly the last one that has begun; where the arguments of a call are calls
// themselves, others have begun and ended since.
import type { StatementPlace } from '@turntable/loader';
import util from 'node:util';

/** Frames that are looked at, and statements back from the last one. */
const MOST_FRAMES = 64;
const MOST_BACK = 400;

/**
 * Among statements in the order in which they have begun, as far as they can be told apart by their places: of a function that calls itself, that of the last call.
 * @param placeAt of one of them; nothing for code that was made at run time
 * @returns the last one where no frame says more; -1 where there is none
 */
export function runningStatement(count: number, placeAt: (index: number) => StatementPlace | undefined): number {
  const last = count - 1;
  if (last < 0) return last;
  const first = Math.max(0, count - MOST_BACK);
  for (const { scriptName, functionName, lineNumber, columnNumber } of util.getCallSites(MOST_FRAMES)) {
    if (scriptName === '' || scriptName.startsWith('node:')) continue;
    for (let index = last; index >= first; index--) {
      const place = placeAt(index);
      if (place === undefined || place.file !== scriptName) continue;
      const isBefore = place.line < lineNumber || (place.line === lineNumber && place.column <= columnNumber);
      if (isBefore && (place.function === functionName || isWithin(place, lineNumber, columnNumber))) return index;
    }
  }
  return last;
}

function isWithin({ endLine, endColumn }: StatementPlace, line: number, column: number): boolean {
  return line < endLine || (line === endLine && column <= endColumn);
}
