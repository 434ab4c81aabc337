// All domains that are answered here, and what /json/protocol says of them.
import { integer, type JsonSchema, list, object, type Schema } from '@turntable/time-machine/protocol';
import { nothing, some, type AnswersOf, type Domain } from './command.ts';
import { DEBUGGER } from './debugger.ts';
import { RUNTIME } from './runtime.ts';
import { TIME_TRAVEL } from './time-travel.ts';

export const PROTOCOL_VERSION = { major: '1', minor: '3' } as const;

const SCHEMA = {
  about: 'Which domains there are.',
  commands: {
    getDomains: { about: '', params: nothing, returns: object({ domains: list(some('name and version'), '') }) },
  },
  events: {},
} as const satisfies Domain;

const PROFILER = {
  about: 'What clients say before anything else. Nothing is measured: what was recorded has been.',
  commands: {
    enable: { about: '', params: nothing, returns: nothing },
    disable: { about: '', params: nothing, returns: nothing },
    setSamplingInterval: { about: '', params: object({ interval: integer('microseconds') }), returns: nothing },
  },
  events: {},
} as const satisfies Domain;

export const DOMAINS = {
  Debugger: DEBUGGER,
  Profiler: PROFILER,
  Runtime: RUNTIME,
  Schema: SCHEMA,
  TimeTravel: TIME_TRAVEL,
} as const;

export type AllAnswers = { readonly [D in keyof typeof DOMAINS]: AnswersOf<(typeof DOMAINS)[D]> };

/** The description of the protocol, as clients read it. */
export function describedProtocol(): object {
  return {
    version: PROTOCOL_VERSION,
    domains: Object.entries<Domain>(DOMAINS).map(([domain, { about, commands, events }]) => ({
      domain,
      description: about,
      types: [],
      commands: Object.entries(commands).map(([name, { about: description, params, returns }]) => ({
        name,
        description,
        parameters: propertiesOf(params),
        returns: propertiesOf(returns),
      })),
      events: Object.entries(events).map(([name, { about: description, params }]) => ({
        name,
        description,
        parameters: propertiesOf(params),
      })),
    })),
  };
}

function propertiesOf({ json: { properties = {}, required = [] } }: Schema<unknown>): object[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    ...(required.includes(name) ? {} : { optional: true }),
    ...typed(schema),
  }));
}

function typed({ type, description, enum: values, items }: JsonSchema): object {
  return {
    type: type ?? 'any',
    ...(description === undefined || description === '' ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(items === undefined ? {} : { items: typed(items) }),
  };
}
