// For readers of states: no code of a program runs here.
export { describeState, type StateDescription } from './describe-state.ts';
export { readInertState, type InertModule } from './inert-state.ts';
export { InertSources } from './inert-sources.ts';
