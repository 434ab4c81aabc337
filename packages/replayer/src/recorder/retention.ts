// What is kept, as the settings say it, in the terms of who deletes.
import { bytesOf, millisecondsOf, type KeptLimits } from '@turntable/loader';
import type { Retention, WriterOptions } from '@turntable/recording';

export function retentionOf(kept: KeptLimits): NonNullable<WriterOptions['retention']> {
  return {
    snapshots: rules(kept.count, millisecondsOf(kept.age), bytesOf(kept.bytes)),
    recordings: rules(kept.recordings, undefined, bytesOf(kept.total)),
  };
}

function rules(count: number | undefined, age: number | undefined, bytes: number | undefined): Retention {
  return {
    ...(count === undefined ? {} : { count }),
    ...(age === undefined ? {} : { age }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}
