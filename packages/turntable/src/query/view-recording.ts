// Opens a snapshot of a recording as a view. The recording contains all sources that the view needs. Damaged bytes give
// a view or an error.
import { HeapError } from '@turntable/heap';
import { LoaderError, loaderOptions } from '@turntable/loader';
import { InertSources, type InertOptions } from '@turntable/program-state/inert';
import { openRecording, RecordingError, type Recording, type SnapshotReader } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';
import { isolation, openRecordedCode, openSnapshot, replaySandbox, STATE_PART } from '@turntable/replayer/replay';
import { SnapshotView } from './snapshot-view.ts';

/** Opens a snapshot as a view; by default, the last complete snapshot. */
export function viewRecording(directory: string, phase?: number): SnapshotView {
  const recording = openRecording(directory);
  using snapshot = openSnapshot(recording, phase);
  return viewSnapshot(
    recording,
    snapshot,
    sourcesOf(() => recording, parsedInSandbox(recording)),
  );
}

/** Directory of the cache of transformed code; false without one. The program's settings file is not run. */
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
    throw new RuntimeError(
      'TT_DAMAGED_SNAPSHOT',
      `snapshot ${phase} is damaged: ${(error as Error).message}; inspect another one with --phase`,
      {
        cause: error,
      },
    );
  }
}

/** Sources of a recording that may grow. @param currentRecording returns the recording in its current state */
export function sourcesOf(currentRecording: () => Recording, options: InertOptions): InertSources {
  return new InertSources(function* (url) {
    const recording = currentRecording();
    for (const { url: each, sha256 } of recording.manifest.modules)
      if (each === url) yield* sourcesIn(recording, sha256);
  }, options);
}

/** Has the sources parsed in the sandbox, if this machine has one: they are untrusted. */
export function parsedInSandbox(recording: Recording): InertOptions {
  const { directory } = recording;
  if (isolation().level === null) return { cache: defaultCache() };
  const sandbox = replaySandbox(directory, { isTrusted: false, requiresIsolation: false });
  return { cache: sandbox?.codeCache ?? false, transforms: openRecordedCode(recording, sandbox).transforms };
}

/** The source with a hash. If it is damaged, the result is empty, and names in the source are unknown. */
function sourcesIn(recording: Recording, sha256: string): string[] {
  try {
    return [recording.source(sha256)];
  } catch (error) {
    if (error instanceof RecordingError) return [];
    throw error;
  }
}
