// Finds the statement in which an event is happening: that of the innermost frame of the program. It is the last
// started statement, unless that one belongs to a call that has returned, for example in the arguments of another call.
import type { ProbeLocation } from '@turntable/loader';
import util from 'node:util';

const MAX_FRAMES = 64;
const MAX_STATEMENTS_BACK = 400;

/**
 * Index of the running statement, among statements in execution order. Statements are matched by source position, so of
 * recursive calls the last one is found.
 *
 * @param probeAt probe of a statement; undefined for code created at run time
 * @returns the last index if no frame matches; -1 if there are no statements
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
