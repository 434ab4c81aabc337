// The texts of a recording as the loader takes them in the places of files.
import { fileURLToPath } from 'node:url';
import { createRecordedSource, type RecordedSource } from '@turntable/loader';
import type { Recording } from '@turntable/recording';

/** By the names of files; of one that had several texts, the first one that was loaded is the last of the list. */
export function readRecordedSources(recording: Recording): Map<string, RecordedSource[]> {
  const sources = new Map<string, RecordedSource[]>();
  for (const { url, sha256, settings = '' } of recording.manifest.modules) {
    if (!url.startsWith('file:')) continue;
    const file = fileURLToPath(url);
    const source = createRecordedSource(recording.source(sha256), settings);
    const existing = sources.get(file);
    if (existing === undefined) sources.set(file, [source]);
    else existing.unshift(source);
  }
  return sources;
}
