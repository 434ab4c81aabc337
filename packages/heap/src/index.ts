export { CodeAdapters, codePorts, type CodeSelection, type Factories } from './code.ts';
export { Heap, type Capture } from './heap.ts';
export { HeapError, type HeapErrorCode } from './heap-error.ts';
export { KnownObjects, type Differences } from './known.ts';
export { nodePorts } from './node-ports.ts';
export { FORMAT_VERSION } from './tags.ts';
export { instantiatedFunctions, moduleAdapter } from './modules.ts';
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
export type { Adapter, HeapPorts, Parts } from './ports.ts';
export type { CodeEntries } from './code-entries.ts';
export type { ReadingAdapter } from './ports.ts';
