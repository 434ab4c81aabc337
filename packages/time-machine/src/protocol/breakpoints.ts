// Requests about breakpoints and log points.
import { count, MAX_PAGE_ITEMS, next, order, position } from './shapes.ts';
import { strictObject, boolean, integer, array, object, optional, string } from './schema.ts';

const breakpointParams = {
  file: optional(string('path of the file, or its end, such as src/cart.ts', 4000)),
  line: optional(integer('from 1 on', 1)),
  column: optional(integer('column of a statement of the line; default: its first statement', 1)),
  kind: optional(string('id of a breakpoint kind, instead of a line', 100)),
  matching: optional(string('for a kind: pattern for the text of the event; * matches anything', 2000)),
  condition: optional(string('an expression; only hits where it is true count', 4000)),
  hitNumber: optional(integer('only this hit counts, of all in the recording', 1)),
} as const;

export const breakpoint = object({ id: integer('number of the breakpoint', 1), ...breakpointParams });

export const breakpointKind = object({
  id: string('id in requests'),
  title: string('text after "stops at"'),
  group: string('title of the group in which to show the kind'),
  detail: optional(string('text that `matching` is compared with; absent if the kind takes no pattern')),
  canHaveCondition: boolean('whether the kind takes a condition'),
});

export const breakpoints = {
  breakpoints: {
    description: 'The breakpoints, which all clients share.',
    params: strictObject({}),
    result: object({ breakpoints: array(breakpoint, '') }),
  },
  addBreakpoint: {
    description: 'Adds a breakpoint, at a line or of a kind. The move breakpoint stops at it, forward and backward.',
    params: strictObject(breakpointParams),
    result: breakpoint,
  },
  logPoint: {
    description:
      'Values of an expression at each hit of a line. The expression is evaluated during a replay; the recorded program printed nothing.',
    params: strictObject({
      file: string('path of the file, or its end, such as src/cart.ts', 4000),
      line: integer('from 1 on', 1),
      column: optional(integer('column of a statement of the line; default: its first statement', 1)),
      condition: optional(string('an expression; only hits where it is true count', 4000)),
      logExpression: string('the expression', 10_000),
      from: order,
      count,
    }),
    result: object({
      hits: array(
        object({
          position,
          logValue: optional(string('value of the expression', 100_000)),
          error: optional(string('error that the expression or the condition threw', 100_000)),
        }),
        'in order',
        MAX_PAGE_ITEMS,
      ),
      next,
    }),
  },
  removeBreakpoint: {
    description: 'Removes a breakpoint.',
    params: strictObject({ id: integer('number of the breakpoint', 1) }),
    result: object({ found: boolean('whether there was such a breakpoint') }),
  },
} as const;
