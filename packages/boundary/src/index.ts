// The boundary of a thread's program, as far as every thread loads it. What only recorded or replayed threads load is behind `@turntable/boundary/membrane`.
export { Devices, type DeviceHead, type DeviceMembers, type DeviceRoot } from './devices.ts';
export type { InputsState, Taped } from './inputs/inputs.ts';
export { ownVariables } from './inputs/machine.ts';
export { continueRandom, randomState, type RandomState } from './inputs/random.ts';
export { taped } from './inputs/taped.ts';
export { createLoaderRealm, type LoaderRealm } from './loader-realm.ts';
export type { DataSources, HandMade } from './membrane/hand-made.ts';
export { isOfProgram } from './membrane/of-program.ts';
export { actUpon } from './membrane/outward.ts';
export { watchPrinted } from './membrane/standard-output.ts';
export { watchDevices } from './membrane/watched-devices.ts';
export { Outside } from './outside.ts';
export { watchAskedTimers } from './timers/functions.ts';
export { showTimersPromises } from './timers/promises.ts';
export type { TimerKind, TimerState, Timers } from './timers/timers.ts';
