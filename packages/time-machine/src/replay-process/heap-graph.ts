// The objects of a paused thread and what refers to them.

export const HEAP_NODE_TYPES = ['object', 'string', 'closure', 'regexp'] as const;
export const HEAP_REFERENCE_TYPES = ['property', 'element', 'internal', 'context'] as const;
export type HeapNodeType = (typeof HEAP_NODE_TYPES)[number];
export type HeapReferenceType = (typeof HEAP_REFERENCE_TYPES)[number];

/** Objects and texts, and how they are reached. The first nodes are roots: files, actors, frames of the stack. */
export interface HeapGraph {
  readonly rootCount: number;
  readonly nodes: readonly (readonly [type: HeapNodeType, name: string, bytes: number, referenceCount: number])[];
  /** The references of all nodes, in the order of the nodes. */
  readonly references: readonly (readonly [type: HeapReferenceType, name: string | number, node: number])[];
}
