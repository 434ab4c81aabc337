// The time line with what is done to it: zoomed, moved, pointed at, gone to; by mouse and by keys.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JSX, TargetedMouseEvent } from 'preact';
import type { Focus } from '../../model/focus.ts';
import { rowsOf, workerName, type Row } from '../../model/lanes.ts';
import type { ScaleKind } from '../../model/scale.ts';
import type { Session } from '../../model/session.ts';
import type { TimeLine } from '../../model/time-line.ts';
import { useSelected } from '../use-selected.ts';
import { PlotState } from './plot-state.ts';
import { grouped, timeText } from './ticks.ts';

interface Pointed {
  readonly order: number;
  readonly x: number;
  readonly y: number;
}

export function TimeLineView({ session }: { readonly session: Session }): JSX.Element {
  const timeLine = useSelected(session, (state) => state.timeLine);
  const actors = useSelected(session, (state) => state.actors);
  const progress = useSelected(session, (state) => state.progress);
  const stage = useSelected(session, (state) => state.stage);
  const [filter, setFilter] = useState('');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => rowsOf(actors, filter, open), [actors, filter, open]);
  const [by, setBy] = useState<ScaleKind>('order');
  return (
    <section class="time-line" aria-label="Time line" aria-busy={stage === 'loading'}>
      <div class="time-line-tools">
        <label class="field">
          <span class="unseen">Actors whose names have this in them</span>
          <input
            type="search"
            placeholder="Filter actors"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <div class="choice" role="group" aria-label="How wide stretches are">
          <button
            type="button"
            aria-pressed={by === 'order'}
            onClick={() => setBy('order')}
            title="Each turn as wide as any other"
          >
            Turns
          </button>
          <button type="button" aria-pressed={by === 'time'} onClick={() => setBy('time')} title="By when they began">
            Time
          </button>
        </div>
        <FocusChip session={session} />
        {timeLine !== undefined && !timeLine.isFilled && (
          <span class="quiet" role="status">
            reading on: {grouped(progress.done)} of {grouped(progress.total)} turns
          </span>
        )}
        <Legend session={session} />
      </div>
      {stage === 'connecting' ? (
        <p class="empty" role="status">
          The time machine runs the recording again, once: then it answers. <progress />
        </p>
      ) : stage === 'lost' && timeLine === undefined ? (
        <p class="empty">There is no time line: nobody has told of one.</p>
      ) : timeLine === undefined ? (
        <p class="empty" role="status">
          Reading the time line: {grouped(progress.done)} of {grouped(progress.total)} turns
          <progress value={progress.done} max={Math.max(1, progress.total)} />
        </p>
      ) : timeLine.count === 0 ? (
        <p class="empty">Nothing ran in this recording.</p>
      ) : (
        <Plot
          session={session}
          timeLine={timeLine}
          rows={rows}
          by={by}
          onToggle={(key) =>
            setOpen(open.has(key) ? new Set([...open].filter((each) => each !== key)) : new Set([...open, key]))
          }
        />
      )}
    </section>
  );
}

/** The piece that views show, as long as it is not all. */
function FocusChip({ session }: { readonly session: Session }): JSX.Element | null {
  const focus = useSelected(session, (state) => state.focus);
  if (focus === undefined) return null;
  const { from, to } = focus;
  return (
    <span class="focus-chip" role="status">
      only turns {grouped(from)} to {grouped(to)}
      <button
        type="button"
        class="plain"
        title="All of the recording again (Esc)"
        onClick={() => session.focusOn(undefined)}
      >
        <span class="unseen">All of the recording again</span>
        <span aria-hidden="true">✕</span>
      </button>
    </span>
  );
}

