// Formats a task of a recording as one line, and each of its events as another.
import type { IndexedEventKind, Task } from '@turntable/time-machine';
import { sanitizeText } from '../output/terminal-text.ts';
import { formatCount } from '../output/wording.ts';
import { workerName } from '../trace/event-line.ts';

/** Prefixes of event texts by kind. */
const EVENT_PREFIXES: Readonly<Partial<Record<IndexedEventKind, string>>> = {
  uncaught: 'uncaught ',
  unhandled: 'uncaught ',
  caught: 'throws ',
  rejection: 'rejects with ',
  request: 'request ',
  response: 'response ',
};

type PrintableTask = Pick<Task, 'order' | 'worker' | 'epoch' | 'time' | 'sentCount'> & {
  readonly turn?: number | undefined;
  readonly sender?: number | undefined;
  readonly methodLocation?: string | undefined;
  readonly title: string;
  readonly events: readonly { readonly kind: IndexedEventKind; readonly value: number | string }[];
};

/** @param startTime time of the first task, in milliseconds since 1970 */
export function* taskLines(task: PrintableTask, startTime: number): Generator<string, void, undefined> {
  const { order, worker, epoch, turn, time, sender, methodLocation, sentCount, title, events } = task;
  for (const { kind, value } of events)
    if (kind === 'cut') yield `${' '.repeat(8)}  snapshot ${value}, ${workerName(worker)}\n`;
  const printed = events.reduce((sum, { kind, value }) => (kind.startsWith('std') ? sum + Number(value) : sum), 0);
  const details = [
    sender === undefined ? undefined : `sent by ${sender}`,
    sentCount === 0 ? undefined : `sends ${sentCount}`,
    printed === 0 ? undefined : `prints ${formatCount(printed, 'byte')}`,
    methodLocation?.split('/').at(-1),
  ].filter((each) => each !== undefined);
  const thread = `${workerName(worker)}${epoch === 0 ? '' : `, epoch ${epoch}`}${turn === undefined ? '' : `, turn ${turn}`}`;
  const line = `${String(order).padStart(8)}  +${((time - startTime) / 1000).toFixed(3)}s  ${thread.padEnd(20)}  ${title}${details.length === 0 ? '' : `  (${details.join(', ')})`}`;
  yield `${sanitizeText(line)}\n`;
  for (const { kind, value } of events) {
    const prefix = EVENT_PREFIXES[kind];
    if (prefix !== undefined)
      yield `${`${' '.repeat(10)}${prefix}${sanitizeText(String(value).split('\n')[0] ?? '')}`.trimEnd()}\n`;
  }
}
