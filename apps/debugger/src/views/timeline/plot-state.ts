// The state of the timeline's canvas: scale, scroll position and drags. Handles mouse and keys, and paints at most
// once a frame.
import type { TargetedPointerEvent } from 'preact';
import { focusByTime, focusBetween, type Focus } from '../../model/focus.ts';
import { laneOfRow, rowIndexByActor, type LaneRow } from '../../model/lanes.ts';
import { nearestTask, activityProfile } from '../../model/lane-runs.ts';
import { Scale, type ScaleKind } from '../../model/scale.ts';
import type { SessionState } from '../../model/session-state.ts';
import type { Timeline } from '../../model/timeline.ts';
import { readColours, type Colours } from './colours.ts';
import { NAMES_WIDTH, paint, ROW_HEIGHT, STRIP_HEIGHT, LANES_TOP, type Picture } from './painter.ts';

type Drag = {
  readonly action: 'move' | 'strip' | 'zoom' | 'focus';
  readonly x: number;
  readonly y: number;
  readonly scale: Scale;
  readonly scrollTop: number;
  hasMoved: boolean;
};

/** Number of pixels beyond which a movement of the pressed pointer is a drag and not a click. */
const DRAG_THRESHOLD_PX = 4;

type PlotInput = Pick<Picture, 'rows' | 'cursorOrder' | 'hoveredOrder' | 'focus' | 'bookmarkOrders'> & {
  readonly scaleKind: ScaleKind;
  readonly hello: SessionState['hello'];
  readonly onFocus: (focus: Focus | undefined) => void;
};

const EMPTY_INPUT: PlotInput = {
  rows: [],
  cursorOrder: undefined,
  hoveredOrder: undefined,
  focus: undefined,
  bookmarkOrders: [],
  scaleKind: 'order',
  hello: undefined,
  onFocus: () => undefined,
};

