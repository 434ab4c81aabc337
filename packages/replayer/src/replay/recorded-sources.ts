// Recorded source texts, which the loader uses instead of files.
import { fileURLToPath } from 'node:url';
import { createRecordedSource, type RecordedSource } from '@turntable/loader';
import type { Recording } from '@turntable/recording';

/** Source texts by file name. If a file changed during the run, its list has the first loaded text last. */
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
