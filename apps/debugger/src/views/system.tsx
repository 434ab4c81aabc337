// The graph of messages between actors, in the whole recording or in the focus, with details of the selected node.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { NODE_HEIGHT, layoutSystem, NODE_WIDTH, type SystemLayout } from '../model/system-layout.ts';
import {
  edgeWeight,
  nextMessageBetween,
  buildSystemGraph,
  type SystemNode,
  type SystemGraph,
  type SystemEdge,
} from '../model/system-graph.ts';
import { Tabs } from './tabs.tsx';
import { formatNumber } from './timeline/ticks.ts';
import { useSelector } from './use-selector.ts';

/** Maximum number of edges whose message counts are shown without a selection. */
const MAX_LABELLED_EDGES = 14;
/** Maximum number of characters of a node's name. */
const MAX_NAME_LENGTH = 20;

export function SystemView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const timeline = useSelector(session, (state) => state.timeline);
  const actors = useSelector(session, (state) => state.actors);
  const kinds = useSelector(session, (state) => state.hello?.taskKinds);
  const focus = useSelector(session, (state) => state.focus);
  const [selected, setSelected] = useState<number>();
  const graph = useMemo(
    () =>
      timeline?.isComplete !== true
        ? undefined
        : buildSystemGraph(actors, timeline, kinds?.map(({ id }) => id) ?? [], { focus }),
    [timeline, actors, kinds, focus],
  );
  // The nodes of another focus have other indexes.
  useEffect(() => setSelected(undefined), [focus]);
  const layout = useMemo(() => graph && layoutSystem(graph), [graph]);
  return (
    <section class="pane system" aria-label="Messages">
      <header class="pane-head">
        <Tabs session={session} pane="middle" />
        <span class="quiet">
          {graph === undefined
            ? ''
            : `${focus === undefined ? 'all tasks' : `tasks ${formatNumber(focus.from)} to ${formatNumber(focus.to)}`}; dashed: replies and spawns${graph.isGrouped ? '; by class' : ''}`}
        </span>
      </header>
      {graph === undefined || layout === undefined ? (
        <p class="empty" role="status">
          Loading the timeline…
        </p>
      ) : graph.nodes.length === 0 ? (
        <p class="empty">No tasks in {focus === undefined ? 'this recording' : 'the selected range'}.</p>
      ) : (
        <div class="system-in">
          <div class="scrolled">
            <Graph session={session} graph={graph} layout={layout} selected={selected} onSelect={setSelected} />
          </div>
          {selected === undefined ? (
            <p class="empty">Choose an actor to see its messages.</p>
          ) : (
            <NodeDetails session={session} graph={graph} selected={selected} onSelect={setSelected} />
          )}
        </div>
      )}
    </section>
  );
}

interface GraphProps {
  readonly session: DebuggerSession;
  readonly graph: SystemGraph;
  readonly layout: SystemLayout;
  readonly selected: number | undefined;
  readonly onSelect: (index: number | undefined) => void;
}

