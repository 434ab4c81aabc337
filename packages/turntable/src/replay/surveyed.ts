// The survey of a recording: it is run again once, as fast as it goes and without a word, each of its threads notes its stretches, and here they are read. What its program prints is not
// seen, and states are not compared: whether it is the same is told by `turntable replay`.
import type { Recording } from '@turntable/recording';
import { Survey } from '@turntable/replay';
import { Room } from '../commands/packed-place.ts';
import { verdictOf, type Divergence, type Verdict } from './outcome.ts';
import { runAgain } from './run-again.ts';
import { isWhole } from './report.ts';

export interface Surveyed {
  readonly survey: Survey;
  /** Whether it goes to the end of the recording. */
  readonly verdict: Verdict;
  /** Where it stops, if something differed there. */
  readonly divergence: (Divergence & { readonly worker: number }) | undefined;
}

/** Why there is none. */
export class NoSurvey extends Error {}

/** @param from the snapshot that it begins with */
export async function surveyOf(
  recording: Recording,
  { directory, from }: { readonly directory: string; readonly from: number | undefined },
): Promise<Surveyed> {
  using room = new Room();
  const order = { recording: directory, code: 'recorded', from, survey: { directory: room.directory } } as const;
  const { outcome, unbegun, stderr, how } = await runAgain(recording, order, { console: 'mute', json: true });
  if (unbegun !== undefined) throw new NoSurvey(`snapshot ${from} cannot be put back here: ${unbegun}`);
  if (outcome === undefined)
    throw new NoSurvey(`the process ended (${how}) before anything could be said\n${stderr}`.trimEnd());
  const differing = outcome.workers.find(({ divergence }) => divergence !== undefined);
  return {
    survey: Survey.read(room.directory),
    verdict: verdictOf(outcome, isWhole(recording.manifest, from ?? null)),
    divergence: differing?.divergence && { ...differing.divergence, worker: differing.worker },
  };
}
