// A thread whose program is kept: what it changes is told from what was there before its first line, what it holds of Turntable's is known by name.
import type { Loader, ProgramState } from '@turntable/loader';
import { appDoor } from './app-door.ts';
import { keepHere } from './this-thread.ts';

/** Before the program is loaded. `recordings`: where snapshots go, `false` if nowhere. */
export async function recordHere(loader: Loader, recordings: string | false): Promise<ProgramState> {
  const state = await loader.state();
  state.name('turntable', await import('./index.ts'));
  state.name('turntable.app', appDoor);
  keepHere(state, recordings);
  return state;
}
