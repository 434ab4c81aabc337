// What a thread has before it is known with which snapshot it is to begin, since it is the same for all of them: the program's code in the form that restores, for whatever any of them asks of it, and
// Node's own modules that the program has.
import { prepareStates, type ProgramState } from '@turntable/program-state';
import type { Recording } from '@turntable/recording';
import type { ThreadReplay } from '../thread/threads-tape.ts';
import { textsOf } from '../restore/restorable.ts';
import { PART } from '../recorder/part-feed.ts';

export async function expectStates(
  state: ProgramState,
  { recording, order }: Pick<ThreadReplay, 'recording' | 'order'>,
  worker: number,
): Promise<void> {
  const { looksInto = 0 } = order.engine ?? {};
  if (looksInto === 0) return;
  try {
    const states = [...statesIn(recording, worker, looksInto)];
    state.goElsewhere(await prepareStates(states, { isRecorded: true, texts: () => textsOf(recording) }));
    await state.expect(states);
  } catch {
    // Whoever is told to begin with one of them says what is wrong with it.
  }
}

/** The last ones first: they have the most files. */
function* statesIn(recording: Recording, worker: number, most: number): Generator<Uint8Array> {
  const phases = recording.phases();
  const apart = Math.max(1, phases.length / most);
  let looked = Infinity;
  for (let left = phases.length; left > 0.5; left -= apart) {
    const upTo = phases[Math.ceil(left) - 1] as number;
    // It had not begun then, or was over since one that has been looked into.
    if (upTo >= looked) continue;
    const part = recording.lastPart(worker, PART, upTo);
    if (part === undefined) return;
    looked = part.phase;
    yield part.bytes;
  }
}
