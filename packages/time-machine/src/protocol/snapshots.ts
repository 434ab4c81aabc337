// What is asked of the snapshots of a recording: which there are, and what each holds, by classes.
import { MAX_PAGE_ITEMS, page, total } from './shapes.ts';
import { strictObject, integer, array, number, object, stringEnum, optional, string } from './schema.ts';

const phase = integer('the phase that begins with it');

const size = {
  count: integer('objects'),
  bytes: integer('that they took in the snapshot, without what they refer to'),
  retained: integer('bytes that would be gone with them: what nobody else holds'),
} as const;

export const snapshots = {
  snapshots: {
    description: 'The snapshots of the recording that can be read, in their order.',
    params: strictObject({}),
    result: object({
      snapshots: array(
        object({
          phase,
          time: number('milliseconds since 1970'),
          bytes: integer('on the disk'),
          workers: array(integer('0 is the main thread'), 'threads that are in it'),
          firstTask: optional(
            integer('the place of the first task behind it; not there, if that is not in what was run again', 1),
          ),
        }),
        '',
      ),
    }),
  },
  classes: {
    description:
      'What a snapshot holds, class by class, and beside it what another one does, if that is said. The first time that takes long: the snapshot is read and all its objects are looked at.',
    params: strictObject({
      phase,
      baselinePhase: optional(integer('the phase of another one, to be compared with')),
      matching: optional(string('only classes of which the name, or the file, is like this, * for anything', 2000)),
      sort: optional(
        stringEnum(
          ['retained', 'bytes', 'count', 'grown'],
          'the most first, by what they retain unless it is said; grown: by how much more they retain than in the other one',
        ),
      ),
      ...page,
    }),
    result: object({
      classes: array(
        object({
          name: string('', 2000),
          module: optional(string('the file of a class of the program', 4000)),
          current: optional(object(size, 'not there, if the snapshot has none of it')),
          baseline: optional(object(size, 'in the other one: not there, if that has none of it, or none was said')),
        }),
        '',
        MAX_PAGE_ITEMS,
      ),
      total,
      current: object({ count: size.count, bytes: size.bytes }, 'of all classes together, whatever was wished for'),
      baseline: optional(object({ count: size.count, bytes: size.bytes }, 'the same of the other one')),
    }),
  },
} as const;
