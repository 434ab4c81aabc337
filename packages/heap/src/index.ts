export { CodeAdapters, codePorts, type CodePort, type CodeSelection, type Factories, type Made } from './code.ts';
export { Heap, type Capture, type CaptureOptions } from './heap.ts';
export { HeapError, type HeapErrorCode } from './heap-error.ts';
export { KnownObjects, type Differences, type KnownOptions } from './known.ts';
export { nodePorts, type NodeParts } from './node-ports.ts';
export { FORMAT_VERSION } from './tags.ts';
export { instantiatedFunctions, moduleAdapter, type ModulePort } from './modules.ts';
export type { ReadOptions } from './reader.ts';
export type { GiveBytes } from './sink.ts';
export type {
  HeldBy,
  Pieces,
  PiecesOptions,
  PlacedTimer,
  RestoredParts,
  RestoredPieces,
  StateRoom,
} from './state-room.ts';
export type { Adapter, HeapPorts, Parts, PrivateMembers, TypeChecks } from './ports.ts';
export type { CodeEntries } from './code-entries.ts';
export type { ReadingAdapter } from './ports.ts';
