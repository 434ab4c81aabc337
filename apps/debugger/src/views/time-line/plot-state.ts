// What is painted, and the canvas that it is painted on, at most once a frame; what the mouse and keys do to it.
import type { TargetedPointerEvent } from 'preact';
import { begunBetween, between, type Focus } from '../../model/focus.ts';
import { laneOf, rowsOfActors, type Row } from '../../model/lanes.ts';
import { nearest, profile } from '../../model/runs.ts';
import { Scale, type ScaleKind } from '../../model/scale.ts';
import type { State } from '../../model/state.ts';
import type { TimeLine } from '../../model/time-line.ts';
import { coloursOf, type Colours } from './colours.ts';
import { NAMES, paint, ROW, STRIP, TOP, type Picture } from './painter.ts';

type Drag = {
  readonly what: 'move' | 'strip' | 'zoom' | 'focus';
  readonly x: number;
  readonly y: number;
  readonly scale: Scale;
  readonly top: number;
  isFar: boolean;
};

/** Pixels after which a press is no click any more. */
const FAR = 4;

type Given = Pick<Picture, 'rows' | 'at' | 'pointed' | 'focus' | 'bookmarked'> & {
  readonly by: ScaleKind;
  readonly hello: State['hello'];
  readonly onFocus: (focus: Focus | undefined) => void;
};

const NOTHING: Given = {
  rows: [],
  at: undefined,
  pointed: undefined,
  focus: undefined,
  bookmarked: [],
  by: 'order',
  hello: undefined,
  onFocus: () => undefined,
};

export class PlotState {
  #timeLine: TimeLine;
  #given: Given = NOTHING;
  #scale: Scale;
  #top = 0;
  #canvas: HTMLCanvasElement | undefined;
  #colours: Colours | undefined;
  #profile: { readonly by: ScaleKind; readonly width: number; readonly parts: Float32Array } | undefined;
  #drag: Drag | undefined;
  /** What is dragged over in the ruler. */
  #choosing: Focus | undefined;
  /** Where a piece that is chosen by keys begins. */
  #anchor: number | undefined;
  #frame = 0;
  width = 0;
  #height = 0;

  constructor(timeLine: TimeLine) {
    this.#timeLine = timeLine;
    this.#scale = Scale.of('order', timeLine);
  }

  grow(timeLine: TimeLine): void {
    if (timeLine === this.#timeLine) return;
    this.#timeLine = timeLine;
    this.#profile = undefined;
    const { by, from, to, begin, end } = this.#scale;
    const whole = Scale.of(by, timeLine);
    this.#scale = from === begin && to === end ? whole : whole.between(from, to);
    this.#paintSoon();
  }

  give(given: Given): void {
    if (given.by !== this.#scale.by) this.#scale = Scale.of(given.by, this.#timeLine);
    const isOther = given.rows !== this.#given.rows;
    this.#given = given;
    if (isOther) this.#scrollTo(this.#top);
    this.#paintSoon();
  }

  /** @returns what ends that */
  on(canvas: HTMLCanvasElement): () => void {
    this.#canvas = canvas;
    const sized = new ResizeObserver(() => this.#resize());
    sized.observe(canvas);
    const recolour = (): void => {
      this.#colours = undefined;
      this.#paintSoon();
    };
    const themed = new MutationObserver(recolour);
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    this.#resize();
    return () => {
      sized.disconnect();
      themed.disconnect();
      cancelAnimationFrame(this.#frame);
      this.#frame = 0;
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
    this.#paintSoon();
  }

  #paintSoon(): void {
    if (this.#canvas === undefined || this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#paint();
    });
  }

  #paint(): void {
    const context = this.#canvas?.getContext('2d', { alpha: false });
    const { hello, rows, at, pointed, focus, bookmarked } = this.#given;
    if (context == null || this.#canvas === undefined || hello === undefined || this.width === 0) return;
    this.#colours ??= coloursOf(
      this.#canvas,
      hello.kinds.map(({ id }) => id),
    );
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    const marks = hello.marks.map(({ id }) => id);
    paint(
      context,
      {
        timeLine: this.#timeLine,
        rows,
        scale: this.#scale,
        top: this.#top,
        width: this.width,
        height: this.#height,
        at,
        pointed,
        focus: this.#choosing ?? focus,
        bookmarked,
        error: marks.indexOf('error'),
        outputs: [marks.indexOf('stdout'), marks.indexOf('stderr')],
        cuts: hello.phases.slice(1).map(({ begin }) => begin),
        profile: this.#profileNow(),
      },
      this.#colours,
    );
  }

  #profileNow(): Float32Array {
    const width = Math.max(1, Math.floor((this.width - NAMES) / 2));
    const { by } = this.#scale;
    if (this.#profile?.by !== by || this.#profile.width !== width)
      this.#profile = { by, width, parts: profile(this.#timeLine, this.#scale, width) };
    return this.#profile.parts;
  }

  get #across(): number {
    return Math.max(1, this.width - NAMES);
  }

  #see(scale: Scale): void {
    this.#scale = scale;
    this.#paintSoon();
  }

