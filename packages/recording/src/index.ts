export { servicePlaces } from './control/places.ts';
export { Feed, type FeedHandle, type SnapshotKey } from './feed.ts';
export type { Json, JsonObject } from './json.ts';
export {
  describeProcess,
  type Manifest,
  type ManifestPatch,
  type ModuleEntry,
  type Origin,
  type ProcessDescription,
  type Versions,
} from './manifest.ts';
export { openRecording, type Damage, type Recording, type SnapshotEntry, type TraceEntry } from './recording.ts';
export { snapshotPath } from './layout.ts';
export { RecordingError, type RecordingErrorCode } from './recording-error.ts';
export type { Written } from './recording-writer.ts';
export { KEY_VARIABLE, takeKey } from './sealed/key.ts';
export { listRecordings, removeRecording, type RecordingEntry } from './recordings.ts';
export type { Retention } from './retention.ts';
export type { SnapshotPart, SnapshotReader } from './snapshot-reader.ts';
export { startWriter, type LiveRecording, type Wishes, type Writer, type WriterOptions } from './writer.ts';
export type { TraceHandle } from './trace/chunk-supply.ts';
export type {
  EntryEvent,
  HappenedEvent,
  MessagesEvent,
  OutcomeEvent,
  TraceEvent,
  TraceSink,
  TraceSource,
  TraceValue,
} from './trace/events.ts';
export { BARE_CUT, SOURCES, sourceName, type SourceName } from './trace-sources.ts';
export type { TraceReader } from './trace/reader.ts';
export { traceSink } from './trace/later-trace.ts';
export { TraceWriter } from './trace/trace-writer.ts';
