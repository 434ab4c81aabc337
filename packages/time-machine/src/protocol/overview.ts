// What a time line asks for: all tasks, as columns of numbers.
import { strictObject, integer, longString, object, optional } from './schema.ts';

/** Tasks of one answer: of half a megabyte to two. */
const MAX_OVERVIEW_TASKS = 65_536;

export const overview = {
  description:
    'Tasks as columns of numbers, for a time line of all of them: of a column the numbers stand one behind the other, as bytes with the least significant first, in base64. They are integers of one, two or four bytes each, as the largest of the column takes here, and none is below 0; of eight bytes they are floating-point numbers, for what is below 0 or takes more. A client tells that by how many there are.',
  params: strictObject({
    from: integer('the place of a task among all, from 1 on', 1),
    count: integer('how many at most', 1, MAX_OVERVIEW_TASKS),
  }),
  result: object({
    count: integer('how many these are'),
    times: longString('microseconds since the first of all began'),
    actors: longString('whose it is, as a place in the list of actors, from 0 on'),
    kinds: longString('places in the list taskKinds of hello, from 0 on'),
    senders: longString('how many places before it the task is that has sent what it is about; 0 if that is not known'),
    statementLists: longString('lists of statements that it enters; 0 if they were not counted'),
    eventCount: integer('how many things stand at them'),
    eventTasks: longString('the place of the task at which each of these stands, less the place from which was asked'),
    eventKinds: longString('what stands there, as places in the list eventKinds of hello, from 0 on'),
    next: optional(integer('the place from which to ask on, if there are more', 1)),
  }),
} as const;
