// Where moves stop, and what is told each time that the recording comes by a line.
import { count, MAX_PAGE_ITEMS, order, position } from './shapes.ts';
import { strictObject, boolean, integer, array, object, optional, string } from './schema.ts';

const breakpointParams = {
  file: optional(string('the end of its path, such as src/cart.ts', 4000)),
  line: optional(integer('from 1 on', 1)),
  column: optional(integer('of one of its statements; otherwise the first that is come to', 1)),
  kind: optional(string('in the place of a line: the id of a kind', 100)),
  matching: optional(string('of a kind: only of what is like this, * for anything', 2000)),
  condition: optional(string('an expression: it counts only where that holds', 4000)),
  hitNumber: optional(integer('only the so-manieth time of the recording that it does', 1)),
} as const;

export const breakpoint = object({ id: integer('its number', 1), ...breakpointParams });

export const breakpointKind = object({
  id: string('by which it is asked for'),
  title: string('behind "stops at"'),
  group: string('with which it is shown'),
  detail: optional(string('what a pattern is compared with; not there, if it takes none')),
  canHaveCondition: boolean('whether it takes a condition'),
});

export const breakpoints = {
  breakpoints: {
    description: 'Those that there are, for all clients.',
    params: strictObject({}),
    result: object({ breakpoints: array(breakpoint, '') }),
  },
  addBreakpoint: {
    description: 'A breakpoint more, at a line or of a kind. The move breakpoint stands at it, forward and backward.',
    params: strictObject(breakpointParams),
    result: breakpoint,
  },
  logPoint: {
    description:
      'What an expression comes to each time that the recording comes by a line. It is evaluated now: nothing was printed then.',
    params: strictObject({
      file: string('the end of its path, such as src/cart.ts', 4000),
      line: integer('from 1 on', 1),
      column: optional(integer('of one of its statements; otherwise the first that is come to', 1)),
      condition: optional(string('an expression: only where that holds', 4000)),
      logExpression: string('the expression', 10_000),
      from: order,
      count,
    }),
    result: object({
      hits: array(
        object({
          position,
          logValue: optional(string('what it comes to', 100_000)),
          error: optional(string('what it, or the condition, has thrown', 100_000)),
        }),
        'in their order',
        MAX_PAGE_ITEMS,
      ),
      next: optional(integer('the place from which to ask on, if there may be more', 1)),
    }),
  },
  removeBreakpoint: {
    description: 'One less.',
    params: strictObject({ id: integer('its number', 1) }),
    result: object({ found: boolean('whether it was there') }),
  },
} as const;
