export { serviceDirectories } from './control/service-directories.ts';
export { Feed, type FeedHandle, type SnapshotKey } from './feed.ts';
export type { Json, JsonObject } from './json.ts';
export { describeProcess, type Manifest, type SnapshotOrigin, type ProcessDescription } from './manifest.ts';
export { openRecording, type Recording, type TraceEntry } from './recording.ts';
export { snapshotPath } from './file-names.ts';
export { NO_TRACES, RecordingError, type RecordingErrorCode } from './recording-error.ts';
export { KEY_VARIABLE, keyFile, readKey, shareKey } from './sealed/key.ts';
export { listRecordings, removeRecording, type RecordingEntry } from './recordings.ts';
export type { Retention } from './retention.ts';
export type { SnapshotReader } from './snapshot-reader.ts';
export { startWriter, type LiveRecording, type Writer, type WriterOptions } from './writer.ts';
export type { TraceHandle } from './trace/chunk-pool.ts';
export type {
  EntryEvent,
  SchedulerEvent,
  TraceEvent,
  FileTraceSink,
  TraceSink,
  TraceEnd,
  TraceSource,
  TraceValue,
} from './trace/trace-events.ts';
export { CUT_POINT_KIND, sourceRequestText, TRACE_SOURCES, traceSourceName } from './trace-sources.ts';
export type { TraceReader } from './trace/trace-reader.ts';
export { areSameOutput, OutputSums, STANDARD_ERROR, STANDARD_OUTPUT, type OutputSum } from './trace/output-sums.ts';
export { createTraceSink } from './trace/deferred-trace.ts';
export { TraceWriter } from './trace/trace-writer.ts';
