// What is asked of the snapshots of a recording: which there are, and what each holds, by classes.
import { MOST, page, total } from './parts.ts';
import { closed, integer, list, number, object, oneOf, optional, text } from './schema.ts';

const phase = integer('the phase that begins with it');

const size = {
  count: integer('objects'),
  bytes: integer('that they took in the snapshot, without what they refer to'),
  retained: integer('bytes that would be gone with them: what nobody else holds'),
} as const;

export const snapshots = {
  snapshots: {
    about: 'The snapshots of the recording that can be read, in their order.',
    params: closed({}),
    result: object({
      snapshots: list(
        object({
          phase,
          time: number('milliseconds since 1970'),
          bytes: integer('on the disk'),
          workers: list(integer('0 is the main thread'), 'threads that are in it'),
          order: optional(
            integer('the place of the first stretch behind it; not there, if that is not in what was run again', 1),
          ),
        }),
        '',
      ),
    }),
  },
  classes: {
    about:
      'What a snapshot holds, class by class, and beside it what another one does, if that is said. The first time that takes long: the snapshot is read and all its objects are looked at.',
    params: closed({
      phase,
      against: optional(integer('the phase of another one, to be compared with')),
      matching: optional(text('only classes of which the name, or the file, is like this, * for anything', 2000)),
      sort: optional(
        oneOf(
          ['retained', 'bytes', 'count', 'grown'],
          'the most first, by what they retain unless it is said; grown: by how much more they retain than in the other one',
        ),
      ),
      ...page,
    }),
    result: object({
      classes: list(
        object({
          name: text('', 2000),
          module: optional(text('the file of a class of the program', 4000)),
          now: optional(object(size, 'not there, if the snapshot has none of it')),
          before: optional(object(size, 'in the other one: not there, if that has none of it, or none was said')),
        }),
        '',
        MOST,
      ),
      total,
      now: object({ count: size.count, bytes: size.bytes }, 'of all classes together, whatever was wished for'),
      before: optional(object({ count: size.count, bytes: size.bytes }, 'the same of the other one')),
    }),
  },
} as const;
