export { CORE_HERE } from './only-copy.ts';
export { LATE_GLOBALS, OUTER_GLOBALS } from './host-global-names.ts';
export { abortTargetOf, watchAbortListeners } from './abort-listeners.ts';
export { ABI_VERSION } from './abi.ts';
export { thrownAgain } from './thrown-again.ts';
export { Cell, init } from './cell.ts';
export { isObject } from './intrinsics.ts';
export { CoreError, type CoreErrorCode } from './core-error.ts';
export { Eventual, FULFILLED, PENDING, REJECTED } from './eventual.ts';
export { GeneratorState } from './generator.ts';
export { AwaitedEventuals, resolvedBy, waitersOf, type Waiter } from './awaited-eventuals.ts';
export { isReaction, watchEventuals } from './watched-eventuals.ts';
export type { Boundary } from './jobs.ts';
export { Frame, ROOT_CONTEXT, ROOT_HOME, type Context, type Home, type StepFunction } from './frame.ts';
export type { CalledFrom, Chaining, PerformEntry, Steps, Tape, TapePlayer, TapeRecorder, TapeValue } from './tape.ts';
export { hostClock } from './host-clock.ts';
export { createRealm, type ContextRunner, type Realm } from './realm.ts';
export type { ContextData, ContextView, EngineView, FunctionKind, Host } from './host.ts';
export type { CallSite, OriginalPlace } from './call-site.ts';
export type { StackMapping, StepPlace } from './stack.ts';
export type { AwaitingFrame } from './awaiting.ts';
export { UNINITIALISED } from './probe.ts';
export { createMarks, type Marks } from './marks.ts';
export { SafeMap, SafeSet, SafeWeakMap } from './safe-collections.ts';
export {
  checkMethods,
  handlersOf,
  interceptMethods,
  type CallInterceptor,
  type CallModes,
  type CallHandler,
  type Handover,
  type PublicMethod,
} from './undo/call-interceptor.ts';
export { isMutator, type Mutators } from './undo/mutators.ts';
export { UndoLog } from './undo/undo-log.ts';
export { WriteNotes, type LastWrite } from './undo/write-notes.ts';
export { isLater, type WrittenAt } from './undo/written-parts.ts';
export { StatementClock, type StatementPosition, type StatementWatch } from './statement-clock.ts';
export { internals, type CoreKind, type CoreState, type Queues } from './inspect.ts';
export type { EngineState } from './engine-objects.ts';

export { codedError } from './modules/errors.ts';
export { ModuleGraph } from './modules/graph.ts';
export { LiveCell } from './modules/live-cell.ts';
export { ModuleRecord, type ModuleFactory, type ModuleHost, type ModuleStatus } from './modules/record.ts';
export {
  bindingsOf,
  exportedNames,
  imitateNamespace,
  NamespaceCell,
  namespaceOf,
  resolveExport,
} from './modules/exported-names.ts';
export { evaluate, evaluateForHost, evaluateNow, hasAsyncGraph, setExport } from './modules/evaluate.ts';
export { link, loadRequested } from './modules/link.ts';
export { moduleRealmOf } from './modules/module-realm.ts';
export {
  exportCommonJs,
  fillFrom,
  requireFile,
  type CommonJsHost,
  type CommonJsModule,
  type CommonJsSource,
} from './modules/commonjs.ts';
export { NO_ATTRIBUTES, type ImportAttributes, type ModuleRequest, type ModuleTable } from './modules/table.ts';
export {
  connectModules,
  contentsName,
  deadVariables,
  isToBeEvaluated,
  readContents,
  readSkeleton,
  writeContents,
  type ModuleSkeleton,
} from './modules/state.ts';
export type { ModuleRealm } from './modules/ports.ts';
