// Terminal command `promises`: lists pending promises and their chains.
import type { Client, RequestOptions } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { sanitizeText } from '@turntable/replayer/entry';
import { shortPath } from './session.ts';
import { objectLabel, parseObjectId } from './words.ts';

type PromiseInfo = ResultOf<'promises'>['promises'][number];

/** Maximum number of promises shown at once. */
const PAGE_SIZE = 50;
/** Maximum length of a chain of promises. */
const MAX_STEPS = 200;

/** Prints promises. Arguments: `[#NUMBER|ACTOR]` */
export async function printPromises(
  client: Client,
  print: (text: string) => void,
  text: string,
  options: RequestOptions,
): Promise<void> {
  const isOne = text.startsWith('#');
  const actor = text === '' || isOne ? undefined : text;
  const params = isOne ? { promise: parseObjectId(text), count: MAX_STEPS } : { actor, count: PAGE_SIZE };
  const { promises, total } = await client.request('promises', params, options);
  for (const each of promises) for (const line of linesOf(each)) print(`${line}\n`);
  if (total > promises.length) print(`and ${total - promises.length} more\n`);
  if (total === 0)
    print(actor === undefined ? 'no promise is pending here\n' : 'no matching actor waits for a promise here\n');
}

function linesOf({
  value,
  description,
  waitsFor,
  reason,
  location,
  waiters,
  waiterCount,
  since,
}: PromiseInfo): string[] {
  const lines = [
    `  ${objectLabel(value.id ?? 0)}  ${sanitizeText(description)}${since === undefined ? '' : `, awaited since ${since}`}`,
  ];
  const atText = location === undefined ? '' : `  ${locationText(location)}`;
  if (waitsFor.length > 0) lines.push(`          waits for ${waitsFor.map(objectLabel).join(', ')}${atText}`);
  if (reason !== undefined) lines.push(`          ${sanitizeText(reason)}`);
  for (const waiter of waiters) {
    const waiterText = waiter.location === undefined ? '' : `  ${locationText(waiter.location)}`;
    const outcome = waiter.promise === undefined ? '' : `, for ${objectLabel(waiter.promise)}`;
    lines.push(
      `          awaited by ${sanitizeText(waiter.description)}, ${sanitizeText(waiter.actor)}${outcome}${waiterText}`,
    );
  }
  if (waiterCount > waiters.length) lines.push(`          and by ${waiterCount - waiters.length} more`);
  return lines;
}

function locationText({ file, line, column }: NonNullable<PromiseInfo['location']>): string {
  return `${shortPath(file)}:${line}${column === undefined ? '' : `:${column}`}`;
}
