// A thread whose program is kept: what it changes is told from what was there before its first line, what it holds of Turntable's is known by name.
import { fileURLToPath } from 'node:url';
import type { Loader } from './loader.ts';
import { theFacade } from '../facade.ts';
import type { ProgramState } from '@turntable/program-state';
import { removeRecording } from '@turntable/recording';
import { behindExit } from '../recorder/behind-exit.ts';
import { lastPart } from '../recorder/last-part.ts';
import { PartFeed } from '../recorder/part-feed.ts';
import { Recorder } from '../recorder/recorder.ts';
import { isStartedWithProgram, startNotes } from '../recorder/recording-notes.ts';
import { threadActors } from './thread-actors.ts';
import { replayingHere, tracedHere } from './threads-tape.ts';

/** Before the program is loaded. `recordings`: where snapshots go, `false` if nowhere. */
export async function recordHere(loader: Loader, recordings: string | false): Promise<ProgramState> {
  // Before it is known what there was before the program. One with traces sees to it itself.
  if (recordings !== false && loader.options.keep.failed === true && tracedHere() === undefined)
    behindExit(({ exitCode }) => {
      const { directory } = threadActors.recorderSoFar ?? {};
      if (exitCode === 0 && directory !== undefined) removeRecording(directory);
    });
  const state = await loader.state();
  const facade = theFacade();
  const { exports, app } = await facade.load();
  loader.program.own.meet(fileURLToPath(facade.index), exports);
  state.name('turntable', exports);
  state.name('turntable.app', app);
  threadActors.record({ room: state, recordings, deps: { Recorder, PartFeed, lastPart, startNotes } });
  const { manifest } = replayingHere()?.recording ?? {};
  const hasApp =
    manifest === undefined
      ? recordings !== false && (Object.keys(loader.options.snapshots).length > 0 || loader.options.later !== undefined)
      : isStartedWithProgram(manifest.notes);
  if (hasApp) loader.onBegin(() => threadActors.beginWithProgram());
  return state;
}
