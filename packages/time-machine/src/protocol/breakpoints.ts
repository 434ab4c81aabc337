// Where moves stop, and what is told each time that the recording comes by a line.
import { count, MOST, order, position } from './parts.ts';
import { closed, flag, integer, list, object, optional, text } from './schema.ts';

const parts = {
  file: optional(text('the end of its path, such as src/cart.ts', 4000)),
  line: optional(integer('from 1 on', 1)),
  column: optional(integer('of one of its statements; otherwise the first that is come to', 1)),
  kind: optional(text('in the place of a line: the id of a kind', 100)),
  matching: optional(text('of a kind: only of what is like this, * for anything', 2000)),
  condition: optional(text('an expression: it counts only where that holds', 4000)),
  times: optional(integer('only the so-manieth time of the recording that it does', 1)),
} as const;

export const breakpoint = object({ id: integer('its number', 1), ...parts });

export const breakpointKind = object({
  id: text('by which it is asked for'),
  title: text('behind "stops at"'),
  group: text('with which it is shown'),
  tells: optional(text('what a pattern is compared with; not there, if it takes none')),
  conditions: flag('whether it takes a condition'),
});

export const breakpoints = {
  breakpoints: {
    about: 'Those that there are, for all clients.',
    params: closed({}),
    result: object({ breakpoints: list(breakpoint, '') }),
  },
  break: {
    about: 'A breakpoint more, at a line or of a kind. The move breakpoint stands at it, forward and backward.',
    params: closed(parts),
    result: breakpoint,
  },
  log: {
    about:
      'What an expression comes to each time that the recording comes by a line. It is evaluated now: nothing was printed then.',
    params: closed({
      file: text('the end of its path, such as src/cart.ts', 4000),
      line: integer('from 1 on', 1),
      column: optional(integer('of one of its statements; otherwise the first that is come to', 1)),
      condition: optional(text('an expression: only where that holds', 4000)),
      log: text('the expression', 10_000),
      from: order,
      count,
    }),
    result: object({
      hits: list(
        object({
          position,
          log: optional(text('what it comes to', 100_000)),
          error: optional(text('what it, or the condition, has thrown', 100_000)),
        }),
        'in their order',
        MOST,
      ),
      next: optional(integer('the place from which to ask on, if there may be more', 1)),
    }),
  },
  unbreak: {
    about: 'One less.',
    params: closed({ id: integer('its number', 1) }),
    result: object({ found: flag('whether it was there') }),
  },
} as const;
