// Immediate dominators of a graph (T. Lengauer, R. E. Tarjan: A Fast Algorithm for Finding Dominators in a Flowgraph, TOPLAS 1(1), 1979, the
// simple version): of all nodes that every way from the root to a node passes, the last one. What only that one holds is what it retains.
// O(edges × log nodes) at worst: the simpler iteration of Cooper, Harvey and Kennedy takes the square of a long list whose elements share something.

/** The edges of node `n` are `targets[offsets[n]]` up to but not `targets[offsets[n + 1]]`; node 0 is the root. */
export interface Edges {
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

export interface DominatorTree {
  /** For each node its immediate dominator; of the root, and of what cannot be reached, the node itself. */
  readonly above: Uint32Array;
  /** Nodes that can be reached, each behind its dominator. */
  readonly order: Uint32Array;
}

export function dominatorTree({ offsets, targets }: Edges): DominatorTree {
  const nodes = offsets.length - 1;
  // From here on nodes are numbered depth first, but for `vertex`, which says who is who.
  const { vertex, parent, number } = depthFirst({ offsets, targets }, nodes);
  const count = vertex.length;
  const before = predecessors({ offsets, targets }, vertex, number);
  const semi = Uint32Array.from({ length: count }, (_, i) => i);
  const ancestor = new Int32Array(count).fill(-1);
  const label = semi.slice();
  const dominator = new Uint32Array(count);
  // Buckets as lists: the first of each, and for each member the next.
  const first = new Int32Array(count).fill(-1);
  const next = new Int32Array(count).fill(-1);
  const stack: number[] = [];

  function evaluated(node: number): number {
    if (ancestor[node] === -1) return node;
    // Compresses the path, from the top down.
    for (let each = node; ancestor[ancestor[each] as number] !== -1; each = ancestor[each] as number) stack.push(each);
    while (stack.length > 0) {
      const each = stack.pop() as number;
      const above = ancestor[each] as number;
      if ((semi[label[above] as number] as number) < (semi[label[each] as number] as number))
        label[each] = label[above] as number;
      ancestor[each] = ancestor[above] as number;
    }
    return label[node] as number;
  }

  for (let w = count - 1; w > 0; w--) {
    for (let i = before.offsets[w] as number; i < (before.offsets[w + 1] as number); i++) {
      const u = evaluated(before.targets[i] as number);
      if ((semi[u] as number) < (semi[w] as number)) semi[w] = semi[u] as number;
    }
    const bucket = semi[w] as number;
    next[w] = first[bucket] as number;
    first[bucket] = w;
    const above = parent[w] as number;
    ancestor[w] = above;
    for (let v = first[above] as number; v !== -1; v = next[v] as number) {
      const u = evaluated(v);
      dominator[v] = (semi[u] as number) < (semi[v] as number) ? u : above;
    }
    first[above] = -1;
  }
  for (let w = 1; w < count; w++)
    if (dominator[w] !== semi[w]) dominator[w] = dominator[dominator[w] as number] as number;

  const result = Uint32Array.from({ length: nodes }, (_, i) => i);
  for (let w = 1; w < count; w++) result[vertex[w] as number] = vertex[dominator[w] as number] as number;
  return { above: result, order: vertex };
}

interface DepthFirst {
  /** Nodes in the order in which they are first met. */
  readonly vertex: Uint32Array;
  /** By that order, whence each was met. */
  readonly parent: Uint32Array;
  /** By nodes, their places in that order; -1 if they are not met. */
  readonly number: Int32Array;
}

function depthFirst({ offsets, targets }: Edges, nodes: number): DepthFirst {
  const number = new Int32Array(nodes).fill(-1);
  const vertex = new Uint32Array(nodes);
  const parent = new Uint32Array(nodes);
  const at = offsets.slice();
  const path: number[] = [0];
  number[0] = 0;
  let count = 1;
  while (path.length > 0) {
    const node = path[path.length - 1] as number;
    const edge = at[node] as number;
    if (edge === offsets[node + 1]) {
      path.pop();
      continue;
    }
    at[node] = edge + 1;
    const target = targets[edge] as number;
    if (number[target] !== -1) continue;
    parent[count] = number[node] as number;
    vertex[count] = target;
    number[target] = count++;
    path.push(target);
  }
  return { vertex: vertex.subarray(0, count), parent, number };
}

/** By depth-first numbers. */
function predecessors({ offsets, targets }: Edges, vertex: Uint32Array, number: Int32Array): Edges {
  const starts = new Uint32Array(vertex.length + 1);
  const each = (visit: (from: number, to: number) => void): void => {
    for (let from = 0; from < vertex.length; from++) {
      const node = vertex[from] as number;
      for (let i = offsets[node] as number; i < (offsets[node + 1] as number); i++)
        visit(from, number[targets[i] as number] as number);
    }
  };
  each((_, to) => void (starts[to + 1] = (starts[to + 1] as number) + 1));
  for (let i = 0; i < vertex.length; i++) starts[i + 1] = (starts[i + 1] as number) + (starts[i] as number);
  const sources = new Uint32Array(starts[vertex.length] as number);
  const at = starts.slice();
  each((from, to) => {
    sources[at[to] as number] = from;
    at[to] = (at[to] as number) + 1;
  });
  return { offsets: starts, targets: sources };
}
