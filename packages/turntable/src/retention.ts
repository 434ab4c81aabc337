// What is kept of a recording, as the settings say it, in the terms of who deletes.
import { bytesOf, millisecondsOf, type SnapshotRetention } from '@turntable/loader';
import type { Retention } from '@turntable/recording';

export function retentionOf({ count, age, bytes }: SnapshotRetention): Retention {
  const milliseconds = millisecondsOf(age);
  const size = bytesOf(bytes);
  return {
    ...(count === undefined ? {} : { count }),
    ...(milliseconds === undefined ? {} : { age: milliseconds }),
    ...(size === undefined ? {} : { bytes: size }),
  };
}
