// Where an update was lost, in what a replay tells of turns (`turntable replay --turns`): two have read the same, and both have written what they made of it.

import type { TurnNote } from '../../../packages/replayer/src/replay/turn-notes.ts';

/** Of whose turns a replay is to tell. */
export const WATCHED_ACTORS = 'customers,bookings *';

export interface LostUpdate {
  /** The account is read, twice. */
  readonly reads: readonly TurnNote[];
  /** Who has asked goes on with what was read. */
  readonly resumptions: readonly TurnNote[];
  /** It is written, twice; the last of them is the turn in which an update is lost. */
  readonly writes: readonly TurnNote[];
  /** What was read and what was written, both times. */
  readonly read: number;
  readonly written: number;
}

/** The last one of a customer's account, if there is any. */
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
  // Whoever writes has read before, and those who log in or look at their account have, too.
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
