// Requests in the terminal: what the words behind `requests` ask for, and a line for each.
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { shown, workerName } from '@turntable/replayer/replay';

type ToldRequest = ResultOf<'requests'>['requests'][number];

/** Before the text that is looked for. */
export const REQUEST_WORDS = ['open', 'slowest'] as const;

/** `[slowest] [open] [STATUS] [TEXT]` @param count how many at most */
export function requestsWanted(words: readonly string[], count: number): ParamsOf<'requests'> {
  let wanted: ParamsOf<'requests'> = { count };
  let at = 0;
  for (let word = words[at]; word !== undefined; word = words[++at]) {
    if (word === 'open') wanted = { ...wanted, state: 'open' };
    else if (word === 'slowest') wanted = { ...wanted, sort: 'slowest' };
    else if (/^[1-5]\d\d$/.test(word)) wanted = { ...wanted, status: Number(word) };
    else break;
  }
  const text = words.slice(at).join(' ');
  return text === '' ? wanted : { ...wanted, matching: `*${text}*` };
}

/** @param begin when the recording began */
export function requestLine(request: ToldRequest, begin: number): string {
  const { number, method, url, status = 'open', worker, came, answered, duration } = request;
  const time = (came ?? answered)?.time ?? begin;
  const columns = [
    String(number).padStart(8),
    spanOf(came?.position, answered?.position).padEnd(16),
    `+${((time - begin) / 1000).toFixed(3)}s`,
    (duration === undefined ? '' : `${duration.toFixed(3)} ms`).padStart(12),
    shown(status).padEnd(4),
    shown(`${method} ${url}`),
    ...(worker === 0 ? [] : [`(${workerName(worker)})`]),
  ];
  return `${columns.join('  ')}\n`;
}

/** From where to where; once, if it was answered where it came. */
function spanOf(came: string | undefined, answered: string | undefined): string {
  if (came === answered) return came ?? '';
  return `${came ?? ''} -> ${answered ?? ''}`.trim();
}
