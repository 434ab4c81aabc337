// What there is where all stand: the stack, variables and their parts, actors and what waits for them.
import { EFFECTS } from '../effects.ts';
import { entry, MOST, page, position, sourcePlace, total, value } from './parts.ts';
import { closed, flag, integer, list, longText, object, oneOf, optional, text } from './schema.ts';

/** Characters that are told at once. */
const LONGEST = 1_000_000;

export const looking = {
  frames: {
    about: 'The stack where all stand.',
    params: closed({}),
    result: object({
      frames: list(
        object({
          index: integer('0 is the innermost'),
          function: text('', 2000),
          place: optional(object(sourcePlace)),
          hasLocals: flag('whether its variables can be seen'),
          position: optional(position),
        }),
        'the innermost first',
      ),
    }),
  },
  variables: {
    about:
      'The variables of a frame where all stand: of an outer one as they were when its statement began. Objects that were told of before are forgotten then.',
    params: closed({ frame: optional(integer('0 is the innermost, which it is unless it is said')) }),
    result: object({ entries: list(entry, 'with their values') }),
  },
  expand: {
    about: 'The parts of an object that was told of since all stand here.',
    params: closed({
      id: integer('of its value'),
      ...page,
    }),
    result: object({ entries: list(entry, '', MOST), total }),
  },
  text: {
    about: 'A text that was told of since all stand here, of which its preview has not all.',
    params: closed({
      id: integer('of its value'),
      from: optional(integer('how many characters to leave out')),
      count: integer('how many at most', 1, LONGEST),
    }),
    result: object({ text: longText('that piece of it'), total: integer('how many characters there are') }),
  },
  population: {
    about: 'The actors that live where all stand, as far as they are known, and how many messages wait for each.',
    params: closed({
      actor: optional(text('only those of such a name, * for anything', 2000)),
      ...page,
    }),
    result: object({
      actors: list(
        object({
          worker: integer(''),
          id: integer('for mailbox'),
          name: text('', 2000),
          turns: integer('that it has had'),
          waiting: integer('messages'),
          value: optional(value),
        }),
        '',
        MOST,
      ),
      total,
    }),
  },
  mailbox: {
    about: 'The messages that wait for an actor where all stand, the next one first.',
    params: closed({
      worker: integer('where it lives'),
      id: integer('as population has it'),
      ...page,
    }),
    result: object({
      messages: list(
        object({
          what: text('a method, or what else a turn is about: construct, fulfil, reject, stop', 2000),
          from: optional(text('who has sent it; not known of what nobody waits for', 2000)),
          values: optional(list(value, 'what it has been sent with; not known of what is still under way')),
        }),
        '',
        MOST,
      ),
      total,
    }),
  },
} as const;

export const evaluate = {
  about:
    'What an expression comes to, with the variables of a frame. What it changes is gone as soon as anybody moves. In an outer frame it is evaluated only as far as it changes nothing, with the variables that `variables` tells of; objects that were told of before are forgotten then.',
  params: closed({
    text: text('the expression', 10_000),
    frame: optional(integer('0 is the innermost, which it is unless it is said')),
    effects: optional(
      oneOf(EFFECTS, 'none: it is not evaluated where it could change anything; any, unless it is said'),
    ),
  }),
  result: object({
    value: optional(value),
    error: optional(text('what it has thrown, or why it could not be evaluated', 10_000)),
    isPure: flag('whether it has changed nothing for certain'),
  }),
} as const;
