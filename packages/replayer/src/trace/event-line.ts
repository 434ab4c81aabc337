// One line of text for a trace event.
import { inspect } from 'node:util';
import type { DeviceEventText } from '@turntable/boundary/inert';
import {
  sourceRequestText,
  traceSourceName,
  TRACE_SOURCES,
  type EntryEvent,
  type TraceEvent,
  type TraceValue,
} from '@turntable/recording';
import { sanitizeText } from '../output/terminal-text.ts';
import { formatCount } from '../output/wording.ts';

/** One line for an event. @param eventText descriptions of device events of this trace */
export function eventLine(event: TraceEvent, eventText: DeviceEventText): string {
  const [position, description] = eventParts(event, eventText);
  return sanitizeText(`${position.padEnd(22)} ${description}`).trimEnd();
}

/** Text of an event without its position. */
export function eventName(event: TraceEvent, eventText: DeviceEventText): string {
  return sanitizeText(eventParts(event, eventText)[1]).trimEnd();
}

function eventParts(event: TraceEvent, eventText: DeviceEventText): readonly [position: string, description: string] {
  switch (event.type) {
    case 'messages':
      return [turnText(event), `${formatCount(event.count, 'message')} of ${workerName(event.worker)}`];
    case 'scheduler':
      return [turnText(event), `${`${event.kind} ${event.key}`.trimEnd()}${valueSuffix(event.value)}`];
    case 'entry':
      return [`round ${event.round} step ${event.step}`, entryText(event, eventText)];
    case 'outcome':
      return [
        '',
        `${sourceRequestText(event.source)}: ${event.source === TRACE_SOURCES.device ? describeOrShow(() => eventText.outcome(event.value), event.value) : valueText(event.value)}`,
      ];
  }
}

function entryText({ source, id, value }: EntryEvent, eventText: DeviceEventText): string {
  if (source === TRACE_SOURCES.device) return `device: ${describeOrShow(() => eventText.entry(id, value), value)}`;
  if (source === TRACE_SOURCES.settled)
    return `settled ${id}: ${describeOrShow(() => eventText.settled(value), value)}`;
  return `${traceSourceName(source)} ${id} calls${valueSuffix(value)}`;
}

/** Description of a value, or the value itself if it has no valid form: recordings may contain anything. */
function describeOrShow(describe: () => string, value: TraceValue): string {
  let text: string;
  try {
    text = describe();
  } catch {
    return valueText(value);
  }
  return truncate(text);
}

export function workerName(worker: number): string {
  return worker === 0 ? 'the main thread' : `worker ${worker}`;
}

function turnText({ round, turns }: { readonly round: number; readonly turns: number }): string {
  return `round ${round} turn ${turns}`;
}

function valueSuffix(value: TraceValue): string {
  return value === undefined ? '' : `: ${valueText(value)}`;
}

const INSPECT_OPTIONS = {
  breakLength: Infinity,
  compact: true,
  depth: 3,
  maxArrayLength: 12,
  maxStringLength: 120,
} as const;
/** Maximum length of a value's text. JSON output is not truncated. */
const MAX_VALUE_LENGTH = 160;
const MAX_HEX_BYTES = 16;

function valueText(value: TraceValue): string {
  return truncate(inspect(toInspectable(value), INSPECT_OPTIONS));
}

function truncate(text: string): string {
  return text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}…`;
}

/** Copy of a value for `inspect`, which prints bytes as hex and objects without the names of their prototypes. */
function toInspectable(value: TraceValue): unknown {
  if (value instanceof Uint8Array) return new HexBytes(value);
  if (Array.isArray(value)) return value.map((each: TraceValue) => toInspectable(each));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toInspectable(each)]));
  return value;
}

class HexBytes {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  [inspect.custom](): string {
    const { length } = this.#bytes;
    const hex = Buffer.from(this.#bytes.subarray(0, MAX_HEX_BYTES)).toString('hex');
    return `<${length} bytes${length === 0 ? '' : `: ${hex}${length > MAX_HEX_BYTES ? '…' : ''}`}>`;
  }
}
