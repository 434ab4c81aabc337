// The texts of a recording as the loader takes them in the places of files.
import { fileURLToPath } from 'node:url';
import { recordedText, type RecordedText } from '@turntable/loader';
import type { Recording } from '@turntable/recording';

/** By the names of files; of one that had several texts, the first one that was loaded is the last of the list. */
export function textsIn(recording: Recording): Map<string, RecordedText[]> {
  const texts = new Map<string, RecordedText[]>();
  for (const { url, sha256, settings = '' } of recording.manifest.modules) {
    if (!url.startsWith('file:')) continue;
    const file = fileURLToPath(url);
    const text = recordedText(recording.source(sha256), settings);
    const those = texts.get(file);
    if (those === undefined) texts.set(file, [text]);
    else those.unshift(text);
  }
  return texts;
}
