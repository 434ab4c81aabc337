// Immediate dominators of a graph (T. Lengauer, R. E. Tarjan: A Fast Algorithm for Finding Dominators in a Flowgraph,
// TOPLAS 1(1), 1979, the simple version). A node's immediate dominator is the last other node on all paths from the
// root to it; a node retains the nodes that it dominates. O(edges × log nodes) at worst, where the simpler iteration of
// Cooper, Harvey and Kennedy is quadratic for a long list whose elements share an object.

/** The edges of node `n` are `targets[offsets[n]]` up to but not `targets[offsets[n + 1]]`; node 0 is the root. */
export interface GraphEdges {
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

export interface DominatorTree {
  /** Immediate dominator of each node; the node itself for the root and unreachable nodes. */
  readonly immediateDominators: Uint32Array;
  /** Reachable nodes, each after its dominator. */
  readonly depthFirstOrder: Uint32Array;
}

export function dominatorTree({ offsets, targets }: GraphEdges): DominatorTree {
  const nodeCount = offsets.length - 1;
  // From here on, nodes have depth-first numbers. `vertex` maps these to the original ones.
  const { vertex, parent, number } = depthFirst({ offsets, targets }, nodeCount);
  const count = vertex.length;
  const predecessorEdges = predecessors({ offsets, targets }, vertex, number);
  const semi = Uint32Array.from({ length: count }, (_, i) => i);
  const ancestor = new Int32Array(count).fill(-1);
  const label = semi.slice();
  const dominator = new Uint32Array(count);
  // Buckets as linked lists: the first member of each, and the next one of each member.
  const first = new Int32Array(count).fill(-1);
  const next = new Int32Array(count).fill(-1);
  const stack: number[] = [];

  function evaluate(node: number): number {
    if (ancestor[node] === -1) return node;
    // Compresses the path from the top down.
    for (
      let visitEdges = node;
      ancestor[ancestor[visitEdges] as number] !== -1;
      visitEdges = ancestor[visitEdges] as number
    )
      stack.push(visitEdges);
    while (stack.length > 0) {
      const visitEdges = stack.pop() as number;
      const ancestorNode = ancestor[visitEdges] as number;
      if ((semi[label[ancestorNode] as number] as number) < (semi[label[visitEdges] as number] as number))
        label[visitEdges] = label[ancestorNode] as number;
      ancestor[visitEdges] = ancestor[ancestorNode] as number;
    }
    return label[node] as number;
  }

  for (let w = count - 1; w > 0; w--) {
    for (let i = predecessorEdges.offsets[w] as number; i < (predecessorEdges.offsets[w + 1] as number); i++) {
      const u = evaluate(predecessorEdges.targets[i] as number);
      if ((semi[u] as number) < (semi[w] as number)) semi[w] = semi[u] as number;
    }
    const bucket = semi[w] as number;
    next[w] = first[bucket] as number;
    first[bucket] = w;
    const parentNode = parent[w] as number;
    ancestor[w] = parentNode;
    for (let v = first[parentNode] as number; v !== -1; v = next[v] as number) {
      const u = evaluate(v);
      dominator[v] = (semi[u] as number) < (semi[v] as number) ? u : parentNode;
    }
    first[parentNode] = -1;
  }
  for (let w = 1; w < count; w++)
    if (dominator[w] !== semi[w]) dominator[w] = dominator[dominator[w] as number] as number;

  const immediateDominators = Uint32Array.from({ length: nodeCount }, (_, i) => i);
  for (let w = 1; w < count; w++) immediateDominators[vertex[w] as number] = vertex[dominator[w] as number] as number;
  return { immediateDominators, depthFirstOrder: vertex };
}

interface DepthFirstNumbering {
  /** Nodes in depth-first order. */
  readonly vertex: Uint32Array;
  /** Parents in the depth-first tree, by depth-first number. */
  readonly parent: Uint32Array;
  /** Depth-first numbers by node; -1 if unreachable. */
  readonly number: Int32Array;
}

function depthFirst({ offsets, targets }: GraphEdges, nodeCount: number): DepthFirstNumbering {
  const number = new Int32Array(nodeCount).fill(-1);
  const vertex = new Uint32Array(nodeCount);
  const parent = new Uint32Array(nodeCount);
  const nextEdge = offsets.slice();
  const stack: number[] = [0];
  number[0] = 0;
  let count = 1;
  while (stack.length > 0) {
    const node = stack[stack.length - 1] as number;
    const edge = nextEdge[node] as number;
    if (edge === offsets[node + 1]) {
      stack.pop();
      continue;
    }
    nextEdge[node] = edge + 1;
    const target = targets[edge] as number;
    if (number[target] !== -1) continue;
    parent[count] = number[node] as number;
    vertex[count] = target;
    number[target] = count++;
    stack.push(target);
  }
  return { vertex: vertex.subarray(0, count), parent, number };
}

/** Returns the reversed edges, by depth-first number. */
function predecessors({ offsets, targets }: GraphEdges, vertex: Uint32Array, number: Int32Array): GraphEdges {
  const targetOffsets = new Uint32Array(vertex.length + 1);
  const visitEdges = (visit: (from: number, to: number) => void): void => {
    for (let from = 0; from < vertex.length; from++) {
      const node = vertex[from] as number;
      for (let i = offsets[node] as number; i < (offsets[node + 1] as number); i++)
        visit(from, number[targets[i] as number] as number);
    }
  };
  visitEdges((_, to) => void (targetOffsets[to + 1] = (targetOffsets[to + 1] as number) + 1));
  for (let i = 0; i < vertex.length; i++)
    targetOffsets[i + 1] = (targetOffsets[i + 1] as number) + (targetOffsets[i] as number);
  const sources = new Uint32Array(targetOffsets[vertex.length] as number);
  const nextSlot = targetOffsets.slice();
  visitEdges((from, to) => {
    sources[nextSlot[to] as number] = from;
    nextSlot[to] = (nextSlot[to] as number) + 1;
  });
  return { offsets: targetOffsets, targets: sources };
}
