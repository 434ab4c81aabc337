// The seeded bug, recorded once and run again as often as is wished: each run again has to lose the same update in the same turns.

import { isDeepStrictEqual } from 'node:util';
import { Customer, loseMiles } from './customer.ts';
import { lostUpdate, WATCHED, type LostUpdate } from './lost-update.ts';
import { RecordedService, replay } from './recorded-service.ts';

const USER = 'uid1@email.com';
/** Pairs of bookings, one of which is to go wrong. */
const MOST_PAIRS = 50;

/** Records it. Throws if nothing goes wrong, or something else does. */
export async function recordSeededBug(recordings: string): Promise<void> {
  const service = new RecordedService(recordings, 'requests=20,end', {
    ACMEAIR_MILES: 'racy',
    ACMEAIR_CUSTOMERS: '10',
  });
  try {
    const url = await service.url;
    await (await fetch(`${url}/rest/api/loader/load`)).text();
    const lost = await loseMiles(await Customer.logIn(url, USER), MOST_PAIRS);
    const { code, stderr } = await service.stop();
    if (lost === undefined) throw new Error(`${MOST_PAIRS} times two bookings at once have lost no miles`);
    if (code !== 0 || stderr !== '') throw new Error(`the service has ended with ${code}: ${stderr}`);
  } finally {
    service.kill();
  }
}

/** What is wrong with one run again, and where the update was lost in it. */
function seededBugAgain(recordings: string): { readonly wrong: readonly string[]; readonly lost?: LostUpdate } {
  const report = replay(recordings, ['--turns', WATCHED]);
  if (report === undefined) return { wrong: ['it has not run again to its end within five minutes'] };
  const { verdict, cuts, divergence, told = [] } = report;
  const wrong: string[] = [];
  if (verdict !== 'same') wrong.push(`${verdict}: ${JSON.stringify(divergence)}`);
  if (cuts.different.length > 0 || cuts.compared === 0)
    wrong.push(`${cuts.compared} states compared, different: ${JSON.stringify(cuts.different)}`);
  const lost = lostUpdate(told, USER);
  if (lost === undefined) return { wrong: [...wrong, 'no update was lost'] };
  return { wrong, lost };
}

/** What was wrong with each of so many runs again; nothing, if all lost the same update in the same turns, with the states that were recorded. */
export function replaySeededBug(recordings: string, count: number, done?: (times: number) => void): string[] {
  const found: string[] = [];
  let first: LostUpdate | undefined;
  for (let i = 1; i <= count; i++) {
    const { wrong, lost } = seededBugAgain(recordings);
    found.push(...wrong.map((each) => `replay ${i}: ${each}`));
    first ??= lost;
    if (!isDeepStrictEqual(lost, first)) found.push(`replay ${i}: other turns: ${JSON.stringify(lost)}`);
    done?.(i);
  }
  return found;
}
