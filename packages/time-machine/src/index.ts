export { STRETCH_KINDS, type MarkKind, type NotesEnd, type StretchKind } from './notes.ts';
export { argumentsFor, type GivenArguments } from './moves/arguments-of-moves.ts';
export { SurveyIndex, type Performer } from './survey/survey-index.ts';
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
export { EngineError } from './replay-process/engine-error.ts';
export type { Change, Changes, Engine, Hit, Mailbox, Search, Stop } from './replay-process/engine.ts';
export type { WaitingDigest, WorkerDigest } from './replay-process/digests.ts';
export type { ReplayProcess, Urgency } from './replay-process/coordinator-link.ts';
export type { Beginning } from './replay-process/pace.ts';
export type { PendingPromise, Promises } from './replay-process/promises.ts';
export type { Wrote } from './replay-process/wrote.ts';
export { RecordedEngine, type RecordedEngineParts } from './replay-process/recorded-engine.ts';
