export { CORE_SYMBOL } from './single-copy.ts';
export { LAZY_GLOBALS, HOST_GLOBALS } from './host-global-names.ts';
export { abortTargetOf, watchAbortListeners } from './abort-listeners.ts';
export { ABI_VERSION } from './abi.ts';
export { rethrownError } from './rethrown-error.ts';
export { Cell, init } from './cell.ts';
export { isObject } from './intrinsics.ts';
export { CoreError, type CoreErrorCode } from './core-error.ts';
export { Eventual, FULFILLED, PENDING, REJECTED } from './eventual.ts';
export { GeneratorState } from './generator.ts';
export {
  AwaitedEventuals,
  eventualResolvedBy,
  eventualSettledBy,
  resultOf,
  waitersOf,
  type EventualWaiter,
} from './awaited-eventuals.ts';
export { isReactionKind, isRejectionKind, watchEventuals } from './eventual-watcher.ts';
export type { JobBoundary } from './jobs.ts';
export { Frame, ROOT_CONTEXT, ROOT_HOME, type Context, type HomeActor, type StepFunction } from './frame.ts';
export type {
  EntryQueue,
  EntryChaining,
  PerformEntry,
  StepCounter,
  Tape,
  TapePlayer,
  TapeRecorder,
  TapeValue,
} from './tape.ts';
export { observeFrames } from './frame-observer.ts';
export type { FrameObserver } from './undo/journal.ts';
export { hostClock } from './host-clock.ts';
export { createRealm, type ContextRunner, type Realm } from './realm.ts';
export type { ContextData, ContextView, EngineView, DynamicFunctionKind, Host } from './host.ts';
export type { CallSite, OriginalLocation } from './call-site.ts';
export type { StackMapping, StepLocation } from './stack.ts';
export type { AwaitingFrame } from './async-parents.ts';
export { NOT_KEPT, UNINITIALISED } from './probe.ts';
export { createHiddenField, type HiddenField } from './hidden-field.ts';
export { SafeMap, SafeSet, SafeWeakMap } from './safe-collections.ts';
export {
  checkMethods,
  createHandlers,
  interceptMethods,
  type CallInterceptor,
  type CallModes,
  type CallHandler,
  type Handover,
  type PublicMethod,
} from './undo/call-interceptor.ts';
export { isMutator, type Mutators } from './undo/mutators.ts';
export { UndoLog } from './undo/undo-log.ts';
export { LastWriteIndex, type LastWrite } from './undo/last-write-index.ts';
export { isLater, type WritePosition } from './undo/part-writes.ts';
export { type CallListener, StatementClock, type StatementPosition, type StatementWatch } from './statement-clock.ts';
export { internals, type CoreKind, type CoreState, type Queues } from './internals.ts';
export type { EngineState } from './engine-objects.ts';

export { codedError } from './modules/errors.ts';
export { ModuleGraph } from './modules/graph.ts';
export { LiveCell } from './modules/live-cell.ts';
export { ModuleRecord, type ModuleFactory, type ModuleHost, type ModuleStatus } from './modules/record.ts';
export {
  bindingsOf,
  exportedNames,
  coreNamespaceOf,
  NamespaceCell,
  namespaceOf,
  resolveExport,
} from './modules/export-resolution.ts';
export { evaluate, evaluateForHost, evaluateNow, hasAsyncGraph, setExport } from './modules/evaluate.ts';
export { link, loadRequested } from './modules/link.ts';
export { moduleRealmOf } from './modules/module-realm.ts';
export {
  exportCommonJs,
  loadExports,
  requireFile,
  type CommonJsHost,
  type CommonJsModule,
  type CommonJsSource,
} from './modules/commonjs.ts';
export { NO_ATTRIBUTES, type ImportAttributes, type ModuleRequest, type ModuleTable } from './modules/module-table.ts';
export {
  connectModules,
  contentName,
  uninitialisedVariables,
  needsEvaluation,
  readContents,
  readSkeleton,
  writeContents,
  type ModuleSkeleton,
} from './modules/module-state.ts';
export type { ModuleRealm } from './modules/ports.ts';
