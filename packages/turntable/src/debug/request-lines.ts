// Terminal command `requests`: parses its filter and formats requests as lines.
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { sanitizeText } from '@turntable/replayer/entry';
import { workerName } from '@turntable/replayer/replay';

type RequestRow = ResultOf<'requests'>['requests'][number];

/** Filter words, which come before the text to search for. */
export const REQUEST_WORDS = ['open', 'slowest'] as const;

/** Parses the arguments `[slowest] [open] [STATUS] [TEXT]`. @param count maximum number of requests */
export function parseRequestFilter(words: readonly string[], count: number): ParamsOf<'requests'> {
  let params: ParamsOf<'requests'> = { count };
  let index = 0;
  for (let word = words[index]; word !== undefined; word = words[++index]) {
    if (word === 'open') params = { ...params, state: 'open' };
    else if (word === 'slowest') params = { ...params, sort: 'slowest' };
    else if (/^[1-5]\d\d$/.test(word)) params = { ...params, status: Number(word) };
    else break;
  }
  const text = words.slice(index).join(' ');
  return text === '' ? params : { ...params, text };
}

/** Formats a request as a line. @param startTime start of the recording, from which times are counted */
export function requestLine(request: RequestRow, startTime: number): string {
  const { number, method, url, status = 'open', worker, received, answered, durationMs } = request;
  const time = (received ?? answered)?.time ?? startTime;
  const columns = [
    String(number).padStart(8),
    spanOf(received?.position, answered?.position).padEnd(16),
    `+${((time - startTime) / 1000).toFixed(3)}s`,
    (durationMs === undefined ? '' : `${durationMs.toFixed(3)} ms`).padStart(12),
    sanitizeText(status).padEnd(4),
    sanitizeText(`${method} ${url}`),
    ...(worker === 0 ? [] : [`(${workerName(worker)})`]),
  ];
  return `${columns.join('  ')}\n`;
}

/** Formats the start and end of a request; only once if they are equal. */
function spanOf(start: string | undefined, end: string | undefined): string {
  if (start === end) return start ?? '';
  return `${start ?? ''} -> ${end ?? ''}`.trim();
}
