// In the course of which statement something happens, told while it does: that of the innermost frame of the program. It is mostly the last one that has begun; where the arguments of a call are calls
// themselves, others have begun and ended since.
import type { ProbeLocation } from '@turntable/loader';
import util from 'node:util';

/** Frames that are looked at, and statements back from the last one. */
const MAX_FRAMES = 64;
const MAX_STATEMENTS_BACK = 400;

/**
 * Among statements in the order in which they have begun, as far as they can be told apart by their places: of a function that calls itself, that of the last call.
 * @param probeAt of one of them; nothing for code that was made at run time
 * @returns the last one where no frame says more; -1 where there is none
 */
export function runningStatementIndex(count: number, probeAt: (index: number) => ProbeLocation | undefined): number {
  const last = count - 1;
  if (last < 0) return last;
  const first = Math.max(0, count - MAX_STATEMENTS_BACK);
  for (const { scriptName, functionName, lineNumber, columnNumber } of util.getCallSites(MAX_FRAMES)) {
    if (scriptName === '' || scriptName.startsWith('node:')) continue;
    for (let index = last; index >= first; index--) {
      const probe = probeAt(index);
      if (probe === undefined || probe.file !== scriptName) continue;
      const isBefore = probe.line < lineNumber || (probe.line === lineNumber && probe.column <= columnNumber);
      if (isBefore && (probe.function === functionName || isWithin(probe, lineNumber, columnNumber))) return index;
    }
  }
  return last;
}

function isWithin({ endLine, endColumn }: ProbeLocation, line: number, column: number): boolean {
  return line < endLine || (line === endLine && column <= endColumn);
}
