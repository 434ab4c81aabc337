export type { TurntableConfig } from './settings/config-file.ts';
export { LoaderError, type LoaderErrorCode } from './errors.ts';
export { DeadDeviceError } from './state/dead-device-error.ts';
export { explanationText } from './sides/explain.ts';
export { examine, refusalIn } from './sides/examine.ts';
export type { DataSources, HandMade } from './membrane/hand-made.ts';
export { install, installedLoader, installLate, isInstalled, type Loader } from './install.ts';
export type { ProgramState } from './state/program-state.ts';
export { prepareStates } from './state/prepare-states.ts';
export type { Elsewhere, RecordedText } from './state/elsewhere.ts';
export { recordedText } from './state/recorded-texts.ts';
export type { Whereabouts } from './state/whereabouts.ts';
export type { Inputs, InputsState, Taped } from './inputs/inputs.ts';
export { ownVariables } from './inputs/machine.ts';
export { taped } from './inputs/taped.ts';
export { continueRandom, randomState, type RandomState } from './inputs/random.ts';
export { watchAskedTimers } from './timers/functions.ts';
export type { PrivateUse } from '@turntable/transform';
export { watchPrinted } from './membrane/standard-output.ts';
export { heldBy } from './modules/follow.ts';
export { watchDevices } from './membrane/watched-devices.ts';
export {
  AwaitedEventuals,
  Eventual,
  FULFILLED,
  hostClock,
  isReaction,
  PENDING,
  resolvedBy,
  UNINITIALISED,
  WriteNotes,
  type CallInterceptor,
  type Handover,
  type Realm,
  waitersOf,
  watchEventuals,
  isLater,
  type LastWrite,
  type WrittenAt,
  type StatementClock,
  type StatementPosition,
  type StatementWatch,
  type UndoLog,
  type Waiter,
} from '@turntable/core';
export { statementsOf, type StatementPlace, type StatementPlaces } from './stacks/statement-places.ts';
export { functionBehind } from './realm/stand-in.ts';
export { createLoaderRealm, type LoaderRealm, type RuntimeTransform } from './realm/loader-realm.ts';
export { bytesOf, millisecondsOf, type KeptLimits, type SnapshotTriggers } from './settings/recording-settings.ts';
export { loaderOptions, matches, type LoaderOptions } from './settings/options.ts';
export { closestName } from './settings/closest-name.ts';
export {
  barredExpression,
  debugTransform,
  plainExpression,
  runtimeTransform,
  runtimeTransformFor,
  transformer,
} from './code/transformer.ts';
export type { BuiltinExplanation, Explanation, PackageExplanation } from './sides/explain.ts';
export type { LoadCounts, Transformer } from './code/code.ts';
export { prebuild, prebuiltFileOf } from './code/prebuilt.ts';
export { MADE_BY_TOOL, type CodeKind } from './code/code.ts';
export { tellUncaught } from './stacks/fatal-exceptions.ts';
export { originalPlace, readSourceMap, type Place } from './stacks/source-maps.ts';
export { installedPackage } from './sides/package-scope.ts';
export { detectFormat, formatOf } from './code/format.ts';
