// Lossless JSON for trace events; docs/guide/inspect.md is the contract. A value that JSON cannot represent becomes an
// object with a single member, such as `$bigint`. Member names of the program that start with `$` get another `$`.
import {
  STANDARD_OUTPUT,
  traceSourceName,
  type Json,
  type JsonObject,
  type TraceEvent,
  type TraceValue,
} from '@turntable/recording';

export function toJson(value: TraceValue): Json {
  switch (typeof value) {
    case 'undefined':
      return { $undefined: true };
    case 'bigint':
      return { $bigint: String(value) };
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $number: Object.is(value, -0) ? '-0' : String(value) };
    case 'boolean':
    case 'string':
      return value;
    case 'object':
      if (value === null) return null;
      if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
      if (Array.isArray(value)) return value.map((each: TraceValue) => toJson(each));
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key.startsWith('$') ? `$${key}` : key, toJson(each)]),
      );
  }
}

/** Object with the member `value`; empty if the value is undefined. */
function valueMember(value: TraceValue): JsonObject {
  return value === undefined ? {} : { value: toJson(value) };
}

/** Object with the member `output`; empty if nothing was printed. */
function outputMember(output: TraceEvent['output']): JsonObject {
  if (output === undefined) return {};
  return {
    output: output.map(({ stream, ...sum }) => ({ stream: stream === STANDARD_OUTPUT ? 'stdout' : 'stderr', ...sum })),
  };
}

export function eventJson(event: TraceEvent): JsonObject {
  switch (event.type) {
    case 'messages':
      // The sending worker is `from`, because `worker` names the thread of the trace.
      return {
        type: 'messages',
        round: event.round,
        turns: event.turns,
        from: event.worker,
        count: event.count,
        ...outputMember(event.output),
      };
    case 'scheduler': {
      const { value, output, ...rest } = event;
      return { ...rest, ...valueMember(value), ...outputMember(output) };
    }
    case 'entry':
    case 'outcome': {
      const { value, output, ...rest } = event;
      return { ...rest, source: traceSourceName(event.source), ...valueMember(value), ...outputMember(output) };
    }
  }
}
