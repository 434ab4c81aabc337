// The timeline with its controls, and the mouse and key handlers of its canvas: zoom, scroll, select, move.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JSX, TargetedMouseEvent } from 'preact';
import type { Focus } from '../../model/focus.ts';
import { laneRows, workerName, type LaneRow } from '../../model/lanes.ts';
import type { ScaleKind } from '../../model/scale.ts';
import type { DebuggerSession } from '../../model/debugger-session.ts';
import type { Timeline } from '../../model/timeline.ts';
import { useSelector } from '../use-selector.ts';
import { PlotState } from './plot-state.ts';
import { formatNumber, formatTime } from './ticks.ts';

interface HoveredTask {
  readonly order: number;
  readonly x: number;
  readonly y: number;
}

export function TimelineView({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const timeline = useSelector(session, (state) => state.timeline);
  const actors = useSelector(session, (state) => state.actors);
  const progress = useSelector(session, (state) => state.progress);
  const stage = useSelector(session, (state) => state.stage);
  const [filter, setFilter] = useState('');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => laneRows(actors, filter, open), [actors, filter, open]);
  const [scaleKind, setScaleKind] = useState<ScaleKind>('order');
  return (
    <section class="timeline" aria-label="Timeline" aria-busy={stage === 'loading'}>
      <div class="timeline-tools">
        <label class="field">
          <span class="visually-hidden">Filter actors by name</span>
          <input
            type="search"
            placeholder="Filter actors"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <div class="choice" role="group" aria-label="Scale">
          <button
            type="button"
            aria-pressed={scaleKind === 'order'}
            onClick={() => setScaleKind('order')}
            title="All tasks have the same width"
          >
            Tasks
          </button>
          <button
            type="button"
            aria-pressed={scaleKind === 'time'}
            onClick={() => setScaleKind('time')}
            title="Tasks are placed by their start time"
          >
            Time
          </button>
        </div>
        <FocusChip session={session} />
        {timeline !== undefined && !timeline.isComplete && (
          <span class="quiet" role="status">
            loading: {formatNumber(progress.done)} of {formatNumber(progress.total)} tasks
          </span>
        )}
        <Legend session={session} />
      </div>
      {stage === 'connecting' ? (
        <p class="empty" role="status">
          Replaying the recording once… <progress />
        </p>
      ) : stage === 'lost' && timeline === undefined ? (
        <p class="empty">No timeline.</p>
      ) : timeline === undefined ? (
        <p class="empty" role="status">
          Loading the timeline: {formatNumber(progress.done)} of {formatNumber(progress.total)} tasks
          <progress value={progress.done} max={Math.max(1, progress.total)} />
        </p>
      ) : timeline.taskCount === 0 ? (
        <p class="empty">No tasks in this recording.</p>
      ) : (
        <Plot
          session={session}
          timeline={timeline}
          rows={rows}
          scaleKind={scaleKind}
          onToggle={(key) =>
            setOpen(open.has(key) ? new Set([...open].filter((each) => each !== key)) : new Set([...open, key]))
          }
        />
      )}
    </section>
  );
}

/** Shows the range of the focus, with a button to clear it. */
function FocusChip({ session }: { readonly session: DebuggerSession }): JSX.Element | null {
  const focus = useSelector(session, (state) => state.focus);
  if (focus === undefined) return null;
  const { from, to } = focus;
  return (
    <span class="focus-chip" role="status">
      tasks {formatNumber(from)} to {formatNumber(to)}
      <button
        type="button"
        class="plain"
        title="Show the whole recording (Esc)"
        onClick={() => session.focusOn(undefined)}
      >
        <span class="visually-hidden">Show the whole recording</span>
        <span aria-hidden="true">✕</span>
      </button>
    </span>
  );
}

