// A stretch of a recording in a line, for people, and what stands at it in lines of its own.
import type { MarkKind, Stretch } from '@turntable/time-machine';
import { counted } from '../output/wording.ts';
import { workerName } from '../trace/event-line.ts';

/** What stands in a recording is whatever somebody has put there; a terminal is to do nothing but show it. */
const CONTROL = /\p{Cc}/gu;

/** What is said before the text of a mark; of others nothing is said. */
const WORDS: Readonly<Partial<Record<MarkKind, string>>> = {
  error: '',
  exception: 'throws ',
  rejection: 'rejects with ',
  request: 'is asked ',
  response: 'answers ',
};

type Told = Pick<Stretch, 'order' | 'worker' | 'life' | 'time' | 'sent'> & {
  readonly turn?: number | undefined;
  readonly sender?: number | undefined;
  readonly place?: string | undefined;
  readonly title: string;
  readonly marks: readonly { readonly kind: MarkKind; readonly value: number | string }[];
};

/** @param begin when the first one began */
export function* stretchLines(stretch: Told, begin: number): Generator<string, void, undefined> {
  const { order, worker, life, turn, time, sender, place, sent, title, marks } = stretch;
  for (const { kind, value } of marks)
    if (kind === 'cut') yield `${' '.repeat(8)}  snapshot ${value}, ${workerName(worker)}\n`;
  const printed = marks.reduce((sum, { kind, value }) => (kind.startsWith('std') ? sum + Number(value) : sum), 0);
  const more = [
    sender === undefined ? undefined : `sent by ${sender}`,
    sent === 0 ? undefined : `sends ${sent}`,
    printed === 0 ? undefined : `prints ${counted(printed, 'byte')}`,
    place?.split('/').at(-1),
  ].filter((each) => each !== undefined);
  const thread = `${workerName(worker)}${life === 0 ? '' : `, life ${life}`}${turn === undefined ? '' : `, turn ${turn}`}`;
  const line = `${String(order).padStart(8)}  +${((time - begin) / 1000).toFixed(3)}s  ${thread.padEnd(20)}  ${title}${more.length === 0 ? '' : `  (${more.join(', ')})`}`;
  yield `${shown(line)}\n`;
  for (const { kind, value } of marks) {
    const word = WORDS[kind];
    if (word !== undefined)
      yield `${`${' '.repeat(10)}${word}${shown(String(value).split('\n')[0] ?? '')}`.trimEnd()}\n`;
  }
}

/** Without what a terminal would do something by. */
export function shown(text: string): string {
  return text.replaceAll(CONTROL, '\uFFFD');
}
