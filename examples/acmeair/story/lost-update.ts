// Where an update was lost, in what a replay tells of turns (`turntable replay --turns`): two have read the same, and both have written what they made of it.

import type { ToldTurn } from '../../../packages/replayer/src/replay/turn-notes.ts';

/** Of whose turns a replay is to tell. */
export const WATCHED = 'customers,bookings *';

export interface LostUpdate {
  /** The account is read, twice. */
  readonly reads: readonly ToldTurn[];
  /** Who has asked goes on with what was read. */
  readonly goesOn: readonly ToldTurn[];
  /** It is written, twice; the last of them is the turn in which an update is lost. */
  readonly writes: readonly ToldTurn[];
  /** What was read and what was written, both times. */
  readonly read: number;
  readonly written: number;
}

/** The last one of a customer's account, if there is any. */
export function lostUpdate(told: readonly ToldTurn[], customerId: string): LostUpdate | undefined {
  const about = told.filter(({ values }) => values.some((value) => value.includes(`'${customerId}'`)));
  const goOn = about.filter(({ kind, goesOn }) => kind === 'fulfil' && goesOn?.endsWith('#creditRacily') === true);
  const writes = about.filter(({ method }) => method === 'replace');
  const at = writes.findLastIndex((turn, i) => i > 0 && milesIn(turn) === milesIn(writes[i - 1]));
  const [first, second] = [writes[at - 1], writes[at]];
  const written = milesIn(second);
  if (first === undefined || second === undefined || written === undefined) return undefined;
  // Whoever writes has read before, and those who log in or look at their account have, too.
  const reads = about.filter(
    ({ method, from, turn }) => method === 'find' && from === second.from && turn < first.turn,
  );
  const read = goOn.map(milesIn).findLast((miles) => miles !== undefined && miles < written);
  const goesOn = goOn.filter((turn) => milesIn(turn) === read);
  if (reads.length < 2 || goesOn.length < 2 || read === undefined) return undefined;
  return { reads: reads.slice(-2), goesOn: goesOn.slice(-2), writes: [first, second], read, written };
}

function milesIn(turn: ToldTurn | undefined): number | undefined {
  const found = /\btotal_miles: (\d+)/.exec(turn?.values.join() ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}
