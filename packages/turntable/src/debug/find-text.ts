// Terminal command `find`: lists the tasks, outputs and errors that contain a text.
import type { Client, RequestOptions } from '@turntable/time-machine/client';
import { sanitizeText } from '@turntable/replayer/replay';
import { ReplInputError, splitWords } from './words.ts';

/** Maximum number of matches shown at once. */
const PAGE_SIZE = 100;

/** @param from number of the first task to search @param startTime start time of the recording */
export async function findText(
  client: Client,
  print: (text: string) => void,
  { text, from, startTime }: { readonly text: string; readonly from: number; readonly startTime: number },
  options: RequestOptions,
): Promise<void> {
  // Quotes around the text preserve its leading and trailing spaces.
  const words = splitWords(text);
  const needle = words.length === 1 ? (words[0]?.text ?? '') : text;
  if (needle === '') throw new ReplInputError('find needs a text');
  const { matches, next } = await client.request('search', { text: needle, from, count: PAGE_SIZE }, options);
  for (const { position, time, kind, text: fullText } of matches) {
    const seconds = ((time - startTime) / 1000).toFixed(3);
    print(
      `  ${position.padEnd(10)}  +${seconds}s  ${kind.padEnd(9)}  ${sanitizeText(fullText.split('\n', 1)[0] ?? '')}\n`,
    );
  }
  if (matches.length === 0) print('no match from here on\n');
  if (next !== undefined) print(`there are more matches from ${next} on\n`);
}
