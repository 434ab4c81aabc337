// The layout of the system graph: columns from left to right in the direction of messages. In a column, nodes are near
// their senders. A pure function of the graph.
import type { SystemGraph, SystemEdge } from './system-graph.ts';

export interface LayoutPoint {
  readonly x: number;
  readonly y: number;
}

export interface SystemLayout {
  readonly width: number;
  readonly height: number;
  /** The upper left corner of each node. */
  readonly nodePoints: readonly LayoutPoint[];
  /** The SVG path of each edge, and the point at which its number is shown. */
  readonly edges: readonly { readonly path: string; readonly label: LayoutPoint }[];
}

/** Size of a node in pixels. */
export const NODE_WIDTH = 152;
export const NODE_HEIGHT = 40;
const GAP_X = 96;
const GAP_Y = 20;
const MARGIN = 16;

export function layoutSystem({ nodes, edges }: SystemGraph): SystemLayout {
  const columns = nodeColumns(nodes.length, edges);
  const rows = Math.max(1, ...columns.map(({ length }) => length));
  const height = 2 * MARGIN + rows * (NODE_HEIGHT + GAP_Y) - GAP_Y;
  const nodePoints: LayoutPoint[] = nodes.map(() => ({ x: 0, y: 0 }));
  columns.forEach((members, column) => {
    const columnHeight = members.length * (NODE_HEIGHT + GAP_Y) - GAP_Y;
    members.forEach((node, row) => {
      nodePoints[node] = {
        x: MARGIN + column * (NODE_WIDTH + GAP_X),
        y: (height - columnHeight) / 2 + row * (NODE_HEIGHT + GAP_Y),
      };
    });
  });
  return {
    // Edges within the last column turn around to the right of it.
    width: 2 * MARGIN + Math.max(1, columns.length) * (NODE_WIDTH + GAP_X),
    height,
    nodePoints,
    edges: edges.map(({ from, to }) => edgeBetween(nodePoints[from], nodePoints[to])),
  };
}

/** Returns the columns of nodes by distance from the first senders. In a column, nodes are in their senders' order. */
function nodeColumns(count: number, edges: readonly SystemEdge[]): number[][] {
  const depths = nodeDepths(count, edges);
  const columns: number[][] = [];
  depths.forEach((depth, node) => (columns[depth] ??= []).push(node));
  for (const [column, members] of columns.entries()) {
    const previous = columns[column - 1];
    if (previous === undefined) continue;
    const nearTo = (node: number): number => {
      const rows = edges.flatMap(({ from, to }) =>
        to === node && previous.includes(from) ? [previous.indexOf(from)] : [],
      );
      return rows.length === 0 ? Infinity : rows.reduce((sum, row) => sum + row, 0) / rows.length;
    };
    const near = new Map(members.map((node) => [node, nearTo(node)]));
    members.sort((one, other) => (near.get(one) ?? 0) - (near.get(other) ?? 0) || one - other);
  }
  return columns;
}

function nodeDepths(count: number, edges: readonly SystemEdge[]): number[] {
  const depths = Array.from<number | undefined>({ length: count });
  const messageEdges = edges.filter(({ messages }) => messages > 0);
  const spawnEdges = edges.filter(({ spawns }) => spawns > 0);
  // Nodes are in the order of their first tasks, so a creator is placed before the nodes that it created.
  for (let node = 0; node < count; node++) {
    if (depths[node] !== undefined) continue;
    const creator = spawnEdges.find(({ from, to }) => to === node && from !== node && depths[from] !== undefined)?.from;
    const first = creator === undefined ? 0 : (depths[creator] ?? 0) + 1;
    depths[node] = first;
    for (let frontier = [node], depth = first + 1; frontier.length > 0; depth++) {
      const next = new Set(
        messageEdges.flatMap(({ from, to }) => (frontier.includes(from) && depths[to] === undefined ? [to] : [])),
      );
      for (const each of next) depths[each] = depth;
      frontier = [...next];
    }
  }
  return depths.map((depth) => depth ?? 0);
}

function edgeBetween(
  from: LayoutPoint = { x: 0, y: 0 },
  to: LayoutPoint = { x: 0, y: 0 },
): SystemLayout['edges'][number] {
  const [fromY, toY] = [from.y + NODE_HEIGHT / 2, to.y + NODE_HEIGHT / 2];
  if (from.x < to.x) {
    const [start, end] = [from.x + NODE_WIDTH, to.x];
    const reach = Math.max(GAP_X / 2, (end - start) / 2);
    return curve([start, fromY - 4], [start + reach, fromY - 4], [end - reach, toY - 4], [end, toY - 4]);
  }
  if (from.x > to.x) {
    const [start, end] = [from.x, to.x + NODE_WIDTH];
    const reach = Math.max(GAP_X / 2, (start - end) / 2);
    return curve([start, fromY + 6], [start - reach, fromY + 6], [end + reach, toY + 6], [end, toY + 6]);
  }
  // An edge within a column, or from a node to itself, turns around the right side.
  const right = from.x + NODE_WIDTH;
  const reach = GAP_X / 2 + Math.min(GAP_X / 3, Math.abs(fromY - toY) / 8);
  const [up, down] = from.y === to.y ? [-8, 8] : [0, 0];
  return curve([right, fromY + up], [right + reach, fromY + up], [right + reach, toY + down], [right, toY + down]);
}

type Point = readonly [x: number, y: number];

function curve(start: Point, control1: Point, control2: Point, end: Point): SystemLayout['edges'][number] {
  // The label is near the right node, where edges have diverged.
  const [t, u] = start[0] <= end[0] ? [0.75, 0.25] : [0.25, 0.75];
  const coordinate = (i: 0 | 1): number =>
    u ** 3 * start[i] + 3 * u * u * t * control1[i] + 3 * u * t * t * control2[i] + t ** 3 * end[i];
  return { path: `M${start} C${control1} ${control2} ${end}`, label: { x: coordinate(0), y: coordinate(1) } };
}
