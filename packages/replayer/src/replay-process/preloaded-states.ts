// What a thread has before it is known with which snapshot it is to begin, since it is the same for all of them: the program's code in the form that restores, for whatever any of them asks of it, and
// Node's own modules that the program has.
import { prepareRelocation, type ProgramState } from '@turntable/program-state';
import type { Recording } from '@turntable/recording';
import type { ThreadReplay } from '../thread/current-tape.ts';
import { recordedModulesOf } from '../restore/restorable-snapshot.ts';
import { STATE_PART } from '../recorder/part-feed.ts';

export async function preloadStates(
  state: ProgramState,
  { recording, request }: Pick<ThreadReplay, 'recording' | 'request'>,
  worker: number,
): Promise<void> {
  const { preloadedSnapshots = 0 } = request.driver ?? {};
  if (preloadedSnapshots === 0) return;
  try {
    const states = [...sampleStates(recording, worker, preloadedSnapshots)];
    state.relocate(
      await prepareRelocation(states, { usesRecordedSources: true, sources: () => recordedModulesOf(recording) }),
    );
    await state.prepareFor(states);
  } catch {
    // Whoever is told to begin with one of them says what is wrong with it.
  }
}

/** The last ones first: they have the most files. */
function* sampleStates(recording: Recording, worker: number, count: number): Generator<Uint8Array> {
  const phases = recording.phases();
  const interval = Math.max(1, phases.length / count);
  let lastPhase = Infinity;
  for (let remaining = phases.length; remaining > 0.5; remaining -= interval) {
    const phase = phases[Math.ceil(remaining) - 1] as number;
    // It had not begun then, or was over since one that has been looked into.
    if (phase >= lastPhase) continue;
    const part = recording.latestPart(worker, STATE_PART, phase);
    if (part === undefined) return;
    lastPhase = part.phase;
    yield part.bytes;
  }
}
