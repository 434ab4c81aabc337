// What there is where all stand: the stack, variables and their parts, actors and what waits for them.
import { EFFECTS } from '../effects.ts';
import { entry, MAX_PAGE_ITEMS, page, position, sourcePlace, total, value } from './shapes.ts';
import { strictObject, boolean, integer, array, longString, object, stringEnum, optional, string } from './schema.ts';

/** Characters that are told at once. */
const MAX_TEXT_REQUEST = 1_000_000;

export const inspection = {
  frames: {
    description: 'The stack where all stand.',
    params: strictObject({}),
    result: object({
      frames: array(
        object({
          index: integer('0 is the innermost'),
          function: string('', 2000),
          location: optional(object(sourcePlace)),
          hasLocals: boolean('whether its variables can be seen'),
          position: optional(position),
        }),
        'the innermost first',
      ),
    }),
  },
  variables: {
    description:
      'The variables of a frame where all stand: of an outer one as they were when its statement began. Objects that were told of before are forgotten then.',
    params: strictObject({ frame: optional(integer('0 is the innermost, which it is unless it is said')) }),
    result: object({ entries: array(entry, 'with their values') }),
  },
  expand: {
    description: 'The parts of an object that was told of since all stand here.',
    params: strictObject({
      id: integer('of its value'),
      ...page,
    }),
    result: object({ entries: array(entry, '', MAX_PAGE_ITEMS), total }),
  },
  text: {
    description: 'A text that was told of since all stand here, of which its preview has not all.',
    params: strictObject({
      id: integer('of its value'),
      from: optional(integer('how many characters to leave out')),
      count: integer('how many at most', 1, MAX_TEXT_REQUEST),
    }),
    result: object({ text: longString('that piece of it'), total: integer('how many characters there are') }),
  },
  liveActors: {
    description: 'The actors that live where all stand, as far as they are known, and how many messages wait for each.',
    params: strictObject({
      actor: optional(string('only those of such a name, * for anything', 2000)),
      ...page,
    }),
    result: object({
      actors: array(
        object({
          worker: integer(''),
          id: integer('for mailbox'),
          name: string('', 2000),
          turns: integer('that it has had'),
          waitingCount: integer('messages'),
          value: optional(value),
        }),
        '',
        MAX_PAGE_ITEMS,
      ),
      total,
    }),
  },
  mailbox: {
    description: 'The messages that wait for an actor where all stand, the next one first.',
    params: strictObject({
      worker: integer('where it lives'),
      id: integer('as liveActors has it'),
      ...page,
    }),
    result: object({
      messages: array(
        object({
          subject: string('a method, or what else a turn is about: construct, fulfil, reject, stop', 2000),
          sender: optional(string('who has sent it; not known of what nobody waits for', 2000)),
          values: optional(array(value, 'what it has been sent with; not known of what is still under way')),
        }),
        '',
        MAX_PAGE_ITEMS,
      ),
      total,
    }),
  },
} as const;

export const evaluate = {
  description:
    'What an expression comes to, with the variables of a frame. What it changes is gone as soon as anybody moves. In an outer frame it is evaluated only as far as it changes nothing, with the variables that `variables` tells of; objects that were told of before are forgotten then.',
  params: strictObject({
    expression: string('the expression', 10_000),
    frame: optional(integer('0 is the innermost, which it is unless it is said')),
    effects: optional(
      stringEnum(EFFECTS, 'none: it is not evaluated where it could change anything; any, unless it is said'),
    ),
  }),
  result: object({
    value: optional(value),
    error: optional(string('what it has thrown, or why it could not be evaluated', 10_000)),
    isPure: boolean('whether it has changed nothing for certain'),
  }),
} as const;
