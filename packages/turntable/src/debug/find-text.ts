// Where a text stands, in the terminal.
import type { Client, RequestOptions } from '@turntable/time-machine/client';
import { shown } from '@turntable/replayer/replay';
import { Misunderstood, wordsOf } from './words.ts';

/** Places that are shown at once. */
const PAGE = 100;

/** @param from the place of a stretch @param begins when the first of all began */
export async function findText(
  client: Client,
  print: (text: string) => void,
  { text, from, begins }: { readonly text: string; readonly from: number; readonly begins: number },
  options: RequestOptions,
): Promise<void> {
  // In quotes it may begin or end with spaces.
  const words = wordsOf(text);
  const sought = words.length === 1 ? (words[0]?.text ?? '') : text;
  if (sought === '') throw new Misunderstood('find needs a text');
  const { found, next } = await client.request('search', { text: sought, from, count: PAGE }, options);
  for (const { position, time, kind, text: all } of found) {
    const seconds = ((time - begins) / 1000).toFixed(3);
    print(`  ${position.padEnd(10)}  +${seconds}s  ${kind.padEnd(9)}  ${shown(all.split('\n', 1)[0] ?? '')}\n`);
  }
  if (found.length === 0) print('it stands nowhere from here on\n');
  if (next !== undefined) print(`there is more from ${next} on\n`);
}
