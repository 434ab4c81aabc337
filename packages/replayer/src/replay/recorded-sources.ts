// Recorded texts, which the loader uses instead of files.
import { fileURLToPath } from 'node:url';
import { createRecordedSource, type RecordedSource } from '@turntable/loader';
import type { Recording } from '@turntable/recording';

/** Texts by file name. If a file had several texts, the first one loaded is last in its list. */
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
