// Converts the retention settings to the limits that the recording package uses.
import { bytesOf, DEFAULT_RETENTION, millisecondsOf, UNLIMITED, type RetentionLimits } from '@turntable/loader';
import type { Retention, WriterOptions } from '@turntable/recording';

export function createRetention(limits: RetentionLimits): NonNullable<WriterOptions['retention']> {
  return {
    snapshots: retentionRules(limits.count, millisecondsOf(limits.age), maxRecordingBytes(limits)),
    recordings: retentionRules(limits.recordings, undefined, sizeLimitOf(limits.total ?? DEFAULT_RETENTION.total)),
  };
}

/** Maximum size of a recording's snapshots and traces; undefined if there is none. */
export function maxRecordingBytes({ bytes = DEFAULT_RETENTION.bytes }: RetentionLimits): number | undefined {
  return sizeLimitOf(bytes);
}

function sizeLimitOf(value: number | string): number | undefined {
  return value === UNLIMITED ? undefined : bytesOf(value);
}

function retentionRules(count: number | undefined, age: number | undefined, bytes: number | undefined): Retention {
  return {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { age }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}
