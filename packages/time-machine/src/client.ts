// Entry point for clients: the connection, and code that clients in Node and in browsers share.
export { awaitTitle, moreAwaitingText, otherWaitersText } from './client/await-title.ts';
export { Buckets } from './buckets.ts';
export { taskStartLocation, loadSenderFrames, type SourceRange } from './client/sender-frames.ts';
export { loadStatements, statementAt, type ListedStatement } from './client/listed-statements.ts';
export { Client, RequestError, type RequestOptions } from './client/client.ts';
export { logPointHits } from './client/log-point-hits.ts';
export { missingValueText } from './client/missing-value.ts';
export { displayPath } from './client/display-path.ts';
export { HandleTable } from './client/handle-table.ts';
export { loadActors, loadLiveActors, type LiveActor, type ActorSummary } from './client/actor-lists.ts';
export { OutputFollower } from './client/output-follower.ts';
export {
  splitRange,
  ValueBrowser,
  type EvaluatedExpression,
  type ValuePartsPage,
  type Range,
  type ExpandableValue,
  type PositionedExpression,
} from './client/value-browser.ts';
export { comparePositionKeys, parseLocation, positionKey } from './client/position-key.ts';
export { recordingEdgeText, moveTitle, MoveQueue, type QueuedMove, type MoveProgress } from './client/move-queue.ts';
export { COMMANDS } from './commands/command-table.ts';
export { COMMAND_SUBJECTS, type CommandSubject, type DebuggerCommand } from './commands/command.ts';
export { NAVIGATION_KINDS, type NavigationKind } from './commands/navigation-kinds.ts';
export { EXPANDED_COMMANDS, OTHER_DEBUGGERS, RETIRED_COMMANDS } from './commands/retired-commands.ts';
export { parseLocationSpec, type LocationSpec } from './stepping/location-spec.ts';
export { textMatcher } from './moves/pattern.ts';
export { EVENT_KIND_GROUPS } from './run-event-kinds.ts';
export type { Direction } from './moves/move.ts';
export { expressionOf, type EntryInfo } from './protocol/expression-of.ts';
export { webSocketWire } from './protocol/web-socket-wire.ts';
export { WireBuffer, type Wire } from './protocol/wire.ts';
