// Replay processes that a test starts by itself: they run the form of the packages that all processes of tests run.
import './own-process.ts';
import { MACHINERY, REPLAYER_ENGINE, REPLAYER_ENTRY } from '../../scripts/tested.ts';
import type * as Engine from '@turntable/replayer/engine';
import type * as Entry from '@turntable/replayer/entry';
import type { RecordedEngine, Survey } from '@turntable/time-machine';
import type { EngineWanted as EngineParts } from '../../packages/replayer/src/replay-process/engine-of.ts';
import type * as Machinery from './machinery.ts';

const { useFacade } = (await import(REPLAYER_ENTRY)) as typeof Entry;
const { facade, snapshotsOf } = (await import(MACHINERY)) as typeof Machinery;
useFacade(facade);

export { snapshotsOf };
export const { engineOn, standbyFor, surveyOf } = (await import(REPLAYER_ENGINE)) as typeof Engine;

export interface EngineWanted extends EngineParts {
  /** As of `SurveyWish`. */
  readonly spacing?: number | undefined;
}

/** An engine on the survey that is made, or kept, in debug mode. */
export async function engineOf(wanted: EngineWanted): Promise<{ engine: RecordedEngine; survey: Survey }> {
  const { directory, from: phase, spacing, cache } = wanted;
  const wish = { phase, isForced: false, isAnew: false, debug: true, spacing, cache };
  const { survey, states, stuck } = await surveyOf(directory, wish);
  return { engine: engineOn(survey, { states, stuck, ...wanted }), survey };
}
