// Entry point for replay processes: the protocol through which the time machine controls them, and nothing else.
export type { ActorInfo, StatePart, StateParts } from './replay-process/actor-states.ts';
export { CHANNEL_DESCRIPTOR, encodeMessage, MessageDecoder } from './replay-process/channel-messages.ts';
export type { HeapGraph, HeapNodeType, HeapReferenceType } from './replay-process/heap-graph.ts';
export {
  type AwaitInfo,
  type CompletionName,
  type ValueEntries,
  type ValueEntry,
  type EvaluationResult,
  type FrameChoice,
  type ThreadStack,
  type StackFrame,
  type NamesQuery,
  OBJECT_IDS_PER_WORKER,
  type Page,
  type TextPiece,
  type Value,
  type ValueKind,
} from './replay-process/inspected-values.ts';
export type {
  BreakpointSpec,
  CheckpointLocation,
  EventBreakpointSpec,
  LineBreakpointSpec,
  ProcessOptions,
  StandbyAssignment,
  StartSnapshot,
  WatchedExpression,
  WatchpointOptions,
} from './replay-process/process-options.ts';
export {
  type FromCoordinator,
  MAX_UNDONE_TASKS,
  type ThreadHit,
  type ThreadRequestName,
  type ThreadRequests,
  type ThreadStatus,
  type ToCoordinator,
  TRACKING_MODES,
  type TrackingMode,
} from './replay-process/protocol.ts';
export type {
  NumberedTaskTrace,
  RunName,
  SourceLocation,
  StatementLocation,
  TracedEvent,
  TracedRun,
  TracedSend,
  TaskTrace,
} from './replay-process/task-trace.ts';
export type { ThreadName } from './replay-process/thread-name.ts';
export type {
  PromiseLocation,
  PromisesQuery,
  PromiseWaiter,
  RemoteCall,
  ThreadPromise,
  ThreadPromises,
} from './replay-process/thread-promises.ts';
export type { ThreadWriteResult, WriteRequest } from './replay-process/write-requests.ts';
export type { Effects } from './effects.ts';
export { packIntegers } from './replay-process/packed-integers.ts';