function Legend({ session }: { readonly session: Session }): JSX.Element {
  const kinds = useSelected(session, (state) => state.hello?.kinds);
  return (
    <ul class="legend" aria-label="Colours of stretches">
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
  readonly session: Session;
  readonly timeLine: TimeLine;
  readonly rows: readonly Row[];
  readonly by: ScaleKind;
  /** A class is to have a row for each of its actors, or one for all. */
  readonly onToggle: (key: string) => void;
}

function Plot({ session, timeLine, rows, by, onToggle }: PlotProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState<Pointed>();
  const at = useSelected(session, (state) => state.where?.order);
  const hello = useSelected(session, (state) => state.hello);
  const focus = useSelected(session, (state) => state.focus);
  const bookmarks = useSelected(session, (state) => state.bookmarks);
  const bookmarked = useMemo(() => bookmarks.flatMap(({ stretch }) => stretch?.order ?? []), [bookmarks]);
  const plot = useRef<PlotState>(undefined);
  plot.current ??= new PlotState(timeLine);
  const its = plot.current;
  its.grow(timeLine);
  const onFocus = (chosen: Focus | undefined): void => session.focusOn(chosen);
  its.give({ rows, by, at, pointed: pointed?.order, focus, bookmarked, hello, onFocus });

  useEffect(() => (canvas.current === null ? undefined : its.on(canvas.current)), [its]);
  useEffect(() => its.show(at), [its, at, by, timeLine.isFilled]);

  const point = (event: TargetedMouseEvent<HTMLCanvasElement>): Pointed | undefined => {
    const [x, y] = [event.offsetX, event.offsetY];
    const order = its.orderAt(x, y);
    return order === undefined ? undefined : { order, x, y };
  };
  return (
    <div class="plot">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-label="Time line of all actors: arrows point at turns, Enter goes there, with Shift they choose a piece that all views show alone; Space opens a class, plus and minus zoom, 0 shows all"
        onWheel={(event) => its.wheel(event)}
        onPointerDown={(event) => its.press(event)}
        onPointerMove={(event) => {
          if (its.drag(event)) setPointed(undefined);
          else setPointed(point(event));
        }}
        onPointerUp={(event) => {
          const isClick = its.release();
          const there = isClick ? point(event) : undefined;
          const key = isClick ? its.classAt(event.offsetX, event.offsetY) : undefined;
          if (key !== undefined) onToggle(key);
          if (there !== undefined) void session.goTo(there.order);
        }}
        onPointerLeave={() => setPointed(undefined)}
        onBlur={() => setPointed(undefined)}
        onKeyDown={(event) => {
          const from = pointed?.order ?? at;
          const key = event.key === ' ' && from !== undefined ? its.classOf(from) : undefined;
          if (key !== undefined) onToggle(key);
          const order = key === undefined ? its.key(event.key, from, event.shiftKey) : 'done';
          if (order === undefined) return;
          event.preventDefault();
          event.stopPropagation();
          if (order === 'go') void session.goTo(pointed?.order ?? at ?? 1);
          else if (order !== 'done') setPointed({ order, ...its.placeOf(order) });
        }}
      />
      <p class="unseen" role="status">
        {pointed === undefined ? '' : told(session, timeLine, pointed.order)}
      </p>
      {pointed !== undefined && <Tip session={session} timeLine={timeLine} pointed={pointed} width={its.width} />}
    </div>
  );
}

function told(session: Session, timeLine: TimeLine, order: number): string {
  const { actors, hello } = session.state;
  const kind = hello?.kinds[timeLine.kind(order)]?.title ?? '';
  const actor = actors[timeLine.actor(order) ?? 0];
  return `${actor?.name ?? ''}: ${kind}, turn ${order}, ${workerName(actor?.worker ?? 0)}`;
}

function Tip({
  session,
  timeLine,
  pointed,
  width,
}: {
  readonly session: Session;
  readonly timeLine: TimeLine;
  readonly pointed: Pointed;
  readonly width: number;
}): JSX.Element {
  const { order, x, y } = pointed;
  const { actors, hello } = session.state;
  const actor = actors[timeLine.actor(order) ?? 0];
  const sender = timeLine.sender(order);
  const sent = timeLine.receivers(order).length;
  const place = x > width - 260 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  return (
    <div class="tip" aria-hidden="true" style={{ ...place, top: `${y + 12}px` }}>
      <strong>{actor?.name}</strong>
      <span>{hello?.kinds[timeLine.kind(order)]?.title}</span>
      <span class="quiet">
        {grouped(order)} · {timeText(timeLine.time(order))}
        {sender === undefined ? '' : ` · sent by ${grouped(sender)}`}
        {sent === 0 ? '' : ` · ${grouped(sent)} came of it`}
      </span>
    </div>
  );
}
