// Loads and transforms a program. `@turntable/replayer` composes these parts (thread/install.ts).
export { CodeCache } from './code/code-cache.ts';
export {
  CodeLoader,
  mergeRestoreOptions,
  readSource,
  type DescribedCode,
  type LoadCounts,
  type RunningCode,
} from './code/code-loader.ts';
export type { CodeKind, TransformService } from './code/transform-service.ts';
export type { Transformer } from './code/transformer-port.ts';
export { createTransformServer } from './code/transform-server.ts';
export { localTransformService } from './code/local-transform-service.ts';
export { createRemoteTransformService } from './code/remote-transform-service.ts';
export type { TransformRequest } from './code/transform-messages.ts';
export { detectFormat, formatOf, isTypeScript } from './node/file-format.ts';
export { prebuild } from './code/prebuild.ts';
export { prebuiltFileOf } from './code/prebuilt.ts';
export {
  codeHash,
  TOOL_OUTPUT,
  createRecordedSource,
  createRecordedSources,
  type SourceChanges,
  type RecordedSource,
  type RecordedSources,
} from './code/recorded-sources.ts';
export type { RuntimeCode, RuntimeSource, RuntimeTransform, RuntimeSelection } from './code/runtime-code.ts';
export {
  consoleInput,
  debugTransform,
  plainExpression,
  runtimeTransform,
  runtimeTransformFor,
  createTransformer,
  useTransformService,
  verdictCacheIn,
  transformer,
} from './code/transformer.ts';
export { LoaderError } from './errors.ts';
export { readSync, statSync, writeSync } from './files.ts';
export { isNodeShim, nodeShimUrl } from './node-shim-files.ts';
export { completeNatives, setOnHostPromise, installNodeShims, nodeShim } from './node-shims.ts';
export { ExportedClasses } from './modules/exported-classes.ts';
export { cellValue } from './modules/live-bindings.ts';
export { isHiddenGlobal } from './realm/hidden-globals.ts';
export { installHooks } from './modules/hooks.ts';
export { LentModules, lentExports, type LendModule } from './modules/lent-modules.ts';
export { entryFile, filesImportedFrom } from './modules/entry-imports.ts';
export { patchModuleBuiltin } from './modules/module-builtin.ts';
export {
  NATIVE_LOADER,
  nativeExports,
  requireNamespace,
  showBuiltinAsHandle,
  showBuiltinAs,
  isHandleBuiltin,
  type NativeLoader,
} from './modules/native-modules.ts';
export type { EsmProgramHost } from './modules/esm-program-host.ts';
export type { LoadEvents } from './modules/load-events.ts';
export type { StaysNative } from './modules/module-verdicts.ts';
export { originOf, type RecordOrigin } from './code/record-origin.ts';
export { createProgramModules, type ProgramModules } from './modules/program-modules.ts';
export { requireOwner, type RequireOwner } from './modules/require-function.ts';
export { NodeModules } from './node/resolution.ts';
export { Shells, type RequestKind } from './modules/shells.ts';
export { isToolPackage, ownDirectories, ownPackages } from './own-packages.ts';
export { inspectEntriesSafely } from './realm/engine-view.ts';
export { isToolRunning, runAsTool, setToolRunning } from './realm/tool-code.ts';
export { installFunctionSources, type SourceAndTable } from './realm/function-sources.ts';
export { saveNativeClock, withNativeClock } from './realm/native-clock.ts';
export { createNodeHost, processLifetime, nodeQueueState } from './realm/node-host.ts';
export { captureTick, warningEmitter } from './realm/captured-tick.ts';
export {
  nativeFunctionOf,
  replaceFunction,
  replaceFunctions,
  wrapFunction,
  wrapGetter,
} from './realm/replaced-functions.ts';
export { isInspectingContext, inspectContext } from './realm/context-inspection.ts';
export { ignoreConfigFile, type TurntableConfig } from './settings/config-file.ts';
export {
  loaderOptions,
  matches,
  packageCache,
  renamedVariableWarning,
  type LoaderOptions,
} from './settings/options.ts';
export {
  bytesOf,
  DEFAULT_RETENTION,
  millisecondsOf,
  UNLIMITED,
  type RetentionLimits,
  type SnapshotTriggers,
} from './settings/recording-settings.ts';
export { DURABILITY_EXPECTED, isDurability, type Durability } from './durability.ts';
export { builtinEntry, isHostBuiltin, isHostMember } from './classification/builtins.ts';
export { classifyProgram, transformErrorOf } from './classification/program-classification.ts';
export {
  createClassificationReport,
  classificationText,
  type ClassificationReport,
} from './classification/classification-report.ts';
export { devicesOf } from './classification/declared-devices.ts';
export { installedPackage, packageScope } from './node/package-scope.ts';
export { ReachableFiles } from './classification/reachable-files.ts';
export { ModuleClassifier } from './classification/module-classifier.ts';
export { DeadDeviceError } from './realm/dead-device-error.ts';
export { callerLocation } from './stacks/caller-location.ts';
export { callerFiles } from './stacks/callers.ts';
export { exceptionLine, noteRethrown } from './stacks/exception-line.ts';
export { fatalErrorText, installFatalExceptions, reportUncaught } from './stacks/fatal-exceptions.ts';
export { createFunctionLocator } from './stacks/function-locations.ts';
export { mapToOriginal, readSourceMap, type MappedLocation } from './source-maps/source-maps.ts';
export { describeProbes, probeLocationsOf, type ProbeLocation, type Probes } from './stacks/probe-locations.ts';
export type { AssignmentObstacle } from './stacks/scope-variables.ts';
export { boxContent, createSuspendedVariables, type SuspendedVariables } from './stacks/suspended-variables.ts';
export { installUnsettledAwaitReport } from './stacks/unsettled-await.ts';
export { installSourceStacks } from './stacks/source-stacks.ts';
