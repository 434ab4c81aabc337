// Promises that somebody waits for, in the terminal.
import type { Client, RequestOptions } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { shown } from '@turntable/replayer/replay';
import { nameOfFile } from './looking.ts';
import { nameOfObject, objectIn } from './words.ts';

type Told = ResultOf<'promises'>['promises'][number];

/** Promises that are shown at once. */
const PAGE = 50;
/** Steps from one to what it waits for. */
const STEPS = 200;

/** `[#NUMBER|ACTOR]` */
export async function showPromises(
  client: Client,
  print: (text: string) => void,
  text: string,
  options: RequestOptions,
): Promise<void> {
  const isOne = text.startsWith('#');
  const actor = text === '' || isOne ? undefined : text;
  const wish = isOne ? { of: objectIn(text), count: STEPS } : { actor, count: PAGE };
  const { promises, total } = await client.request('promises', wish, options);
  for (const each of promises) for (const line of linesOf(each)) print(`${line}\n`);
  if (total > promises.length) print(`and ${total - promises.length} more\n`);
  if (total === 0)
    print(actor === undefined ? 'nobody waits for a promise here\n' : 'no such actor waits for one here\n');
}

function linesOf({ value, what, on, why, place, waiters, waiting, since }: Told): string[] {
  const lines = [
    `  ${nameOfObject(value.id ?? 0)}  ${shown(what)}${since === undefined ? '' : `, awaited since ${since}`}`,
  ];
  const at = place === undefined ? '' : `  ${placeText(place)}`;
  if (on.length > 0) lines.push(`          waits for ${on.map(nameOfObject).join(', ')}${at}`);
  if (why !== undefined) lines.push(`          ${shown(why)}`);
  for (const waiter of waiters) {
    const where = waiter.place === undefined ? '' : `  ${placeText(waiter.place)}`;
    const outcome = waiter.promise === undefined ? '' : `, for ${nameOfObject(waiter.promise)}`;
    lines.push(`          awaited by ${shown(waiter.what)}, ${shown(waiter.actor)}${outcome}${where}`);
  }
  if (waiting > waiters.length) lines.push(`          and by ${waiting - waiters.length} more`);
  return lines;
}

function placeText({ file, line, column }: NonNullable<Told['place']>): string {
  return `${nameOfFile(file)}:${line}${column === undefined ? '' : `:${column}`}`;
}