export class PlotState {
  #timeline: Timeline;
  #input: PlotInput = EMPTY_INPUT;
  #scale: Scale;
  #scrollTop = 0;
  #canvas: HTMLCanvasElement | undefined;
  #colours: Colours | undefined;
  #profile: { readonly kind: ScaleKind; readonly width: number; readonly parts: Float32Array } | undefined;
  #drag: Drag | undefined;
  /** The range that the user is dragging in the ruler. */
  #draggedFocus: Focus | undefined;
  /** The order of the task at which the user began to select a range with Shift and arrow keys. */
  #focusAnchor: number | undefined;
  #animationFrame = 0;
  width = 0;
  #height = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#scale = Scale.of('order', timeline);
  }

  setTimeline(timeline: Timeline): void {
    if (timeline === this.#timeline) return;
    this.#timeline = timeline;
    this.#profile = undefined;
    const { kind, from, to, start, end } = this.#scale;
    const whole = Scale.of(kind, timeline);
    this.#scale = from === start && to === end ? whole : whole.zoomedTo(from, to);
    this.#requestPaint();
  }

  setInput(input: PlotInput): void {
    if (input.scaleKind !== this.#scale.kind) this.#scale = Scale.of(input.scaleKind, this.#timeline);
    const hasOtherRows = input.rows !== this.#input.rows;
    this.#input = input;
    if (hasOtherRows) this.#scrollTo(this.#scrollTop);
    this.#requestPaint();
  }

  /** Paints on a canvas from now on. Returns a function that detaches it. */
  attach(canvas: HTMLCanvasElement): () => void {
    this.#canvas = canvas;
    const resizeObserver = new ResizeObserver(() => this.#resize());
    resizeObserver.observe(canvas);
    const recolour = (): void => {
      this.#colours = undefined;
      this.#requestPaint();
    };
    const themeObserver = new MutationObserver(recolour);
    themeObserver.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#resize();
    return () => {
      resizeObserver.disconnect();
      themeObserver.disconnect();
      cancelAnimationFrame(this.#animationFrame);
      this.#animationFrame = 0;
    };
  }

  #resize(): void {
    const canvas = this.#canvas;
    if (canvas === undefined) return;
    const { width, height } = canvas.getBoundingClientRect();
    this.width = width;
    this.#height = height;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    this.#requestPaint();
  }

  #requestPaint(): void {
    if (this.#canvas === undefined || this.#animationFrame !== 0) return;
    this.#animationFrame = requestAnimationFrame(() => {
      this.#animationFrame = 0;
      this.#paint();
    });
  }

  #paint(): void {
    const context = this.#canvas?.getContext('2d', { alpha: false });
    const { hello, rows, cursorOrder, hoveredOrder, focus, bookmarkOrders } = this.#input;
    if (context == null || this.#canvas === undefined || hello === undefined || this.width === 0) return;
    this.#colours ??= readColours(
      this.#canvas,
      hello.taskKinds.map(({ id }) => id),
    );
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const eventKinds = hello.eventKinds.map(({ id }) => id);
    paint(
      context,
      {
        timeline: this.#timeline,
        rows,
        scale: this.#scale,
        scrollTop: this.#scrollTop,
        width: this.width,
        height: this.#height,
        cursorOrder,
        hoveredOrder,
        focus: this.#draggedFocus ?? focus,
        bookmarkOrders,
        errorKinds: [eventKinds.indexOf('uncaught'), eventKinds.indexOf('unhandled')],
        outputKinds: [eventKinds.indexOf('stdout'), eventKinds.indexOf('stderr')],
        cutOrders: hello.phases.slice(1).map(({ firstTask }) => firstTask),
        profile: this.#currentProfile(),
      },
      this.#colours,
    );
  }

  #currentProfile(): Float32Array {
    const width = Math.max(1, Math.floor((this.width - NAMES_WIDTH) / 2));
    const { kind } = this.#scale;
    if (this.#profile?.kind !== kind || this.#profile.width !== width)
      this.#profile = { kind, width, parts: activityProfile(this.#timeline, this.#scale, width) };
    return this.#profile.parts;
  }

  get #plotWidth(): number {
    return Math.max(1, this.width - NAMES_WIDTH);
  }

  #setScale(scale: Scale): void {
    this.#scale = scale;
    this.#requestPaint();
  }

  #scrollTo(top: number): void {
    const maxTop = this.#input.rows.length * ROW_HEIGHT - (this.#height - LANES_TOP);
    this.#scrollTop = Math.max(0, Math.min(maxTop, top));
    this.#requestPaint();
  }

  /** Pans and scrolls so that a task is visible, unless it is already. */
  reveal(order: number | undefined): void {
    if (order === undefined || order > this.#timeline.taskCount) return;
    this.#setScale(this.#scale.revealing(this.#scale.valueOf(order, this.#timeline)));
    const row = this.#rowOf(order);
    if (row < 0 || this.#height === 0) return;
    const [y, visibleHeight] = [row * ROW_HEIGHT, this.#height - LANES_TOP];
    if (y < this.#scrollTop) this.#scrollTo(y - ROW_HEIGHT);
    else if (y + ROW_HEIGHT > this.#scrollTop + visibleHeight) this.#scrollTo(y + 2 * ROW_HEIGHT - visibleHeight);
  }

  /** Returns the order of the task at or near a point; undefined if there is none. */
  orderAt(x: number, y: number): number | undefined {
    if (x < NAMES_WIDTH || y < LANES_TOP) return undefined;
    const row = this.#rowAt(y);
    const lane = row && laneOfRow(row, this.#timeline);
    if (lane === undefined) return undefined;
    const options = { scale: this.#scale, timeline: this.#timeline };
    const order = nearestTask(lane, this.#scale.valueAt(x - NAMES_WIDTH, this.#plotWidth), options);
    if (order === undefined) return undefined;
    const from = NAMES_WIDTH + this.#scale.x(this.#scale.valueOf(order, this.#timeline), this.#plotWidth);
    const taskWidth = this.#scale.kind === 'order' ? this.#plotWidth / (this.#scale.to - this.#scale.from) : 2;
    return x > from - 6 && x < from + taskWidth + 6 ? order : undefined;
  }

  #rowAt(y: number): LaneRow | undefined {
    return this.#input.rows[Math.floor((y - LANES_TOP + this.#scrollTop) / ROW_HEIGHT)];
  }

  /** Returns the index of the row of a task's actor; -1 if the actor has no row. */
  #rowOf(order: number): number {
    return rowIndexByActor(this.#input.rows).get(this.#timeline.actor(order) ?? -1) ?? -1;
  }

  groupKeyAt(x: number, y: number): string | undefined {
    return x < NAMES_WIDTH && y >= LANES_TOP ? this.#rowAt(y)?.group?.key : undefined;
  }

  /** Returns the key of the group of a task's actor, open or closed; undefined if the actor is in no group. */
  groupKeyOf(order: number): string | undefined {
    const { rows } = this.#input;
    const actor = this.#timeline.actor(order) ?? -1;
    const previousRows = rows.slice(0, this.#rowOf(order) + 1);
    const { group } = previousRows.findLast((each) => each.actorIndex === undefined) ?? {};
    return group?.actorIndexes.includes(actor) === true ? group.key : undefined;
  }

  pointOf(order: number): { readonly x: number; readonly y: number } {
    const row = this.#rowOf(order);
    const x = NAMES_WIDTH + this.#scale.x(this.#scale.valueOf(order, this.#timeline), this.#plotWidth);
    return { x, y: LANES_TOP + row * ROW_HEIGHT - this.#scrollTop + ROW_HEIGHT / 2 };
  }

  onWheel(event: WheelEvent): void {
    event.preventDefault();
    const isZoom = event.ctrlKey || event.metaKey || event.offsetY < LANES_TOP;
    const deltaX = event.shiftKey ? event.deltaY : event.deltaX;
    if (isZoom) {
      const anchor = this.#scale.valueAt(event.offsetX - NAMES_WIDTH, this.#plotWidth);
      this.#setScale(this.#scale.zoomed(Math.exp(event.deltaY / 300), anchor));
    } else if (deltaX !== 0) this.#setScale(this.#scale.panned(deltaX / this.#plotWidth));
    else this.#scrollTo(this.#scrollTop + event.deltaY);
  }

  onPointerDown(event: TargetedPointerEvent<HTMLCanvasElement>): void {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const { offsetY, shiftKey } = event;
    const action = offsetY < STRIP_HEIGHT ? 'strip' : offsetY < LANES_TOP ? 'focus' : shiftKey ? 'zoom' : 'move';
    this.#drag = {
      action,
      x: event.offsetX,
      y: event.offsetY,
      scale: this.#scale,
      scrollTop: this.#scrollTop,
      hasMoved: false,
    };
  }

  /** Handles a movement of the pointer. Returns whether the canvas was pressed, so that this may be a drag. */
  onPointerMove({ offsetX, offsetY }: PointerEvent): boolean {
    const drag = this.#drag;
    if (drag === undefined) return false;
    drag.hasMoved ||= Math.abs(offsetX - drag.x) > DRAG_THRESHOLD_PX || Math.abs(offsetY - drag.y) > DRAG_THRESHOLD_PX;
    if (!drag.hasMoved) return true;
    const { scale } = drag;
    if (drag.action === 'strip') {
      const value = (x: number): number =>
        scale.start + ((x - NAMES_WIDTH) / this.#plotWidth) * (scale.end - scale.start);
      this.#setScale(scale.zoomedTo(value(drag.x), value(offsetX)));
    } else if (drag.action === 'focus') {
      this.#draggedFocus = this.#focusBetween(drag.x, offsetX);
      this.#requestPaint();
    } else if (drag.action === 'zoom')
      this.#setScale(
        scale.zoomedTo(
          scale.valueAt(drag.x - NAMES_WIDTH, this.#plotWidth),
          scale.valueAt(offsetX - NAMES_WIDTH, this.#plotWidth),
        ),
      );
    else {
      this.#setScale(scale.panned((drag.x - offsetX) / this.#plotWidth));
      this.#scrollTo(drag.scrollTop + drag.y - offsetY);
    }
    return true;
  }

  #focusBetween(startX: number, endX: number): Focus | undefined {
    const valueAt = (x: number): number => this.#scale.valueAt(Math.max(0, x - NAMES_WIDTH), this.#plotWidth);
    const [from, to] = [valueAt(Math.min(startX, endX)), valueAt(Math.max(startX, endX))];
    if (this.#scale.kind === 'time') return focusByTime(this.#timeline, from, to);
    return focusBetween(Math.floor(from), Math.floor(to), this.#timeline.taskCount);
  }

  /** Ends a drag when the pointer is released. Returns whether it was a click instead. */
  onPointerUp(): boolean {
    const drag = this.#drag;
    this.#drag = undefined;
    if (this.#draggedFocus !== undefined) {
      this.#input.onFocus(this.#draggedFocus);
      this.#draggedFocus = undefined;
    }
    return drag !== undefined && !drag.hasMoved;
  }

  /**
   * Handles a key. Returns the task to highlight, 'go' to move to it, or 'done'; undefined if the key has no meaning.
   * @param from the order of the highlighted task
   * @param isShifted whether arrow keys select a range
   */
  onKey(key: string, from: number | undefined, isShifted: boolean): number | 'go' | 'done' | undefined {
    const order = Math.min(from ?? 1, this.#timeline.taskCount);
    const value = this.#scale.valueOf(order, this.#timeline);
    if (key === 'Enter') return 'go';
    if (key === '+' || key === '=' || key === '-') {
      this.#setScale(this.#scale.zoomed(key === '-' ? 1.6 : 1 / 1.6, value));
      return 'done';
    }
    if (key === '0') {
      this.#setScale(Scale.of(this.#scale.kind, this.#timeline));
      return 'done';
    }
    const found = this.#neighbour(key, order, value);
    if (found === undefined) return undefined;
    this.reveal(found);
    this.#focusAnchor = isShifted ? (this.#focusAnchor ?? order) : undefined;
    if (this.#focusAnchor !== undefined)
      this.#input.onFocus(focusBetween(this.#focusAnchor, found, this.#timeline.taskCount));
    return found;
  }

  #neighbour(key: string, order: number, value: number): number | undefined {
    const { rows } = this.#input;
    let row = this.#rowOf(order);
    const currentLane = (): Uint32Array | undefined => {
      const laneRow = rows[row];
      return laneRow && laneOfRow(laneRow, this.#timeline);
    };
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const lane = currentLane() ?? this.#timeline.lane(this.#timeline.actor(order) ?? 0);
      return lane[lane.indexOf(order) + (key === 'ArrowLeft' ? -1 : 1)] ?? order;
    }
    if (key !== 'ArrowUp' && key !== 'ArrowDown') return undefined;
    const step = key === 'ArrowUp' ? -1 : 1;
    do row += step;
    while (rows[row] !== undefined && currentLane() === undefined);
    const next = currentLane();
    if (next === undefined) return order;
    return nearestTask(next, value, { scale: this.#scale, timeline: this.#timeline }) ?? order;
  }
}
