// The terminal's `requests`: parses the filter and formats requests, one per line.
import type { ParamsOf, ResultOf } from '@turntable/time-machine/protocol';
import { sanitizeText, workerName } from '@turntable/replayer/replay';

type RequestRow = ResultOf<'requests'>['requests'][number];

/** Words before the text to search for. */
export const REQUEST_WORDS = ['open', 'slowest'] as const;

/** `[slowest] [open] [STATUS] [TEXT]` @param count the maximum number */
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
  return text === '' ? params : { ...params, matching: `*${text}*` };
}

/** @param startTime of the recording */
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

/** Start and end, once if they are equal. */
function spanOf(start: string | undefined, end: string | undefined): string {
  if (start === end) return start ?? '';
  return `${start ?? ''} -> ${end ?? ''}`.trim();
}
