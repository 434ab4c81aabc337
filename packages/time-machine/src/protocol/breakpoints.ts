// Requests about breakpoints and log points.
import { count, MAX_PAGE_ITEMS, next, order, position } from './shapes.ts';
import { strictObject, boolean, integer, array, object, optional, recordedString, string } from './schema.ts';

const breakpointParams = {
  file: optional(string('path of the file, or its end, such as src/cart.ts', 4000)),
  line: optional(integer('from 1 on', 1)),
  column: optional(integer('column of a statement of the line; default: its first statement', 1)),
  function: optional(string('name of a function, or Class.method, instead of a line', 1000)),
  kind: optional(string('id of a breakpoint kind, instead of a line', 100)),
  watch: optional(string('an expression, instead of a line: stops at the statements that write its value', 10_000)),
  at: optional(string('for watch: the position at which the expression names the value; default: this one', 100)),
  text: optional(string('for a kind: a part of the text of the event; * matches anything', 2000)),
  condition: optional(string('an expression; only hits where it is true count', 4000)),
  hitNumber: optional(integer('only this hit counts, of all in the recording', 1)),
  ignoreCount: optional(integer('number of hits that the next moves pass', 0)),
  isTemporary: optional(boolean('whether the breakpoint is removed when a move stops at it')),
  isEnabled: optional(boolean('whether moves stop at it; default: true')),
} as const;

export const breakpoint = object({ id: integer('number of the breakpoint', 1), ...breakpointParams });
const setBreakpoint = object({
  id: integer('number of the breakpoint', 1),
  ...breakpointParams,
  note: optional(string('why its condition may fail, for users', 10_000)),
});

export const breakpointKind = object({
  id: string('id in requests'),
  title: string('text after "stops at"'),
  group: string('title of the group in which to show the kind'),
  detail: optional(string('text that `text` is compared with; absent if the kind takes no text')),
  canHaveCondition: boolean('whether the kind takes a condition'),
});

export const breakpoints = {
  breakpoints: {
    description: 'The breakpoints, which all clients share.',
    params: strictObject({}),
    result: object({ breakpoints: array(breakpoint, '') }),
  },
  addBreakpoint: {
    description:
      'Adds a breakpoint, at a line, at a function or of a kind. The move continue stops at it, forward and backward.',
    params: strictObject(breakpointParams),
    result: setBreakpoint,
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
      separator: optional(string('the value is a list of values, which are printed with this text between them', 100)),
      from: order,
      count,
    }),
    result: object({
      hits: array(
        object({
          position,
          logValue: optional(recordedString('value of the expression, as console.log prints it, in one line', 100_000)),
          hasParts: optional(
            boolean('whether the value, or one in its list, is an object, whose parts `partsAt` lists'),
          ),
          error: optional(recordedString('error that the expression or the condition threw', 100_000)),
        }),
        'in order',
        MAX_PAGE_ITEMS,
      ),
      next,
    }),
  },
  updateBreakpoint: {
    description: 'Changes a breakpoint. Absent parameters keep their values; an empty condition removes the condition.',
    params: strictObject({
      id: integer('number of the breakpoint', 1),
      condition: breakpointParams.condition,
      ignoreCount: breakpointParams.ignoreCount,
      isEnabled: breakpointParams.isEnabled,
    }),
    result: setBreakpoint,
  },
  removeBreakpoint: {
    description: 'Removes a breakpoint.',
    params: strictObject({ id: integer('number of the breakpoint', 1) }),
    result: object({ found: boolean('whether the breakpoint existed') }),
  },
} as const;
