export { App } from './app.ts';
export type { AppOptions, Arrangement } from './app-options.ts';
export {
  destinationOf,
  type AwaitedAnswer,
  type AwaitedAnswers,
  type Destination,
} from './messaging/answer/awaited-answers.ts';
export { beginThread, type BegunThread } from './begun-thread.ts';
export type { AppStats, SnapshotPlace, ThreadData } from './control.ts';
export type { SendOptions } from './messaging/answer/deadline.ts';
export { interceptTape, type MailWatch } from './interception.ts';
export { FarRef as FarReference } from './references/far-ref.ts';
export type { Placement } from './actors/placement.ts';
export { ActorLostError, RuntimeError, type RuntimeErrorCode } from './runtime-error.ts';
export { own } from './own-listener.ts';
export type { Succession } from './replaying.ts';
export { Scheduler } from './scheduler/scheduler.ts';
export type { StateRoom } from '@turntable/heap';
export { serve, type LastPart } from './serve.ts';
export type { Part, Snapshot, StoredPart } from './snapshot/collector.ts';
export type { PartSink } from './snapshot/snapshots.ts';
export { ThreadHost, type ProgramHost } from './thread-host.ts';
export { calledName, type Called } from './channels.ts';
export type { Onlooker } from './onlooker.ts';
export { FollowingTape, type Halt } from './trace/following-tape.ts';
export type { Exchange, Origin, Origins } from './trace/origins.ts';
export { RecordingTape } from './trace/recording-tape.ts';
export type {
  ActorClass,
  actorMark,
  Arguments,
  Asking,
  FarRef,
  IsFar,
  MakeFar,
  Near,
  Send,
  SendWith,
  Spawn,
  SpawnOptions,
  SpawnWith,
  Target,
  Tell,
  Telling,
} from './types.ts';
