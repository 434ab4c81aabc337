// Entry point for readers of states. Runs no code of a program.
export { describeState, type StateDescription } from './describe-state.ts';
export { readInertState, type InertModule } from './inert-state.ts';
export { InertSources, type InertOptions } from './inert-sources.ts';
