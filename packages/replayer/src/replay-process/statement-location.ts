// Conversion of a probe, as the loader describes it, to the source location that clients get.
import type { ProbeLocation } from '@turntable/loader';
import type { StatementLocation } from '@turntable/time-machine/replay-process';

/** @param code id of the file's code in this process. @param number number of the statement in the file */
export function toStatementLocation(probe: ProbeLocation, code: string, number: number): StatementLocation {
  const { file, line, column, endLine, endColumn, function: name, kind } = probe;
  const { functionOrdinal: ordinal } = probe;
  return { file, line, column, endLine, endColumn, function: name, kind, ordinal, code, number };
}