  #scrollTo(top: number): void {
    const most = this.#given.rows.length * ROW - (this.#height - TOP);
    this.#top = Math.max(0, Math.min(most, top));
    this.#paintSoon();
  }

  /** Moves what is seen as far as it takes to see that stretch. */
  show(order: number | undefined): void {
    if (order === undefined || order > this.#timeLine.count) return;
    this.#see(this.#scale.showing(this.#scale.valueOf(order, this.#timeLine)));
    const row = this.#rowOf(order);
    if (row < 0 || this.#height === 0) return;
    const [y, room] = [row * ROW, this.#height - TOP];
    if (y < this.#top) this.#scrollTo(y - ROW);
    else if (y + ROW > this.#top + room) this.#scrollTo(y + 2 * ROW - room);
  }

  /** The stretch that is drawn there, or near it. */
  orderAt(x: number, y: number): number | undefined {
    if (x < NAMES || y < TOP) return undefined;
    const row = this.#rowAt(y);
    const lane = row && laneOf(row, this.#timeLine);
    if (lane === undefined) return undefined;
    const its = { scale: this.#scale, timeLine: this.#timeLine };
    const order = nearest(lane, this.#scale.at(x - NAMES, this.#across), its);
    if (order === undefined) return undefined;
    const from = NAMES + this.#scale.x(this.#scale.valueOf(order, this.#timeLine), this.#across);
    const wide = this.#scale.by === 'order' ? this.#across / (this.#scale.to - this.#scale.from) : 2;
    return x > from - 6 && x < from + wide + 6 ? order : undefined;
  }

  #rowAt(y: number): Row | undefined {
    return this.#given.rows[Math.floor((y - TOP + this.#top) / ROW)];
  }

  /** The row of whose stretch that is; -1, if it has none. */
  #rowOf(order: number): number {
    return rowsOfActors(this.#given.rows).get(this.#timeLine.actor(order) ?? -1) ?? -1;
  }

  classAt(x: number, y: number): string | undefined {
    return x < NAMES && y >= TOP ? this.#rowAt(y)?.group?.key : undefined;
  }

  /** The class with which an actor has its row, or would have it. */
  classOf(order: number): string | undefined {
    const { rows } = this.#given;
    const actor = this.#timeLine.actor(order) ?? -1;
    const before = rows.slice(0, this.#rowOf(order) + 1);
    const { group } = before.findLast((each) => each.actor === undefined) ?? {};
    return group?.actors.includes(actor) === true ? group.key : undefined;
  }

  placeOf(order: number): { readonly x: number; readonly y: number } {
    const row = this.#rowOf(order);
    const x = NAMES + this.#scale.x(this.#scale.valueOf(order, this.#timeLine), this.#across);
    return { x, y: TOP + row * ROW - this.#top + ROW / 2 };
  }

  wheel(event: WheelEvent): void {
    event.preventDefault();
    const isZoom = event.ctrlKey || event.metaKey || event.offsetY < TOP;
    const across = event.shiftKey ? event.deltaY : event.deltaX;
    if (isZoom) {
      const about = this.#scale.at(event.offsetX - NAMES, this.#across);
      this.#see(this.#scale.zoomed(Math.exp(event.deltaY / 300), about));
    } else if (across !== 0) this.#see(this.#scale.moved(across / this.#across));
    else this.#scrollTo(this.#top + event.deltaY);
  }

  press(event: TargetedPointerEvent<HTMLCanvasElement>): void {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const { offsetY, shiftKey } = event;
    const what = offsetY < STRIP ? 'strip' : offsetY < TOP ? 'focus' : shiftKey ? 'zoom' : 'move';
    this.#drag = { what, x: event.offsetX, y: event.offsetY, scale: this.#scale, top: this.#top, isFar: false };
  }

  /** Whether something is dragged. */
  drag({ offsetX, offsetY }: PointerEvent): boolean {
    const drag = this.#drag;
    if (drag === undefined) return false;
    drag.isFar ||= Math.abs(offsetX - drag.x) > FAR || Math.abs(offsetY - drag.y) > FAR;
    if (!drag.isFar) return true;
    const { scale } = drag;
    if (drag.what === 'strip') {
      const value = (x: number): number => scale.begin + ((x - NAMES) / this.#across) * (scale.end - scale.begin);
      this.#see(scale.between(value(drag.x), value(offsetX)));
    } else if (drag.what === 'focus') {
      this.#choosing = this.#focusBetween(drag.x, offsetX);
      this.#paintSoon();
    } else if (drag.what === 'zoom')
      this.#see(scale.between(scale.at(drag.x - NAMES, this.#across), scale.at(offsetX - NAMES, this.#across)));
    else {
      this.#see(scale.moved((drag.x - offsetX) / this.#across));
      this.#scrollTo(drag.top + drag.y - offsetY);
    }
    return true;
  }

  #focusBetween(one: number, other: number): Focus | undefined {
    const at = (x: number): number => this.#scale.at(Math.max(0, x - NAMES), this.#across);
    const [from, to] = [at(Math.min(one, other)), at(Math.max(one, other))];
    if (this.#scale.by === 'time') return begunBetween(this.#timeLine, from, to);
    return between(Math.floor(from), Math.floor(to), this.#timeLine.count);
  }

  /** Whether it was a click. */
  release(): boolean {
    const drag = this.#drag;
    this.#drag = undefined;
    if (this.#choosing !== undefined) {
      this.#given.onFocus(this.#choosing);
      this.#choosing = undefined;
    }
    return drag !== undefined && !drag.isFar;
  }

  /** The stretch that is pointed at then; whether to go there; or that it was done. @param isShifted arrows choose a piece, as they choose text */
  key(key: string, from: number | undefined, isShifted: boolean): number | 'go' | 'done' | undefined {
    const order = Math.min(from ?? 1, this.#timeLine.count);
    const value = this.#scale.valueOf(order, this.#timeLine);
    if (key === 'Enter') return 'go';
    if (key === '+' || key === '=' || key === '-') {
      this.#see(this.#scale.zoomed(key === '-' ? 1.6 : 1 / 1.6, value));
      return 'done';
    }
    if (key === '0') {
      this.#see(Scale.of(this.#scale.by, this.#timeLine));
      return 'done';
    }
    const found = this.#beside(key, order, value);
    if (found === undefined) return undefined;
    this.show(found);
    this.#anchor = isShifted ? (this.#anchor ?? order) : undefined;
    if (this.#anchor !== undefined) this.#given.onFocus(between(this.#anchor, found, this.#timeLine.count));
    return found;
  }

  #beside(key: string, order: number, value: number): number | undefined {
    const { rows } = this.#given;
    let row = this.#rowOf(order);
    const laneOfRow = (): Uint32Array | undefined => {
      const its = rows[row];
      return its && laneOf(its, this.#timeLine);
    };
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const lane = laneOfRow() ?? this.#timeLine.lane(this.#timeLine.actor(order) ?? 0);
      return lane[lane.indexOf(order) + (key === 'ArrowLeft' ? -1 : 1)] ?? order;
    }
    if (key !== 'ArrowUp' && key !== 'ArrowDown') return undefined;
    const step = key === 'ArrowUp' ? -1 : 1;
    do row += step;
    while (rows[row] !== undefined && laneOfRow() === undefined);
    const next = laneOfRow();
    if (next === undefined) return order;
    return nearest(next, value, { scale: this.#scale, timeLine: this.#timeLine }) ?? order;
  }
}
