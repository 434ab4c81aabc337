export {
  CodeAdapters,
  codePorts,
  type CodeEntries,
  type CodePort,
  type CodeSelection,
  type Factories,
  type Made,
} from './code.ts';
export { Heap, type Capture } from './heap.ts';
export { HeapError, type HeapErrorCode } from './heap-error.ts';
export { KnownObjects, type KnownOptions } from './known.ts';
export { nodePorts, type NodeParts } from './node-ports.ts';
export { FORMAT_VERSION } from './tags.ts';
export { instantiatedFunctions, moduleAdapter, type ModulePort } from './modules.ts';
export type { ReadOptions } from './reader.ts';
export type { Adapter, HeapPorts, Parts, PrivateMembers, TypeChecks } from './ports.ts';
