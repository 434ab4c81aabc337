// For tools: engines, which go to any place of a recording, and the run indexes that they go by.
export { createReplayDriver, createStandbyProcess } from './replay-process/replay-driver-factory.ts';
export { RunIndexError, buildRunIndex, type IndexedRun } from './replay/run-index-builder.ts';
