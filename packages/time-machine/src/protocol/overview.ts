// Request for all tasks as columns of numbers, for timelines.
import { next, order } from './shapes.ts';
import { strictObject, integer, longString, object } from './schema.ts';

/** Maximum number of tasks in one response, which then takes 0.5 to 2 MB. */
const MAX_OVERVIEW_TASKS = 65_536;

export const overview = {
  description:
    'Tasks as columns of numbers, for a timeline of all tasks. A column is the base64 of its numbers, little-endian. Each number is an unsigned integer of one, two or four bytes, depending on the largest one in this column and response, or, if that does not suffice, a floating-point number of eight bytes. A client computes the width from the number of values.',
  params: strictObject({ from: order, count: integer('maximum number of tasks', 1, MAX_OVERVIEW_TASKS) }),
  result: object({
    count: integer('number of these tasks'),
    times: longString('microseconds since the first task of all'),
    actors: longString('indexes in the list of actors, from 0 on'),
    kinds: longString('indexes in taskKinds of hello, from 0 on'),
    senders: longString('distance to the task that sent the message, in tasks; 0 if it is not known'),
    statementLists: longString('lists of statements that the task enters; 0 if they were not counted'),
    eventCount: integer('number of their events'),
    eventTasks: longString('task of each event, relative to `from`'),
    eventKinds: longString('kind of each event, as index in eventKinds of hello, from 0 on'),
    next,
  }),
} as const;
