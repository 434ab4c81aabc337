// Requests about snapshots and their contents, summed up by class.
import { MAX_PAGE_ITEMS, page, total } from './shapes.ts';
import { strictObject, integer, array, number, object, stringEnum, optional, string } from './schema.ts';

const phase = integer('the phase that the snapshot starts');

const size = {
  count: integer('number of objects'),
  bytes: integer('their size in the snapshot, without the objects that they refer to'),
  retained: integer('their retained size: bytes that only they keep alive'),
} as const;

export const snapshots = {
  snapshots: {
    description: 'The readable snapshots of the recording, in order.',
    params: strictObject({}),
    result: object({
      snapshots: array(
        object({
          phase,
          time: number('milliseconds since 1970'),
          bytes: integer('size on disk'),
          workers: array(integer('0 is the main thread'), 'workers in the snapshot'),
          firstTask: optional(integer('the first task after it; absent if that was not replayed', 1)),
        }),
        '',
      ),
    }),
  },
  classes: {
    description:
      'Objects of a snapshot by class, also compared with another snapshot. The first request for a snapshot takes long, since all its objects are read.',
    params: strictObject({
      phase,
      baselinePhase: optional(integer('phase of the snapshot to compare with')),
      matching: optional(string('only classes whose name or file matches this pattern; * matches anything', 2000)),
      sort: optional(
        stringEnum(
          ['retained', 'bytes', 'count', 'grown'],
          'sort key, descending; default: retained; grown: difference of the retained sizes in both snapshots',
        ),
      ),
      ...page,
    }),
    result: object({
      classes: array(
        object({
          name: string('', 2000),
          module: optional(string('file of a class of the program', 4000)),
          current: optional(object(size, 'absent if the snapshot has no such objects')),
          baseline: optional(object(size, 'in the other snapshot; absent if that has no such objects')),
        }),
        '',
        MAX_PAGE_ITEMS,
      ),
      total,
      current: object({ count: size.count, bytes: size.bytes }, 'sum of all classes, `matching` or not'),
      baseline: optional(object({ count: size.count, bytes: size.bytes }, 'the same for the other snapshot')),
    }),
  },
} as const;
