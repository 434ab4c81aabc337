export { CodeAdapters, codePorts, type CodePort, type CodeSelection, type Factories, type Made } from './code.ts';
export { Heap, type Capture, type CaptureOptions } from './heap.ts';
export { HeapError, type HeapErrorCode } from './heap-error.ts';
export { KnownObjects, type Differences, type KnownOptions } from './known.ts';
export { nodePorts, type NodeParts } from './node-ports.ts';
export { FORMAT_VERSION } from './tags.ts';
export { instantiatedFunctions, moduleAdapter, type ModulePort } from './modules.ts';
export type { ReadOptions } from './reader.ts';
export type { GiveBytes } from './sink.ts';
export type { Pieces, PiecesOptions, PlacedTimer, RestoredPieces, StateRoom } from './state-room.ts';
export type { Adapter, HeapPorts, Parts, PrivateMembers, TypeChecks } from './ports.ts';
export type { CodeEntries } from './code-entries.ts';
export { readInert, type InertHeap, type InertRoot } from './inert/inert-reader.ts';
export type { ClassText, CodeTexts, FunctionText } from './inert/inert-adapters.ts';
export { ObjectGraph, type Holder } from './inert/object-graph.ts';
export { ObjectSizes } from './inert/object-sizes.ts';
export {
  Accessor,
  BoundFunction,
  BuiltIn,
  builtInPrototype,
  classOfPrototype,
  Eventual as InertEventual,
  Frame as InertFrame,
  objectOf,
  ProgramClass,
  ProgramFunction,
  ProxyStandIn,
  weakKindOf,
} from './inert/stand-ins.ts';
export type { ReadingAdapter } from './reader.ts';
