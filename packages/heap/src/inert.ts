// Entry point for code that reads states without running anything; program threads do not load it.
export { readInert, type InertHeap, type InertRoot } from './inert/inert-reader.ts';
export type { ClassSource, CodeSources, FunctionSource } from './inert/inert-adapters.ts';
export { ObjectGraph, type Holder } from './inert/object-graph.ts';
export { ObjectSizes } from './inert/object-sizes.ts';
export {
  Accessor,
  BuiltIn,
  classOfPrototype,
  Eventual as InertEventual,
  Frame as InertFrame,
  isHeldWeakly,
  extraKeysOf,
  createStandIn,
  ProgramFunction,
  weakKindOf,
} from './inert/stand-ins.ts';
