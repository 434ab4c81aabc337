// Prepares a standby thread before its snapshot is assigned. It compiles the code that sampled snapshots need for a
// restore, and loads the modules of Node that the program uses.
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
    // A damaged snapshot is reported when it is assigned.
  }
}

/** Sample of at most `count` states of a worker, latest first, because later states have more files. */
function* sampleStates(recording: Recording, worker: number, count: number): Generator<Uint8Array> {
  const phases = recording.phases();
  const interval = Math.max(1, phases.length / count);
  let lastPhase = Infinity;
  for (let remaining = phases.length; remaining > 0.5; remaining -= interval) {
    const phase = phases[Math.ceil(remaining) - 1] as number;
    // An idle worker has no part in some phases; the part of an earlier phase is already in the sample.
    if (phase >= lastPhase) continue;
    const part = recording.latestPart(worker, STATE_PART, phase);
    if (part === undefined) return;
    lastPhase = part.phase;
    yield part.bytes;
  }
}
