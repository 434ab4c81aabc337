// Loads a program transformed. `@turntable/replayer` composes these steps (thread/install.ts).
export { CodeCache } from './code/code-cache.ts';
export { CodeLoader, both, readSource, type DescribedCode, type LoadCounts, type RunningCode } from './code/code.ts';
export type { CodeKind, Transformer } from './code/transformer-port.ts';
export { detectFormat, formatOf, isTypeScript } from './node/format.ts';
export { VerdictCache } from './code/verdict-cache.ts';
export { prebuild } from './code/prebuild.ts';
export { prebuiltFileOf } from './code/prebuilt.ts';
export {
  hashOfCode,
  MADE_BY_TOOL,
  recordedText,
  recordedTexts,
  type ChangedTexts,
  type RecordedText,
  type RecordedTexts,
} from './code/recorded-texts.ts';
export type { RuntimeCode, RuntimeText, RuntimeTransform, Selection } from './code/runtime-code.ts';
export {
  barredExpression,
  debugTransform,
  plainExpression,
  runtimeTransform,
  runtimeTransformFor,
  transformer,
} from './code/transformer.ts';
export { LoaderError } from './errors.ts';
export { statSync, writeSync } from './files.ts';
export { isNodeShim, nodeShimUrl } from './node-shim-files.ts';
export { completeNatives, followHostPromises, installNodeShims, nodeShim } from './node-shims.ts';
export { ExportedClasses } from './modules/exported-classes.ts';
export { heldBy } from './modules/follow.ts';
export { isHidden } from './realm/hidden.ts';
export { installHooks } from './modules/hooks.ts';
export { Lending, exportsLent, type LendAcross } from './modules/lending.ts';
export { entryFile, filesLoadedWith } from './modules/loaded-before.ts';
export { teachModule } from './modules/module-builtin.ts';
export {
  NATIVE_LOADER,
  nativeExports,
  requireNamespace,
  showAsOutside,
  showBuiltinAs,
  standsOutside,
  type NativeLoader,
} from './modules/native-modules.ts';
export type { EsmProgramHost } from './modules/esm-program-host.ts';
export type { LoadEvents } from './modules/load-events.ts';
export type { StaysNative } from './modules/module-verdicts.ts';
export { originOf, type Origin } from './code/origin.ts';
export { createProgramModules, type ProgramModules } from './modules/program-modules.ts';
export { requireOwner, type RequireOwner } from './modules/require-function.ts';
export { NodeModules } from './node/resolution.ts';
export { Shells, type RequestKind } from './modules/shells.ts';
export { isToolPackage, ownDirectories, ownPackages } from './own-packages.ts';
export { lookSafelyInto } from './realm/engine-view.ts';
export { becomeForeign, isForeign } from './realm/foreign-code.ts';
export { showSourceTexts, type SourceAndTable } from './realm/function-text.ts';
export { keepNativeClock, withNativeClock } from './realm/native-clock.ts';
export { createNodeHost, lifetime, standingIn } from './realm/node-host.ts';
export { notedTick, warningEmitter } from './realm/noted-ticks.ts';
export { functionBehind, standIn, standInAll, standInBy, standInGetter } from './realm/stand-in.ts';
export { isUnheard, unheard } from './realm/unheard.ts';
export type { TurntableConfig } from './settings/config-file.ts';
export { closestName } from './settings/closest-name.ts';
export { loaderOptions, matches, type LoaderOptions } from './settings/options.ts';
export { bytesOf, millisecondsOf, type KeptLimits, type SnapshotTriggers } from './settings/recording-settings.ts';
export { builtinEntry, isOutside, isOutsideMember } from './classification/builtins.ts';
export { examine, refusalIn } from './classification/examine.ts';
export { explain, explanationText, type Explanation } from './classification/explain.ts';
export { installedPackage, packageScope } from './node/package-scope.ts';
export { Reach } from './classification/reach.ts';
export { ModuleClassifier } from './classification/module-classifier.ts';
export { DeadDeviceError } from './realm/dead-device-error.ts';
export { exceptionLine, noteThrownAgain } from './stacks/exception-line.ts';
export { fatalText, installFatalExceptions, tellUncaught } from './stacks/fatal-exceptions.ts';
export { functionPlaces } from './stacks/function-places.ts';
export { originalPlace, readSourceMap, type Place } from './source-maps/source-maps.ts';
export { statementPlaces, statementsOf, type StatementPlace, type StatementPlaces } from './stacks/statement-places.ts';
export { reportUnsettledAwaits } from './stacks/unsettled-await.ts';
export { installWrittenStacks } from './stacks/written-stacks.ts';