function Legend({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const kinds = useSelector(session, (state) => state.hello?.taskKinds);
  return (
    <ul class="legend" aria-label="Colours of tasks">
      {kinds?.map(({ id, title }) => (
        <li key={id}>
          <span class="swatch" style={{ background: `var(--kind-${id}, var(--kind-other))` }} />
          {title}
        </li>
      ))}
    </ul>
  );
}

interface PlotProps {
  readonly session: DebuggerSession;
  readonly timeline: Timeline;
  readonly rows: readonly LaneRow[];
  readonly scaleKind: ScaleKind;
  /** Opens or closes the group of a class. @param key of the group */
  readonly onToggle: (key: string) => void;
}

function Plot({ session, timeline, rows, scaleKind, onToggle }: PlotProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hovered, setHovered] = useState<HoveredTask>();
  const cursorOrder = useSelector(session, (state) => state.cursor?.order);
  const hello = useSelector(session, (state) => state.hello);
  const focus = useSelector(session, (state) => state.focus);
  const bookmarks = useSelector(session, (state) => state.bookmarks);
  const bookmarkOrders = useMemo(() => bookmarks.flatMap(({ task }) => task?.order ?? []), [bookmarks]);
  const plotRef = useRef<PlotState>(undefined);
  plotRef.current ??= new PlotState(timeline);
  const plotState = plotRef.current;
  plotState.setTimeline(timeline);
  const onFocus = (chosen: Focus | undefined): void => session.focusOn(chosen);
  plotState.setInput({
    rows,
    scaleKind,
    cursorOrder,
    hoveredOrder: hovered?.order,
    focus,
    bookmarkOrders,
    hello,
    onFocus,
  });

  useEffect(() => (canvas.current === null ? undefined : plotState.attach(canvas.current)), [plotState]);
  useEffect(() => plotState.reveal(cursorOrder), [plotState, cursorOrder, scaleKind, timeline.isComplete]);

  const taskUnder = (event: TargetedMouseEvent<HTMLCanvasElement>): HoveredTask | undefined => {
    const [x, y] = [event.offsetX, event.offsetY];
    const order = plotState.orderAt(x, y);
    return order === undefined ? undefined : { order, x, y };
  };
  return (
    <div class="plot">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="Timeline of all actors: arrow keys point at tasks, Enter goes to one, Shift and arrow keys select a range, Space opens a class, plus and minus zoom, 0 shows all"
        onWheel={(event) => plotState.onWheel(event)}
        onPointerDown={(event) => plotState.onPointerDown(event)}
        onPointerMove={(event) => {
          if (plotState.onPointerMove(event)) setHovered(undefined);
          else setHovered(taskUnder(event));
        }}
        onPointerUp={(event) => {
          const isClick = plotState.onPointerUp();
          const target = isClick ? taskUnder(event) : undefined;
          const groupKey = isClick ? plotState.groupKeyAt(event.offsetX, event.offsetY) : undefined;
          if (groupKey !== undefined) onToggle(groupKey);
          if (target !== undefined) void session.moveTo(target.order);
        }}
        onPointerLeave={() => setHovered(undefined)}
        onBlur={() => setHovered(undefined)}
        onKeyDown={(event) => {
          const from = hovered?.order ?? cursorOrder;
          const groupKey = event.key === ' ' && from !== undefined ? plotState.groupKeyOf(from) : undefined;
          if (groupKey !== undefined) onToggle(groupKey);
          const order = groupKey === undefined ? plotState.onKey(event.key, from, event.shiftKey) : 'done';
          if (order === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          if (order === 'go') void session.moveTo(hovered?.order ?? cursorOrder ?? 1);
          else if (order !== 'done') setHovered({ order, ...plotState.pointOf(order) });
        }}
      />
      <p class="visually-hidden" role="status">
        {hovered === undefined ? '' : hoverText(session, timeline, hovered.order)}
      </p>
      {hovered !== undefined && (
        <Tooltip session={session} timeline={timeline} task={hovered} width={plotState.width} />
      )}
    </div>
  );
}

function hoverText(session: DebuggerSession, timeline: Timeline, order: number): string {
  const { actors, hello } = session.state;
  const kind = hello?.taskKinds[timeline.kind(order)]?.title ?? '';
  const actor = actors[timeline.actor(order) ?? 0];
  return `${actor?.name ?? ''}: ${kind}, task ${order}, ${workerName(actor?.worker ?? 0)}`;
}

function Tooltip({
  session,
  timeline,
  task,
  width,
}: {
  readonly session: DebuggerSession;
  readonly timeline: Timeline;
  readonly task: HoveredTask;
  readonly width: number;
}): JSX.Element {
  const { order, x, y } = task;
  const { actors, hello } = session.state;
  const actor = actors[timeline.actor(order) ?? 0];
  const sender = timeline.sender(order);
  const receiverCount = timeline.receivers(order).length;
  const position = x > width - 260 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  return (
    <div class="tip" aria-hidden="true" style={{ ...position, top: `${y + 12}px` }}>
      <strong>{actor?.name}</strong>
      <span>{hello?.taskKinds[timeline.kind(order)]?.title}</span>
      <span class="quiet">
        {formatNumber(order)} · {formatTime(timeline.startMs(order))}
        {sender === undefined ? '' : ` · sent by ${formatNumber(sender)}`}
        {receiverCount === 0 ? '' : ` · ${formatNumber(receiverCount)} received`}
      </span>
    </div>
  );
}