function Graph({ session, graph, layout, selected, onSelect }: GraphProps): JSX.Element {
  const currentActor = useSelector(session, (state) =>
    state.cursor?.task === undefined ? undefined : state.timeline?.actor(state.cursor.order),
  );
  const svgRef = useRef<SVGSVGElement>(null);
  useEffect(() => {
    // The details of a node take space from the graph, so the node may have to be scrolled into view again.
    svgRef.current?.querySelector('.is-selected[role]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [selected]);
  const { nodes, edges } = graph;
  const { width, height, nodePoints, edges: edgePaths } = layout;
  const touchesSelected = ({ from, to }: SystemEdge): boolean => from === selected || to === selected;
  const isLinked = (index: number): boolean =>
    index === selected || edges.some((each) => touchesSelected(each) && (each.from === index || each.to === index));
  return (
    <svg
      class="graph"
      ref={svgRef}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="group"
      aria-label="Message graph"
    >
      <defs>
        <marker
          id="arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path class="arrow" d="M0 0 L8 4 L0 8 z" />
        </marker>
      </defs>
      {edges.map((each, i) => (
        <EdgeLine
          key={`${each.from} ${each.to}`}
          edge={each}
          nodes={nodes}
          line={edgePaths[i]}
          emphasis={selected === undefined ? 'plain' : touchesSelected(each) ? 'selected' : 'dim'}
          hasLabel={selected === undefined ? i < MAX_LABELLED_EDGES : touchesSelected(each)}
        />
      ))}
      {nodes.map(({ name, turns, actorIndexes: actors }, index) => {
        const { x, y } = nodePoints[index] ?? { x: 0, y: 0 };
        const isDim = selected !== undefined && !isLinked(index);
        const className = `party${index === selected ? ' is-selected' : ''}${isDim ? ' is-dim' : ''}${currentActor !== undefined && actors.includes(currentActor) ? ' is-current' : ''}`;
        return (
          <g
            key={index}
            class={className}
            role="button"
            // SVG attributes are case-sensitive: it must be `tabindex`, not `tabIndex`.
            tabindex={0}
            aria-pressed={index === selected}
            transform={`translate(${x} ${y})`}
            onClick={() => onSelect(index === selected ? undefined : index)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              event.stopPropagation();
              onSelect(index === selected ? undefined : index);
            }}
          >
            {name.length > MAX_NAME_LENGTH && <title>{`${name} ${turnsText(turns)}`}</title>}
            <rect width={NODE_WIDTH} height={NODE_HEIGHT} rx="6" />
            <text class="party-name" x="12" y="17">
              {name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name}
            </text>
            <text class="party-more" x="12" y="32">
              {turnsText(turns)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

interface EdgeLineProps {
  readonly edge: SystemEdge;
  readonly nodes: readonly SystemNode[];
  readonly line: SystemLayout['edges'][number] | undefined;
  readonly emphasis: 'plain' | 'selected' | 'dim';
  readonly hasLabel: boolean;
}

function EdgeLine({ edge, nodes, line, emphasis, hasLabel }: EdgeLineProps): JSX.Element | null {
  if (line === undefined) return null;
  const { from, to, messages } = edge;
  const count = edgeWeight(edge);
  return (
    <g class={`traffic is-${emphasis}${messages === 0 ? ' is-answers' : ''}`}>
      <title>{`${nodes[from]?.name ?? ''} → ${nodes[to]?.name ?? ''}: ${edgeText(edge)}`}</title>
      <path d={line.path} stroke-width={1 + Math.log2(count) / 3} marker-end="url(#arrow)" />
      {hasLabel && (
        <text x={line.label.x} y={line.label.y - 3}>
          {formatNumber(count)}
        </text>
      )}
    </g>
  );
}

function turnsText(turns: number): string {
  return turns === 1 ? '1 task' : `${formatNumber(turns)} tasks`;
}

function edgeText({ messages, answers, spawns }: SystemEdge): string {
  const parts = [
    ...(messages === 0 ? [] : [messages === 1 ? '1 message' : `${formatNumber(messages)} messages`]),
    ...(spawns === 0 ? [] : [`${formatNumber(spawns)} spawned`]),
    ...(answers === 0 ? [] : [answers === 1 ? '1 reply' : `${formatNumber(answers)} replies`]),
  ];
  return parts.join(', ');
}

interface NodeDetailsProps {
  readonly session: DebuggerSession;
  readonly graph: SystemGraph;
  readonly selected: number;
  readonly onSelect: (index: number | undefined) => void;
}

/** The edges of the selected node, with buttons that move to the next message of each. */
function NodeDetails({ session, graph: { nodes, edges }, selected, onSelect }: NodeDetailsProps): JSX.Element | null {
  const node = nodes[selected];
  if (node === undefined) return null;
  const [only] = node.actorIndexes;
  const goTo = (from: SystemNode | undefined, to: SystemNode): void => {
    const { timeline, cursor } = session.state;
    const next = timeline && nextMessageBetween(timeline, from, to, cursor?.order ?? 0);
    const target = next ?? (timeline && nextMessageBetween(timeline, from, to, 0));
    if (target !== undefined) void session.moveTo(target);
  };
  const edgeList = (
    title: string,
    sideEdges: readonly SystemEdge[],
    otherEnd: (each: SystemEdge) => number,
  ): JSX.Element => (
    <div>
      <h3>{title}</h3>
      <ul>
        {sideEdges.map((each) => {
          const [from, to] = [nodes[each.from], nodes[each.to]];
          const name = nodes[otherEnd(each)]?.name ?? '';
          return (
            <li key={otherEnd(each)}>
              <button type="button" class="link" onClick={() => onSelect(otherEnd(each))}>
                {name}
              </button>
              <button
                type="button"
                class="plain quiet"
                title="Go to the next message; after the last, to the first"
                onClick={() => to !== undefined && goTo(from, to)}
              >
                {edgeText(each)} ▸
              </button>
            </li>
          );
        })}
        {sideEdges.length === 0 && <li class="quiet">none</li>}
      </ul>
    </div>
  );
  return (
    <div class="node-details">
      <p>
        <strong>{node.name}</strong>{' '}
        <button
          type="button"
          class="plain"
          title="Go to its next task; after the last, to the first"
          onClick={() => goTo(undefined, node)}
        >
          Next task ▸
        </button>
        {node.actorIndexes.length === 1 && only !== undefined && (
          <button
            type="button"
            class="plain"
            title="Show its state here"
            onClick={() => {
              const actor = session.state.actors[only];
              if (actor === undefined) return;
              session.showPanes({ top: 'state' });
              void session.actorState.select({ worker: actor.worker, name: actor.name });
            }}
          >
            State
          </button>
        )}
      </p>
      {edgeList(
        'Receives from',
        edges.filter(({ to }) => to === selected),
        ({ from }) => from,
      )}
      {edgeList(
        'Sends to',
        edges.filter(({ from }) => from === selected),
        ({ to }) => to,
      )}
    </div>
  );
}
