export { ActorSystem } from './actor-system.ts';
export type { ActorSystemOptions, WorkerSettings } from './actor-system-options.ts';
export {
  destinationOf,
  type AwaitedAnswer,
  type AwaitedAnswers,
  type Destination,
} from './messaging/answer/awaited-answers.ts';
export { startThread, type StandbyThread } from './standby-thread.ts';
export type { AppStats, SnapshotLocation, ThreadData } from './control-messages.ts';
export type { SendOptions } from './messaging/answer/deadlines.ts';
export { interceptTape, type MailboxObserver } from './interception.ts';
export { FarReference } from './references/far-reference.ts';
export type { Placement } from './actors/actor-placement.ts';
export { ActorLostError, RuntimeError, type RuntimeErrorCode } from './runtime-error.ts';
export { checkOptionNames } from './option-names.ts';
export { markOwnListener } from './own-listener.ts';
export { restoredPhaseOf } from './recorded-start.ts';
export type { WorkerReplacement } from './replay-monitor.ts';
export { requestPerformers } from './scheduler/app-requests.ts';
export { Scheduler } from './scheduler/scheduler.ts';
export type { StateCapturer } from '@turntable/heap';
export { serve, type LastPartReader } from './serve.ts';
export type { WorkerPart, Snapshot, StoredSnapshotPart } from './snapshot/snapshot-collector.ts';
export type { PartSink } from './snapshot/worker-snapshots.ts';
export { ThreadHost, type ProgramHost } from './thread-host.ts';
export { turnSubjectName, type TurnSubject } from './channels.ts';
export type { TurnObserver } from './turn-observer.ts';
export { ReplayTape, type Halt, type OutputDifference, type ReplayedOutput } from './trace/replay-tape.ts';
export type { MessageCounts, MessageOrigin, MessageOrigins } from './trace/message-origins.ts';
export { RecordingTape } from './trace/recording-tape.ts';
export type {
  ActorClass,
  actorMark,
  PassableArguments,
  AsyncMethods,
  FarRef,
  IsFar,
  MakeFar,
  Near,
  Send,
  SendWith,
  Spawn,
  SpawnOptions,
  SpawnWith,
  SendTarget,
  Tell,
  TellMethods,
} from './types.ts';
