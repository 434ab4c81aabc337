// Goes on from a snapshot of a recording, in a process in which no program has been loaded.
import { installedLoader } from './loader.ts';
import type { ProgramState } from '@turntable/program-state';
import { FIRST_LIFE, type Life } from '../restore/in-place.ts';
import { startIn } from '../recorder/recording-notes.ts';
import { recordHere } from './record-here.ts';
import { restorableIn, type RestoreOptions } from '../restore/restorable.ts';
import type { StartOptions } from './main-thread.ts';
import { threadActors } from './thread-actors.ts';

/** Answers when everything is as it was, how to go on. @param known of this thread, if that has been asked for */
export async function restoreRecording(
  directory: string,
  options: RestoreOptions = {},
  { epoch, rollbacks }: Pick<Life, 'epoch' | 'rollbacks'> = FIRST_LIFE,
  known?: ProgramState,
): Promise<() => Promise<void>> {
  const { taken, manifest, parts, elsewhere, warnings } = await restorableIn(directory, options);
  if (warnings.length > 0)
    process.emitWarning(`${warnings.join('; ')}: what the program formats and sorts may come out otherwise`, {
      code: 'TT_RESTORED_ELSEWHERE',
    });
  const loader = installedLoader();
  const state = known ?? (await recordHere(loader, loader.options.recordings));
  state.goElsewhere(elsewhere);
  const { recording, phase } = taken;
  const { code, root } = options;
  const life = { epoch, rollbacks, code, root, continues: { recording, phase, manifest } };
  const app = threadActors.restore(life, elsewhere, startIn(manifest.notes) as StartOptions);
  const goOn = await app.restore({ phase, parts }, taken);
  return () => {
    threadActors.inPlace.begins();
    return goOn();
  };
}
