// All supported CDP domains, including `Schema` and `Profiler`, and their description for /json/protocol.
import {
  boolean,
  integer,
  type JsonSchema,
  array,
  object,
  optional,
  type Schema,
} from '@turntable/time-machine/protocol';
import { emptyObject, anyObject, type DomainHandlers, type Domain } from './command.ts';
import { DEBUGGER } from './debugger.ts';
import { RUNTIME } from './runtime.ts';
import { TIME_TRAVEL } from './time-travel.ts';

export const CDP_VERSION = { major: '1', minor: '3' } as const;

const SCHEMA = {
  description: 'The supported domains.',
  commands: {
    getDomains: {
      description: '',
      params: emptyObject,
      returns: object({ domains: array(anyObject('name and version'), '') }),
    },
  },
  events: {},
} as const satisfies Domain;

export const PROFILER = {
  description: 'Accepted since clients send it first; a recording has no CPU profile.',
  commands: {
    enable: { description: '', params: emptyObject, returns: emptyObject },
    disable: { description: '', params: emptyObject, returns: emptyObject },
    setSamplingInterval: {
      description: '',
      params: object({ interval: integer('microseconds') }),
      returns: emptyObject,
    },
    start: { description: 'Fails, and prints the reason to the console.', params: emptyObject, returns: emptyObject },
    stop: { description: 'Fails like start.', params: emptyObject, returns: emptyObject },
  },
  events: {},
} as const satisfies Domain;

export const HEAP_PROFILER = {
  description: 'The objects of the program at the current position.',
  commands: {
    enable: { description: '', params: emptyObject, returns: emptyObject },
    disable: { description: '', params: emptyObject, returns: emptyObject },
    collectGarbage: { description: 'Does nothing.', params: emptyObject, returns: emptyObject },
    takeHeapSnapshot: {
      description: 'Sends the heap snapshot of the current position. Sizes are estimates.',
      params: object({ reportProgress: optional(boolean('')) }),
      returns: emptyObject,
      isLongRunning: true,
    },
  },
  events: {
    addHeapSnapshotChunk: { description: 'A piece of a heap snapshot.', params: anyObject('chunk') },
    reportHeapSnapshotProgress: { description: 'How much was sent.', params: anyObject('done, total and finished') },
  },
} as const satisfies Domain;

export const DOMAINS = {
  Debugger: DEBUGGER,
  HeapProfiler: HEAP_PROFILER,
  Profiler: PROFILER,
  Runtime: RUNTIME,
  Schema: SCHEMA,
  TimeTravel: TIME_TRAVEL,
} as const;

export type AllHandlers = { readonly [D in keyof typeof DOMAINS]: DomainHandlers<(typeof DOMAINS)[D]> };

/** Returns the description of all domains in the format of Chrome's protocol files. */
export function describeProtocol(): object {
  return {
    version: CDP_VERSION,
    domains: Object.entries<Domain>(DOMAINS).map(([domain, { description: domainDescription, commands, events }]) => ({
      domain,
      description: domainDescription,
      types: [],
      commands: Object.entries(commands).map(([name, { description: commandDescription, params, returns }]) => ({
        name,
        description: commandDescription,
        parameters: propertiesOf(params),
        returns: propertiesOf(returns),
      })),
      events: Object.entries(events).map(([name, { description: eventDescription, params }]) => ({
        name,
        description: eventDescription,
        parameters: propertiesOf(params),
      })),
    })),
  };
}

function propertiesOf({ json: { properties = {}, required = [] } }: Schema<unknown>): object[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    ...(required.includes(name) ? {} : { optional: true }),
    ...describeType(schema),
  }));
}

function describeType({ type, description, enum: values, items }: JsonSchema): object {
  return {
    type: type ?? 'any',
    ...(description === undefined || description === '' ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: describeType(items) }),
  };
}
