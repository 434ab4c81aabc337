// Finds a lost update in the turns that a replay reports (`turntable replay --turns`): two reads of the same value,
// followed by two writes that are based on it.

import type { TurnNote } from '../../../packages/replayer/src/replay/turn-notes.ts';

/** Value of `--turns`: the actors whose turns are reported. */
export const WATCHED_ACTORS = 'customers,bookings *';

export interface LostUpdate {
  /** The two reads of the account. */
  readonly reads: readonly TurnNote[];
  /** The two resumptions of the caller with the read value. */
  readonly resumptions: readonly TurnNote[];
  /** The two writes of the account; the second one loses an update. */
  readonly writes: readonly TurnNote[];
  /** The value read and the value written, equal both times. */
  readonly read: number;
  readonly written: number;
}

/** Returns the last lost update of a customer's account; undefined if there is none. */
export function findLostUpdate(turns: readonly TurnNote[], customerId: string): LostUpdate | undefined {
  const customerTurns = turns.filter(({ values }) => values.some((value) => value.includes(`'${customerId}'`)));
  const candidates = customerTurns.filter(
    ({ kind, resumedFunction }) => kind === 'fulfil' && resumedFunction?.endsWith('#creditRacily') === true,
  );
  const writes = customerTurns.filter(({ method }) => method === 'replace');
  const lastWrite = writes.findLastIndex((turn, i) => i > 0 && milesIn(turn) === milesIn(writes[i - 1]));
  const [first, second] = [writes[lastWrite - 1], writes[lastWrite]];
  const written = milesIn(second);
  if (first === undefined || second === undefined || written === undefined) return undefined;
  // Logins and views of the account read, too; the reads before the first write belong to the bug.
  const reads = customerTurns.filter(
    ({ method, from, turn }) => method === 'find' && from === second.from && turn < first.turn,
  );
  const read = candidates.map(milesIn).findLast((miles) => miles !== undefined && miles < written);
  const resumptions = candidates.filter((turn) => milesIn(turn) === read);
  if (reads.length < 2 || resumptions.length < 2 || read === undefined) return undefined;
  return { reads: reads.slice(-2), resumptions: resumptions.slice(-2), writes: [first, second], read, written };
}

function milesIn(turn: TurnNote | undefined): number | undefined {
  const found = /\btotal_miles: (\d+)/.exec(turn?.values.join() ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}
