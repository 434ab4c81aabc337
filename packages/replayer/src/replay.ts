// API for tools: replays and restores recordings, and reads their traces.
export { ProgressLine } from './output/progress.ts';
export { hungThreadsText } from './replay/hung-threads-text.ts';
export { replaySandbox, SandboxError, type TrustOptions } from './sandbox/replay-sandbox.ts';
export { isolation, type Isolation } from './sandbox/sandbox.ts';
export { openRecordedCode, type RecordedCode } from './transform-service/recorded-code.ts';
export { TemporaryDirectory, recordingPathProblem, withRecording } from './paths/recording-directory.ts';
export { turntableCachePath } from './paths/cache-path.ts';
export { openRecentRecordings } from './paths/recent-recordings.ts';
export { isDirectory, isReported, recordingsNewestFirst, resolveRecording } from './paths/recording-lookup.ts';
export {
  copyRunningRecording,
  runningRecordingOf,
  runningServiceOf,
  type RunningRecordingCopy,
} from './paths/running-recording.ts';
export { STATE_PART } from './recorder/part-feed.ts';
export { findChangedPackages } from './replay/changed-packages.ts';
export { type ReplayOutcome, startFailureText } from './replay/replay-outcome.ts';
export { describeRecordedEvent } from './replay/recorded-event.ts';
export type { ReplayCode, ReplayRequest } from './replay/replay-request.ts';
export { defaultStartPhase, findReplayObstacles, resolveTracedRecording } from './replay/replay-obstacles.ts';
export { findChangedFiles, createReplayReport, formatReplayReport } from './replay/replay-report.ts';
export { exitCodeOf, readRecordingCondition, UNREADABLE_EXIT_CODE, VERDICT_EXIT_CODES } from './replay/verdict.ts';
export { learnSecrets } from './replay/learn-secrets.ts';
export { CONSOLE_MODES, runReplay, type ReplayRun } from './replay/replay-run.ts';
export { taskLines } from './replay/task-lines.ts';
export { createNameMatcher, readTurnNotes, type TurnNote, type TurnNotesOptions } from './replay/turn-notes.ts';
export { UNTIL_USAGE, parseReplayLimit } from './replay/replay-limit.ts';
export { restoreVariables, type RestoreRequest } from './restore/restore-request.ts';
export {
  SHUTDOWN_TIMEOUT_MS,
  requireImagePaths,
  flushOutput,
  resumeFile,
  withoutEvalFlags,
} from './restore/process-image.ts';
export { findRestorable } from './restore/restorable-snapshot.ts';
export { openSnapshot } from './restore/snapshot-opener.ts';
export { chromeTrace } from './trace/chrome-trace.ts';
export { workerName } from './trace/event-line.ts';
export { inspectTrace, type TraceQuery } from './trace/inspect-trace.ts';
export { timelineJson } from './trace/timeline-json.ts';
export { timeline, type ThreadEnd, type TimedEvent } from './trace/timeline.ts';
