// Replay drivers for tests. They use the form of the packages that all test processes run.
import './own-process.ts';
import { MACHINERY, INDEXED_REPLAY, REPLAYER_ENTRY } from '../../scripts/tested-form.ts';
import type * as Engine from '@turntable/replayer/indexed-replay';
import type * as Entry from '@turntable/replayer/entry';
import type { ReplayDriver, RunIndex } from '@turntable/time-machine';
import type { CreateReplayDriverOptions } from '../../packages/replayer/src/replay-process/replay-driver-factory.ts';
import type * as Machinery from './machinery.ts';

const { setFacade } = (await import(REPLAYER_ENTRY)) as typeof Entry;
const { facade, snapshotsOf } = (await import(MACHINERY)) as typeof Machinery;
setFacade(facade);

export { snapshotsOf };
export const { createReplayDriver, createStandbyProcess, buildRunIndex } = (await import(
  INDEXED_REPLAY
)) as typeof Engine;

export interface ReplayDriverOptions extends CreateReplayDriverOptions {
  /** As in `RunIndexOptions`. */
  readonly spacing?: number | undefined;
}

/** A replay driver on the run index that is built, or cached, in debug mode. */
export async function openReplayDriver(
  options: ReplayDriverOptions,
): Promise<{ driver: ReplayDriver; runIndex: RunIndex }> {
  const { directory, from: phase, spacing, sandbox } = options;
  const indexOptions = { phase, isForced: false, isFresh: false, debug: true, spacing, sandbox };
  const { runIndex, checkpoints, hungThreads } = await buildRunIndex(directory, indexOptions);
  return { driver: createReplayDriver(runIndex, { checkpoints, hungThreads, ...options }), runIndex };
}
