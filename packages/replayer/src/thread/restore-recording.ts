// Restores a snapshot of a recording in a process that has not loaded a program.
import { installedLoader } from './loader.ts';
import type { ProgramState } from '@turntable/program-state';
import { FIRST_EPOCH, type ProcessEpoch } from '../restore/in-place-restore.ts';
import { readStartOptions } from '../recorder/recording-notes.ts';
import { setUpRecording } from './recording-setup.ts';
import { findRestorable, type RestoreOptions } from '../restore/restorable-snapshot.ts';
import type { StartOptions } from './main-thread.ts';
import { threadActors } from './thread-actors.ts';

/**
 * Resolves when the state is restored, with a function that resumes the program.
 * @param preparedState program state of this thread, if it exists already
 */
export async function restoreRecording(
  directory: string,
  options: RestoreOptions = {},
  { epoch, rollbacks }: Pick<ProcessEpoch, 'epoch' | 'rollbacks'> = FIRST_EPOCH,
  preparedState?: ProgramState,
): Promise<() => Promise<void>> {
  const { snapshot: snapshotTaken, manifest, parts, relocation, warnings } = await findRestorable(directory, options);
  if (warnings.length > 0)
    process.emitWarning(`${warnings.join('; ')}: formatting and sorting may differ`, { code: 'TT_RESTORED_ELSEWHERE' });
  const loader = installedLoader();
  const programState = preparedState ?? (await setUpRecording(loader, loader.options.recordings));
  programState.relocate(relocation);
  const { recording, phase } = snapshotTaken;
  const { code, root } = options;
  const processEpoch = { epoch, rollbacks, code, root, restoredFrom: { recording, phase, manifest } };
  const app = threadActors.restore(processEpoch, relocation, readStartOptions(manifest.notes) as StartOptions);
  const resumeProgram = await app.restore({ phase, parts }, snapshotTaken);
  return () => {
    threadActors.inPlaceRestore.markStarted();
    return resumeProgram();
  };
}
