// Replay processes that a test starts by itself: they run the form of the packages that all processes of tests run.
import './own-process.ts';
import { MACHINERY, REPLAYER_ENTRY, REPLAYER_REPLAY } from '../../scripts/tested.ts';
import type * as Entry from '@turntable/replayer/entry';
import type * as Replay from '@turntable/replayer/replay';
import type * as Machinery from './machinery.ts';

const { useFacade } = (await import(REPLAYER_ENTRY)) as typeof Entry;
const { facade, snapshotsOf } = (await import(MACHINERY)) as typeof Machinery;
useFacade(facade);

export type { EngineWanted } from '../../packages/replayer/src/replay-process/engine-of.ts';
export { snapshotsOf };
export const { engineOf, engineOn, standbyFor, surveyOf } = (await import(REPLAYER_REPLAY)) as typeof Replay;
