// Converts the retention settings to the limits that the recording package uses.
import { bytesOf, millisecondsOf, UNLIMITED, type RetentionLimits } from '@turntable/loader';
import type { Retention, WriterOptions } from '@turntable/recording';

const DEFAULT_RECORDING_BYTES = 2 * 2 ** 30;
const DEFAULT_TOTAL_BYTES = 20 * 2 ** 30;

export function createRetention(limits: RetentionLimits): NonNullable<WriterOptions['retention']> {
  return {
    snapshots: retentionRules(limits.count, millisecondsOf(limits.age), maxRecordingBytes(limits)),
    recordings: retentionRules(limits.recordings, undefined, limitOf(limits.total, DEFAULT_TOTAL_BYTES)),
  };
}

/** Maximum size of a recording's snapshots and traces; undefined if there is none. */
export function maxRecordingBytes({ bytes }: RetentionLimits): number | undefined {
  return limitOf(bytes, DEFAULT_RECORDING_BYTES);
}

function limitOf(value: number | string | undefined, defaultBytes: number): number | undefined {
  return value === UNLIMITED ? undefined : (bytesOf(value) ?? defaultBytes);
}

function retentionRules(count: number | undefined, age: number | undefined, bytes: number | undefined): Retention {
  return {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { age }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}
