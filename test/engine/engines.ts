// Engines in the process of a test: processes that they start run what all processes of tests do.
import './own-process.ts';
import { MACHINERY } from '../../scripts/tested.ts';
import type * as Machinery from './machinery.ts';

export type { EngineWanted } from '../../packages/replayer/src/replay-process/engine-of.ts';
export const { snapshotsOf, engineOf, engineOn, standbyFor, surveyOf } = (await import(MACHINERY)) as typeof Machinery;
