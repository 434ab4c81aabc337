export { CodeAdapters, codePorts, type CodeSelection, type CodeFactories } from './code-adapters.ts';
export { Heap, type Capture } from './heap.ts';
export { HeapError, type HeapErrorCode } from './heap-error.ts';
export { KnownObjects, type KnownObjectChanges } from './known-objects.ts';
export { createNodePorts } from './node-ports.ts';
export { FORMAT_VERSION } from './tags.ts';
export { factoriesOfInstantiated, createModuleAdapter } from './module-adapter.ts';
export type { BytesConsumer } from './byte-writer.ts';
export type {
  OwnedHostObject,
  IncrementalCapture,
  IncrementalCaptureOptions,
  OrderedTimer,
  RestoredResources,
  RestoredState,
  StateCapturer,
} from './state-capturer.ts';
export type { ObjectAdapter, HeapPorts, ObjectParts } from './ports.ts';
export type { CodeEntries } from './code-entries.ts';
export type { RestoringAdapter } from './ports.ts';
