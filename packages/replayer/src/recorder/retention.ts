// Converts the retention settings to the limits that the recording package uses.
import { bytesOf, millisecondsOf, type RetentionLimits } from '@turntable/loader';
import type { Retention, WriterOptions } from '@turntable/recording';

export function createRetention(limits: RetentionLimits): NonNullable<WriterOptions['retention']> {
  return {
    snapshots: retentionRules(limits.count, millisecondsOf(limits.age), bytesOf(limits.bytes)),
    recordings: retentionRules(limits.recordings, undefined, bytesOf(limits.total)),
  };
}

function retentionRules(count: number | undefined, age: number | undefined, bytes: number | undefined): Retention {
  return {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { age }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}
