// The seeded bug, recorded once and replayed repeatedly: each replay must lose the same update in the same turns.

import { isDeepStrictEqual } from 'node:util';
import { CustomerClient, loseMiles } from './customer.ts';
import { findLostUpdate, WATCHED_ACTORS, type LostUpdate } from './lost-update.ts';
import { RecordedService, replayService } from './recorded-service.ts';

const USER = 'uid1@email.com';
/** Maximum number of pairs of bookings, one of which must lose miles. */
const MAX_PAIRS = 50;

/** Records the bug. Throws if it does not occur or the service fails. */
export async function recordSeededBug(recordings: string): Promise<void> {
  const service = new RecordedService(recordings, 'requests=20,end', {
    ACMEAIR_MILES: 'racy',
    ACMEAIR_CUSTOMERS: '10',
  });
  try {
    const url = await service.url;
    await (await fetch(`${url}/rest/api/loader/load`)).text();
    const lost = await loseMiles(await CustomerClient.logIn(url, USER), MAX_PAIRS);
    const { code, stderr } = await service.stop();
    if (lost === undefined) throw new Error(`${MAX_PAIRS} pairs of concurrent bookings lost no miles`);
    if (code !== 0 || stderr !== '') throw new Error(`the service ended with ${code}: ${stderr}`);
  } finally {
    service.kill();
  }
}

/** Replays once; returns the problems of the replay and the lost update. */
function replaySeededBugOnce(recordings: string): { readonly problems: readonly string[]; readonly lost?: LostUpdate } {
  const report = replayService(recordings, ['--turns', WATCHED_ACTORS]);
  if (report === undefined) return { problems: ['the replay did not end within five minutes'] };
  const { verdict, cuts, divergence, turnNotes = [] } = report;
  const problems: string[] = [];
  if (verdict !== 'same') problems.push(`${verdict}: ${JSON.stringify(divergence)}`);
  if (cuts.different.length > 0 || cuts.compared === 0)
    problems.push(`${cuts.compared} states compared, different: ${JSON.stringify(cuts.different)}`);
  const lost = findLostUpdate(turnNotes, USER);
  if (lost === undefined) return { problems: [...problems, 'no update was lost'] };
  return { problems, lost };
}

/** Replays `count` times; returns all problems, none if each replay loses the same update with the recorded states. */
export function replaySeededBug(recordings: string, count: number, onReplay?: (times: number) => void): string[] {
  const problems: string[] = [];
  let first: LostUpdate | undefined;
  for (let i = 1; i <= count; i++) {
    const { problems: runProblems, lost } = replaySeededBugOnce(recordings);
    problems.push(...runProblems.map((each) => `replay ${i}: ${each}`));
    first ??= lost;
    if (!isDeepStrictEqual(lost, first)) problems.push(`replay ${i}: different turns: ${JSON.stringify(lost)}`);
    onReplay?.(i);
  }
  return problems;
}
