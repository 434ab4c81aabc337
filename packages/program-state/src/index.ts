// Capture and restore of one thread's program. Loads `@turntable/heap`: import it dynamically in threads whose program may not be captured.
export type { Elsewhere } from './elsewhere.ts';
export { prepareStates } from './prepare-states.ts';
export { ProgramState } from './program-state.ts';
export type { ProgramStateDeps } from './program-state-deps.ts';
