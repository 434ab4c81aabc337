// Entry point for naming host objects in states. Only `@turntable/program-state` loads it.
export { activePrototype, programListenerOf } from './inputs/node-channels.ts';
export { HANDLE_KIND } from './membrane/encoding.ts';
export type { HandleRegistry, HandleRecord, HostReferences, MembraneState } from './membrane/membrane-state.ts';
export { BOUND_PREFIX } from './membrane/handle.ts';
export { StaticObjects } from './membrane/static-objects.ts';
export { loadedBuiltins } from './membrane/loaded-builtins.ts';
export { ERROR_BASES, codedClassOf, codedPrototype, hidingPrototype, nodeAbortError } from './membrane/node-errors.ts';
export type { ErrorBaseClass } from './membrane/node-errors.ts';
