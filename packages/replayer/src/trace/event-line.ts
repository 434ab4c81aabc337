// An event of a trace in one line, for people.
import { inspect } from 'node:util';
import type { DeviceWords } from '@turntable/boundary/inert';
import { sourceName, SOURCES, type EntryEvent, type TraceEvent, type TraceValue } from '@turntable/recording';
import { counted } from '../output/wording.ts';

/** What stands in a recording is whatever somebody has put there; a terminal is to do nothing but show it. */
const CONTROL = /\p{Cc}/gu;

/** `words`: of the trace it is in, which tell what is behind the membrane. */
export function eventLine(event: TraceEvent, words: DeviceWords): string {
  const [position, what] = partsOf(event, words);
  return `${position.padEnd(22)} ${what}`.replaceAll(CONTROL, '\uFFFD').trimEnd();
}

/** What it is, without where. */
export function eventName(event: TraceEvent, words: DeviceWords): string {
  return partsOf(event, words)[1].replaceAll(CONTROL, '\uFFFD').trimEnd();
}

function partsOf(event: TraceEvent, words: DeviceWords): readonly [position: string, what: string] {
  switch (event.what) {
    case 'messages':
      return [turnOf(event), `${counted(event.count, 'message')} of ${workerName(event.worker)}`];
    case 'happened':
      return [turnOf(event), `${`${event.kind} ${event.key}`.trimEnd()}${behind(event.value)}`];
    case 'entry':
      return [`round ${event.round} step ${event.step}`, entryText(event, words)];
    case 'outcome':
      return [
        '',
        `asks ${sourceName(event.source)}: ${event.source === SOURCES.device ? worded(() => words.outcome(event.value), event.value) : shown(event.value)}`,
      ];
  }
}

function entryText({ source, id, value }: EntryEvent, words: DeviceWords): string {
  if (source === SOURCES.device) return `device: ${worded(() => words.entry(id, value), value)}`;
  if (source === SOURCES.settled) return `settled ${id}: ${worded(() => words.settled(value), value)}`;
  return `${sourceName(source)} ${id} calls${behind(value)}`;
}

/** What a recording has there may be anything: what has no words is shown as it is. */
function worded(words: () => string, value: TraceValue): string {
  let text: string;
  try {
    text = words();
  } catch {
    return shown(value);
  }
  return cut(text);
}

export function workerName(worker: number): string {
  return worker === 0 ? 'the main thread' : `worker ${worker}`;
}

function turnOf({ round, turns }: { readonly round: number; readonly turns: number }): string {
  return `round ${round} turn ${turns}`;
}

function behind(value: TraceValue): string {
  return value === undefined ? '' : `: ${shown(value)}`;
}

const LINE = { breakLength: Infinity, compact: true, depth: 3, maxArrayLength: 12, maxStringLength: 120 } as const;
/** Units of a value; JSON has all of it. */
const SHOWN = 160;
const BYTES_SHOWN = 16;

function shown(value: TraceValue): string {
  return cut(inspect(readable(value), LINE));
}

function cut(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}

/** Bytes as they are written in a hex dump, objects without prototypes that would be named. */
function readable(value: TraceValue): unknown {
  if (value instanceof Uint8Array) return new Bytes(value);
  if (Array.isArray(value)) return value.map((each: TraceValue) => readable(each));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, readable(each)]));
  return value;
}

class Bytes {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  [inspect.custom](): string {
    const { length } = this.#bytes;
    const hex = Buffer.from(this.#bytes.subarray(0, BYTES_SHOWN)).toString('hex');
    return `<${length} bytes${length === 0 ? '' : `: ${hex}${length > BYTES_SHOWN ? '…' : ''}`}>`;
  }
}
