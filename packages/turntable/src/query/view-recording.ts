// A snapshot of a recording as a view. Nothing outside the recording is needed: it holds the texts that names come from. Whatever its bytes,
// they give a view or an error.
import { HeapError } from '@turntable/heap';
import { LoaderError, loaderOptions } from '@turntable/loader';
import { InertSources } from '@turntable/program-state/inert';
import { openRecording, RecordingError, type Recording, type SnapshotReader } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';
import { STATE_PART, openSnapshot } from '@turntable/replayer/replay';
import { SnapshotView } from './snapshot-view.ts';

/** Of the last snapshot that is whole, unless it is said which. */
export function viewRecording(directory: string, phase?: number): SnapshotView {
  const recording = openRecording(directory);
  using snapshot = openSnapshot(recording, phase);
  return viewSnapshot(
    recording,
    snapshot,
    sourcesOf(() => recording, defaultCache()),
  );
}

/** Where transformed code is kept; no file of settings is run for that. */
export function defaultCache(): string | false {
  return loaderOptions({}, process.env, { file: '', settings: {} }).cache;
}

export function viewSnapshot(recording: Recording, snapshot: SnapshotReader, sources: InertSources): SnapshotView {
  const { phase, time, workers } = snapshot;
  const parts = workers.map((worker) => ({ worker, bytes: snapshot.part(worker, STATE_PART).read() }));
  const { cwd } = recording.manifest;
  try {
    return new SnapshotView(parts, { phase, taken: new Date(time), sources, cwd });
  } catch (error) {
    if ([HeapError, LoaderError, RecordingError, RuntimeError].some((type) => error instanceof type)) throw error;
    throw new RuntimeError('TT_DAMAGED_SNAPSHOT', `snapshot ${phase} is damaged: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** `recordingNow`: it may get more. */
export function sourcesOf(currentRecording: () => Recording, cache: string | false): InertSources {
  return new InertSources(cache, function* (url) {
    const recording = currentRecording();
    for (const { url: each, sha256 } of recording.manifest.modules)
      if (each === url) yield* sourcesIn(recording, sha256);
  });
}

/** None, if it is damaged: then names are not known. */
function sourcesIn(recording: Recording, sha256: string): string[] {
  try {
    return [recording.source(sha256)];
  } catch (error) {
    if (error instanceof RecordingError) return [];
    throw error;
  }
}
