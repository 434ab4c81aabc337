// API for tools: replay drivers, which move to any position of a recording, and their run indexes.
export { createReplayDriver, createStandbyProcess } from './replay-process/replay-driver-factory.ts';
export { RunIndexError, buildRunIndex, type IndexedRun } from './replay/run-index-builder.ts';
