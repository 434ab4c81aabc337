// Captures and restores one thread's program. Loads `@turntable/heap`: import it dynamically in threads that may not be
// captured.
export type { RelocationPlan } from './relocation.ts';
export { prepareRelocation } from './relocation-plan.ts';
export { ProgramState } from './program-state.ts';
export type { ProgramStateDeps } from './program-state-deps.ts';
