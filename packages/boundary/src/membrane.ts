// Parts of the membrane that name objects in a state: loaded with `@turntable/program-state` only.
export { activePrototype, listenerBehind } from './inputs/node-channels.ts';
export { KIND } from './membrane/crossing.ts';
export type { Beyond, BeyondHandle, Held, MembraneState } from './membrane/membrane-state.ts';
export { BOUND } from './membrane/membrane.ts';
export { StaticObjects } from './membrane/statics.ts';
export { loadedBuiltins } from './membrane/loaded-builtins.ts';
export {
  BASES,
  codedClassOf,
  codedPrototype,
  hidingPrototype,
  nodeAbortError,
  type ErrorClass,
} from './membrane/node-errors.ts';
