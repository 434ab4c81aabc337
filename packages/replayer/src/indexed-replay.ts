// For tools: replay drivers, which move to any position of a recording, and the run indexes that they use.
export { createReplayDriver, createStandbyProcess } from './replay-process/replay-driver-factory.ts';
export { RunIndexError, buildRunIndex, type IndexedRun } from './replay/run-index-builder.ts';
