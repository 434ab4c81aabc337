// Prepares a thread for snapshots: creates its program state, in which Turntable's own exports have names, and starts
// the app with the program if the settings or the replayed recording require it.
import { fileURLToPath } from 'node:url';
import type { Loader } from './loader.ts';
import { requireFacade } from '../facade.ts';
import type { ProgramState } from '@turntable/program-state';
import { removeRecording } from '@turntable/recording';
import { afterExitListeners } from '../recorder/process-end.ts';
import { readLastPart } from '../recorder/last-part-reader.ts';
import { PartFeed } from '../recorder/part-feed.ts';
import { Recorder } from '../recorder/recorder.ts';
import { startsWithProgram, createStartNotes } from '../recorder/recording-notes.ts';
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
    deps: { Recorder, PartFeed, readLastPart, createStartNotes },
  });
  const { manifest } = currentReplay()?.recording ?? {};
  const hasApp =
    manifest === undefined
      ? recordings !== false && (Object.keys(loader.options.snapshots).length > 0 || loader.options.later !== undefined)
      : startsWithProgram(manifest.notes);
  if (hasApp) loader.onStart(() => threadActors.startWithProgram());
  return programState;
}
