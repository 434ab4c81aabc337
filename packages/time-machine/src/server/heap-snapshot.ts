// Heap snapshots in the format of V8, which Chrome DevTools loads, from the graphs of the threads of a program. The
// sizes are estimates, because a replay does not have the heap of the program.
import type { Redaction } from '@turntable/recording/redaction';
import type { Position } from '../position.ts';
import {
  HEAP_NODE_TYPES,
  HEAP_REFERENCE_TYPES,
  type HeapGraph,
  type HeapReferenceType,
} from '../replay-process/heap-graph.ts';

const NODE_FIELDS = ['type', 'name', 'id', 'self_size', 'edge_count', 'detachedness'] as const;
const EDGE_FIELDS = ['type', 'name_or_index', 'to_node'] as const;
/** V8's types by their numbers. The names of the client's filters depend on the order. */
const NODE_TYPES = [
  'hidden',
  'array',
  'string',
  'object',
  'code',
  'closure',
  'regexp',
  'number',
  'native',
  'synthetic',
  'concatenated string',
  'sliced string',
  'symbol',
  'bigint',
  'object shape',
];
const EDGE_TYPES = ['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak'];
const REDACTED = '[redacted]';

interface ThreadHeap {
  readonly worker: number;
  readonly graph: HeapGraph;
}

/** Pieces of the snapshot at one position. */
export class HeapSnapshots {
  readonly #redaction: Redaction | undefined;
  #position: Position | undefined;
  /** The snapshot at the position, while a client reads it. */
  #text: string | undefined;

  constructor(redaction: Redaction | undefined) {
    this.#redaction = redaction;
  }

  async piece(
    position: Position,
    { from, count }: { readonly from: number; readonly count: number },
    loadHeaps: () => Promise<readonly ThreadHeap[]>,
  ): Promise<{ readonly text: string; readonly total: number }> {
    // A client that begins again may have changed the program by an evaluation.
    const known = from > 0 && this.#position === position ? this.#text : undefined;
    const text = known ?? heapSnapshotOf(await loadHeaps(), this.#redaction);
    this.#position = position;
    // The text may be large.
    this.#text = from + count < text.length ? text : undefined;
    return { text: text.slice(from, from + count), total: text.length };
  }
}

function heapSnapshotOf(heaps: readonly ThreadHeap[], redaction: Redaction | undefined): string {
  const strings = new StringTable();
  const nodes: number[] = [];
  const edges: number[] = [];
  const addNode = (type: string, name: string, bytes: number, edgeCount: number): void => {
    // Ids of objects are odd, as in V8.
    const id = (nodes.length / NODE_FIELDS.length) * 2 + 1;
    nodes.push(NODE_TYPES.indexOf(type), strings.indexOf(name), id, bytes, edgeCount, 0);
  };
  const addEdge = (type: string, name: string | number, node: number): void => {
    const nameOrIndex = typeof name === 'number' ? name : strings.indexOf(name);
    edges.push(EDGE_TYPES.indexOf(type), nameOrIndex, node * NODE_FIELDS.length);
  };
  const rootCount = heaps.reduce((sum, { graph }) => sum + graph.rootCount, 0);
  addNode('synthetic', '', 0, rootCount);
  let firstNode = 1;
  let rootNumber = 0;
  for (const { graph } of heaps) {
    for (let i = 0; i < graph.rootCount; i++) addEdge('element', ++rootNumber, firstNode + i);
    firstNode += graph.nodes.length;
  }
  firstNode = 1;
  for (const { worker, graph } of heaps) {
    const secretTexts = redaction === undefined ? new Set<number>() : secretTextsOf(graph, redaction);
    graph.nodes.forEach(([type, name, bytes, referenceCount], i) => {
      const isRoot = i < graph.rootCount;
      const title = isRoot && worker > 0 ? `${name} (worker ${worker})` : name;
      const shown = secretTexts.has(i) ? REDACTED : type === 'string' ? (redaction?.redactText(name) ?? name) : title;
      addNode(HEAP_NODE_TYPES.includes(type) ? type : 'hidden', shown, bytes, referenceCount);
    });
    for (const [type, name, node] of graph.references)
      addEdge(
        HEAP_REFERENCE_TYPES.includes(type) ? type : 'hidden',
        redactKey(type, name, redaction),
        firstNode + node,
      );
    firstNode += graph.nodes.length;
  }
  const meta = {
    node_fields: NODE_FIELDS,
    node_types: [NODE_TYPES, 'string', 'number', 'number', 'number', 'number'],
    edge_fields: EDGE_FIELDS,
    edge_types: [EDGE_TYPES, 'string_or_number', 'node'],
    trace_function_info_fields: [],
    trace_node_fields: [],
    sample_fields: [],
    location_fields: ['object_index', 'script_id', 'line', 'column'],
  };
  return JSON.stringify({
    snapshot: {
      meta,
      node_count: nodes.length / NODE_FIELDS.length,
      edge_count: edges.length / EDGE_FIELDS.length,
      trace_function_count: 0,
    },
    nodes,
    edges,
    trace_function_infos: [],
    trace_tree: [],
    samples: [],
    locations: [],
    strings: strings.all,
  });
}

/** Texts that a property with the name of a secret refers to. */
function secretTextsOf({ references }: HeapGraph, redaction: Redaction): Set<number> {
  const found = new Set<number>();
  for (const [, name, node] of references)
    if (typeof name === 'string' && redaction.isSecretName(name.replace(/^"|"$/g, ''))) found.add(node);
  return found;
}

/** Entries of maps are named by their keys, which are data. */
function redactKey(type: HeapReferenceType, name: string | number, redaction: Redaction | undefined): string | number {
  return typeof name === 'string' && type === 'internal' ? (redaction?.redactText(name) ?? name) : name;
}

class StringTable {
  readonly all: string[] = [];
  readonly #indexes = new Map<string, number>();

  indexOf(text: string): number {
    let index = this.#indexes.get(text);
    if (index === undefined) {
      index = this.all.push(text) - 1;
      this.#indexes.set(text, index);
    }
    return index;
  }
}
