// Entry point for every thread. Code that only threads with a tape need is loaded by `openTapedProgram`.
export { Devices, type DeviceHead, type PrivateMemberStore, type DeviceRoot } from './devices.ts';
export type { InputsState, TapedProgram } from './inputs/inputs.ts';
export { turntableVariables } from './inputs/machine-input.ts';
export { restoreRandomState, captureRandomState, type RandomState } from './inputs/random.ts';
export { openTapedProgram } from './inputs/taped-program.ts';
export { createLoaderRealm, type LoaderRealm } from './loader-realm.ts';
export type { DataSourceApi, SurrogateType } from './membrane/surrogates.ts';
export { isProgramFunction } from './membrane/program-functions.ts';
export { performCallback } from './membrane/export-proxies.ts';
export { observeOutput, withOutputObserver } from './membrane/standard-output.ts';
export { observeDevices } from './membrane/device-tracker.ts';
export { HostCallbackTracker } from './host-callback-tracker.ts';
export { setTimerRequested } from './timers/timer-functions.ts';
export { installTimersPromises } from './timers/timers-promises.ts';
export type { TimerKind, TimerState, Timers } from './timers/timers.ts';
