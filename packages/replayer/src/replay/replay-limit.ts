// The limit of a replay (`--until`): its syntax and its text.
import { workerName } from '../trace/event-line.ts';

export type ReplayLimit =
  | { readonly kind: 'phase'; readonly phase: number }
  | { readonly kind: 'event'; readonly worker: number; readonly event: number }
  | { readonly kind: 'turn'; readonly worker: number; readonly turn: number }
  /** The first turn of the actor whose number on its worker is at least `turn`. */
  | { readonly kind: 'actor'; readonly actor: string; readonly turn: number }
  /** Milliseconds since 1970. */
  | { readonly kind: 'time'; readonly time: number }
  | { readonly kind: 'error' };

export const UNTIL_USAGE =
  '--until takes the number of a snapshot, event=340, turn=12 (each with ,worker=2), actor=Cart#12 (with ,turn=12), time=2026-11-22T12:00:03Z, time=+3.5s, or error';

/** Parses a limit; undefined if the text is not valid. @param startTime start of the run in milliseconds since 1970 */
export function parseReplayLimit(text: string, startTime: () => number): ReplayLimit | undefined {
  if (text === 'error') return { kind: 'error' };
  const parts = Object.fromEntries((/^\d+$/.test(text) ? `phase=${text}` : text).split(',').map(splitNameValue));
  const { worker, ...rest } = parts;
  const [kind, ...otherKeys] = Object.keys(rest);
  if (worker !== undefined && !(isNumeral(worker) && (kind === 'event' || kind === 'turn'))) return undefined;
  const workerNumber = worker === undefined ? 0 : Number(worker);
  const { phase, event, turn, actor, time } = rest;
  if (
    kind === 'actor' &&
    actor !== '' &&
    actor !== undefined &&
    (otherKeys.length === 0 || String(otherKeys) === 'turn')
  )
    return turn === undefined || isNumeral(turn)
      ? { kind, actor, turn: turn === undefined ? 0 : Number(turn) }
      : undefined;
  if (otherKeys.length > 0) return undefined;
  if (isNumeral(phase)) return { kind: 'phase', phase: Number(phase) };
  if (isNumeral(event)) return { kind: 'event', worker: workerNumber, event: Number(event) };
  if (isNumeral(turn)) return { kind: 'turn', worker: workerNumber, turn: Number(turn) };
  const timestamp = time === undefined ? undefined : parseTime(time, startTime);
  return timestamp === undefined ? undefined : { kind: 'time', time: timestamp };
}

function splitNameValue(part: string): [string, string] {
  const at = part.indexOf('=');
  return at === -1 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
}

function isNumeral(text: string | undefined): text is string {
  return text !== undefined && /^\d{1,15}$/.test(text);
}

/** Parses a date and time, or a time relative to the start such as `+3.5s` or `+200ms`. Undefined if invalid. */
function parseTime(text: string, startTime: () => number): number | undefined {
  const [, number, unit] = /^\+(\d{1,12}(?:\.\d+)?)(ms|s|m)$/.exec(text) ?? [];
  if (number !== undefined) return startTime() + Number(number) * (unit === 'ms' ? 1 : unit === 's' ? 1000 : 60_000);
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

export function replayLimitText(limit: ReplayLimit): string {
  switch (limit.kind) {
    case 'phase':
      return `snapshot ${limit.phase}`;
    case 'event':
      return `event ${limit.event} of ${workerName(limit.worker)}`;
    case 'turn':
      return `turn ${limit.turn} of ${workerName(limit.worker)}`;
    case 'actor':
      return `a turn of ${limit.actor}${limit.turn === 0 ? '' : ` from turn ${limit.turn} on`}`;
    case 'time':
      return new Date(limit.time).toISOString();
    case 'error':
      return 'the first uncaught error';
  }
}
