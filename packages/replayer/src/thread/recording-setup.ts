// Prepares a thread for snapshots: creates its program state, in which Turntable's own exports have names, and starts
// the app with the program if the settings or the replayed recording require it, or later if the recording does.
import { fileURLToPath } from 'node:url';
import type { Loader } from './loader.ts';
import { requireFacade } from '../facade.ts';
import type { ProgramState } from '@turntable/program-state';
import { removeRecording } from '@turntable/recording';
import { afterExitListeners } from '../recorder/process-end.ts';
import { readLastPart } from '../recorder/last-part-reader.ts';
import { PartFeed } from '../recorder/part-feed.ts';
import { PauseGate, type SnapshotPause } from '../recorder/pause-gate.ts';
import { processCpuMs, processNow, usedHeapBytes } from '../recorder/process-usage.ts';
import { Recorder } from '../recorder/recorder.ts';
import { startsWithProgram, createStartNotes } from '../recorder/recording-notes.ts';
import { formatSize } from '../output/wording.ts';
import { threadActors } from './thread-actors.ts';
import { currentReplay, currentTracedRecording } from './current-tape.ts';

/** Must be called before the program is loaded. @param recordings directory of recordings; `false` for none */
export async function setUpRecording(loader: Loader, recordings: string | false): Promise<ProgramState> {
  // Must precede the registration of existing objects. A recording with traces does this itself.
  if (recordings !== false && loader.options.keep.failed === true && currentTracedRecording() === undefined)
    afterExitListeners(({ exitCode }) => {
      const { directory } = threadActors.existingRecorder ?? {};
      if (exitCode === 0 && directory !== undefined) removeRecording(directory);
    });
  const programState = await loader.programState();
  const facade = requireFacade();
  const { exports, app } = await facade.load();
  loader.program.ownModules.addLoaded(fileURLToPath(facade.index), exports);
  programState.nameExports('turntable', exports);
  programState.nameExports('turntable.app', app);
  threadActors.setRecording({
    programState,
    recordingsDirectory: recordings,
    pauseGate: new PauseGate({
      now: processNow,
      cpuMs: processCpuMs,
      heapBytes: usedHeapBytes,
      onLongPause: warnOfPause,
    }),
    deps: { Recorder, PartFeed, readLastPart, createStartNotes },
  });
  const { manifest } = currentReplay()?.recording ?? {};
  const hasApp =
    manifest === undefined
      ? recordings !== false && (Object.keys(loader.options.snapshots).length > 0 || loader.options.later !== undefined)
      : startsWithProgram(manifest.notes);
  if (hasApp) loader.onStart(() => threadActors.startWithProgram());
  else
    currentTracedRecording()?.onSnapshotNeeded(() => {
      // Only a snapshot lets the recording continue, and only an app takes one.
      threadActors.startForSnapshot();
      threadActors.existingRecorder?.renew();
    });
  return programState;
}

function warnOfPause({ longestMs, bytes }: SnapshotPause): void {
  process.emitWarning(
    `a snapshot paused the program for ${longestMs.toFixed(0)} ms to write ${formatSize(bytes)} of state; snapshots at an interval become rarer, so that they take at most 1 % of the time; for shorter pauses, divide the state among several actors; for fewer, use a longer interval (--snapshots every=5m)`,
    { code: 'TT_LONG_PAUSE' },
  );
}
