// The graph of messages between actors, counted from the columns of the timeline, which have the sender of each task.
// Many actors are grouped by class.
import type { Focus } from './focus.ts';
import { groupBy } from './group-by.ts';
import { actorClassName, type TimelineActor } from './lanes.ts';
import type { Timeline } from './timeline.ts';

export interface SystemNode {
  readonly name: string;
  /** Indexes among all actors: of one actor, or of all actors of a class. */
  readonly actorIndexes: readonly number[];
  readonly turns: number;
}

export interface SystemEdge {
  /** Indexes among the nodes of the graph. */
  readonly from: number;
  readonly to: number;
  readonly messages: number;
  /** Number of tasks of `to` that handle an outcome sent by `from`. */
  readonly answers: number;
  /** Number of actors that `from` created at `to`. */
  readonly spawns: number;
}

export interface SystemGraph {
  readonly nodes: readonly SystemNode[];
  /** Edges in descending order of weight (`edgeWeight`). */
  readonly edges: readonly SystemEdge[];
  /** Whether there were too many actors for a node each. */
  readonly isGrouped: boolean;
}

/** Maximum number of nodes by default. */
const MAX_NODES = 36;
const OTHERS_NAME = 'all others';
/** Ids of the task kinds that handle the outcome of a call. */
const ANSWER_KINDS: ReadonlySet<string> = new Set(['fulfil', 'reject']);
const SPAWN_KIND = 'construct';

interface SystemGraphOptions {
  /** Maximum number of nodes in the graph. */
  readonly maxNodes?: number;
  /** The range of tasks that are counted; all tasks by default. */
  readonly focus?: Focus | undefined;
}

/** @param kinds ids of the task kinds, in the order of their indexes in the timeline */
export function buildSystemGraph(
  actors: readonly TimelineActor[],
  timeline: Timeline,
  kinds: readonly string[],
  { maxNodes = MAX_NODES, focus }: SystemGraphOptions = {},
): SystemGraph {
  const allNodes = actors.map(({ name, taskCount }, actor) => ({ name, actorIndexes: [actor], turns: taskCount }));
  const candidates = focus === undefined ? allNodes : nodesInFocus(allNodes, timeline, focus);
  const isGrouped = candidates.length > maxNodes;
  const nodes = isGrouped ? groupByClass(candidates, maxNodes) : candidates;
  const nodeOfActor = new Uint32Array(actors.length);
  nodes.forEach((node, index) => {
    for (const actor of node.actorIndexes) nodeOfActor[actor] = index;
  });
  const range = focus ?? { from: 1, to: timeline.taskCount };
  return { nodes, edges: countEdges(timeline, range, { nodeOfActor, nodeCount: nodes.length, kinds }), isGrouped };
}

/** Returns the nodes that ran tasks in a range, with the number of these tasks, and the senders of these tasks. */
function nodesInFocus(nodes: readonly SystemNode[], timeline: Timeline, { from, to }: Focus): SystemNode[] {
  const turns = new Uint32Array(nodes.length);
  const has = new Uint8Array(nodes.length);
  for (let order = from; order <= to; order++) {
    const actor = timeline.actor(order) ?? 0;
    turns[actor] = (turns[actor] ?? 0) + 1;
    has[actor] = 1;
    const sender = timeline.sender(order);
    if (sender !== undefined) has[timeline.actor(sender) ?? 0] = 1;
  }
  return nodes.flatMap((node, actor) => (has[actor] === 1 ? [{ ...node, turns: turns[actor] ?? 0 }] : []));
}

interface EdgeCountInput {
  /** The index of each actor's node. */
  readonly nodeOfActor: Uint32Array;
  readonly nodeCount: number;
  readonly kinds: readonly string[];
}

function countEdges(
  timeline: Timeline,
  { from: first, to: last }: Focus,
  { nodeOfActor, nodeCount, kinds }: EdgeCountInput,
): SystemEdge[] {
  const messages = new Map<number, number>();
  const answers = new Map<number, number>();
  const spawns = new Map<number, number>();
  const countsByKind = kinds.map((id) => (ANSWER_KINDS.has(id) ? answers : id === SPAWN_KIND ? spawns : messages));
  for (let order = first; order <= last; order++) {
    const sender = timeline.sender(order);
    if (sender === undefined) continue;
    const from = nodeOfActor[timeline.actor(sender) ?? 0] ?? 0;
    const to = nodeOfActor[timeline.actor(order) ?? 0] ?? 0;
    const key = from * nodeCount + to;
    const counts = countsByKind[timeline.kind(order)] ?? messages;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...new Set([...messages.keys(), ...answers.keys(), ...spawns.keys()])]
    .map((key) => ({
      from: Math.floor(key / nodeCount),
      to: key % nodeCount,
      messages: messages.get(key) ?? 0,
      answers: answers.get(key) ?? 0,
      spawns: spawns.get(key) ?? 0,
    }))
    .toSorted((one, other) => edgeWeight(other) - edgeWeight(one));
}

export function edgeWeight({ messages, answers, spawns }: SystemEdge): number {
  return messages + answers + spawns;
}

/** Groups actors by class. If there are still too many nodes, merges the classes with the fewest turns into one. */
function groupByClass(nodes: readonly SystemNode[], maxNodes: number): SystemNode[] {
  const classes = [...groupBy(nodes, ({ name }) => actorClassName(name))];
  const merged = classes.map(([name, members]) => mergeNodes(name, members));
  if (merged.length <= maxNodes) return merged.map(withActorCount);
  const kept = new Set(merged.toSorted((one, other) => other.turns - one.turns).slice(0, maxNodes - 1));
  const others = merged.filter((each) => !kept.has(each));
  return [...merged.filter((each) => kept.has(each)), mergeNodes(OTHERS_NAME, others)].map(withActorCount);
}

function mergeNodes(name: string, nodes: readonly SystemNode[]): SystemNode {
  return {
    name,
    actorIndexes: nodes.flatMap(({ actorIndexes: actors }) => actors),
    turns: nodes.reduce((sum, { turns }) => sum + turns, 0),
  };
}

function withActorCount(node: SystemNode): SystemNode {
  const { name, actorIndexes: actors } = node;
  return actors.length === 1 ? node : { ...node, name: `${name} (${actors.length.toLocaleString('en-US')})` };
}

/** Returns the next task after a task that handles a message between two nodes. @param from undefined for any sender */
export function nextMessageBetween(
  timeline: Timeline,
  from: SystemNode | undefined,
  to: SystemNode,
  after: number,
): number | undefined {
  const senders = from && new Set(from.actorIndexes);
  let nearest: number | undefined;
  for (const actor of to.actorIndexes) {
    const found = timeline.lane(actor).find((order) => {
      if (order <= after) return false;
      const sender = timeline.sender(order);
      return senders === undefined || (sender !== undefined && senders.has(timeline.actor(sender) ?? 0));
    });
    if (found !== undefined) nearest = Math.min(found, nearest ?? Infinity);
  }
  return nearest;
}
