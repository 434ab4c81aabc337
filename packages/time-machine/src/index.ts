export { STRETCH_KINDS, type MarkKind, type NotesEnd, type StretchKind } from './notes.ts';
export { argumentsFor, type GivenArguments } from './moves/arguments-of-moves.ts';
export type { Performer, SurveyIndex } from './survey/survey-index.ts';
export {
  landingOf,
  type Direction,
  type Landing,
  type Move,
  type MoveDescription,
  type Standing,
} from './moves/move.ts';
export { MOVES } from './moves/moves.ts';
export { comparePositions, positionOf, positionText, type Position } from './position.ts';
export { stretchTitle } from './survey/stretch-title.ts';
export { Survey, type Mark, type Stretch, type SurveyedThread } from './survey/survey.ts';
export { SurveyCache, surveyKey } from './survey/survey-cache.ts';
export {
  EngineError,
  OF_A_WORKER,
  type ActorHere,
  type ActorName,
  type BreakPlace,
  type Changes,
  type KindPlace,
  type LinePlace,
  type NotedHappening,
  type Engine,
  type Entries,
  type Entry,
  type Evaluated,
  type Frame,
  type Hit,
  type Mailbox,
  type NotedSend,
  type Page,
  type TextPiece,
  type Search,
  type SourcePlace,
  type StatementPlace,
  type Stop,
  type TracedStretch,
  type Value,
  type ValueKind,
  type WaitingMessage,
} from './replay-process/engine.ts';
export type { WaitingDigest, WorkerDigest } from './replay-process/digests.ts';
export type { Effects } from './replay-process/effects.ts';
export type { EngineProcess, ProcessWishes, Urgency } from './replay-process/coordinator-link.ts';
export type { Beginning } from './replay-process/pace.ts';
export type {
  Begun,
  FromCoordinator,
  Into,
  Limit,
  Noted,
  NotedHit,
  Question,
  Questions,
  ThreadHere,
  ThreadName,
  ThreadState,
  ToCoordinator,
} from './replay-process/messages.ts';
export type {
  AskedElsewhere,
  PendingHere,
  PendingPromise,
  Promises,
  PromisesHere,
  PromisesWanted,
  PromiseWaiter,
  WaitingPlace,
} from './replay-process/promises.ts';
export type { Change, StateOf, StatePart, StateParts, ValueWish } from './replay-process/state.ts';
export type { NotedWrite, WriteAsked, WriteWanted, Wrote } from './replay-process/wrote.ts';
export { RecordedEngine, type RecordedEngineParts } from './replay-process/recorded-engine.ts';
