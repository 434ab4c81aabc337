// How far a run again is to go: in the words in which traces are shown and a run that differs is told of.
import { workerName } from '../trace/event-line.ts';

export type Until =
  | { readonly what: 'phase'; readonly phase: number }
  | { readonly what: 'event'; readonly worker: number; readonly event: number }
  | { readonly what: 'turn'; readonly worker: number; readonly turn: number }
  /** A turn of an actor, from that turn of its worker on. */
  | { readonly what: 'actor'; readonly actor: string; readonly turn: number }
  /** Milliseconds since 1970. */
  | { readonly what: 'time'; readonly time: number }
  | { readonly what: 'error' };

export const UNTIL_EXPECTED =
  '--until takes the number of a snapshot, event=340, turn=12 (each with ,worker=2), actor=Cart#12 (with ,turn=12), time=2026-11-22T12:00:03Z, time=+3.5s, or error';

/** What was written; nothing, if that says nothing. @param begin when the run began, in milliseconds since 1970 */
export function untilOf(text: string, begin: () => number): Until | undefined {
  if (text === 'error') return { what: 'error' };
  const parts = Object.fromEntries((/^\d+$/.test(text) ? `phase=${text}` : text).split(',').map(nameAndValue));
  const { worker, ...rest } = parts;
  const [what, ...others] = Object.keys(rest);
  if (worker !== undefined && !(isNumber(worker) && (what === 'event' || what === 'turn'))) return undefined;
  const its = worker === undefined ? 0 : Number(worker);
  const { phase, event, turn, actor, time } = rest;
  if (what === 'actor' && actor !== '' && actor !== undefined && (others.length === 0 || String(others) === 'turn'))
    return turn === undefined || isNumber(turn)
      ? { what, actor, turn: turn === undefined ? 0 : Number(turn) }
      : undefined;
  if (others.length > 0) return undefined;
  if (isNumber(phase)) return { what: 'phase', phase: Number(phase) };
  if (isNumber(event)) return { what: 'event', worker: its, event: Number(event) };
  if (isNumber(turn)) return { what: 'turn', worker: its, turn: Number(turn) };
  const moment = time === undefined ? undefined : momentOf(time, begin);
  return moment === undefined ? undefined : { what: 'time', time: moment };
}

function nameAndValue(part: string): [string, string] {
  const at = part.indexOf('=');
  return at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
}

function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,15}$/.test(text);
}

/** Of the clock, or so long after the beginning: `+3.5s`, `+200ms`. */
function momentOf(text: string, begin: () => number): number | undefined {
  const [, number, unit] = /^\+(\d{1,12}(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  if (number !== undefined) return begin() + Number(number) * (unit === 'ms' ? 1 : unit === 's' ? 1000 : 60_000);
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

export function untilText(until: Until): string {
  switch (until.what) {
    case 'phase':
      return `snapshot ${until.phase}`;
    case 'event':
      return `event ${until.event} of ${workerName(until.worker)}`;
    case 'turn':
      return `turn ${until.turn} of ${workerName(until.worker)}`;
    case 'actor':
      return `a turn of ${until.actor}${until.turn === 0 ? '' : ` from turn ${until.turn} on`}`;
    case 'time':
      return new Date(until.time).toISOString();
    case 'error':
      return 'the first error that nobody catches';
  }
}
