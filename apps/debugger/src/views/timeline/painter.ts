// Paints the timeline: overview strip, ruler, rows of actors and classes, messages of the current task, and focus.
// Each frame is painted completely; its cost depends on pixels, not on the recording (model/lane-runs.ts).
import type { Focus } from '../../model/focus.ts';
import { laneOfRow, eventLaneOfRow, rowIndexByActor, type LaneRow } from '../../model/lanes.ts';
import { forEachLaneRun } from '../../model/lane-runs.ts';
import type { Scale } from '../../model/scale.ts';
import type { Timeline } from '../../model/timeline.ts';
import type { Colours } from './colours.ts';
import { formatNumber, rulerTicks } from './ticks.ts';

/** Sizes of the parts of the timeline, in pixels. */
export const NAMES_WIDTH = 176;
export const STRIP_HEIGHT = 26;
export const RULER_HEIGHT = 22;
export const ROW_HEIGHT = 20;
export const LANES_TOP: number = STRIP_HEIGHT + RULER_HEIGHT;
/** Maximum number of sent messages that are drawn for a task. */
export const MAX_ARROWS = 60;

export interface Picture {
  readonly timeline: Timeline;
  readonly rows: readonly LaneRow[];
  readonly scale: Scale;
  /** Height in pixels of the rows that are scrolled out of sight at the top. */
  readonly scrollTop: number;
  readonly width: number;
  readonly height: number;
  /** The order of the current task. */
  readonly cursorOrder: number | undefined;
  readonly hoveredOrder: number | undefined;
  /** The range of tasks to which views are limited; undefined for all tasks. */
  readonly focus: Focus | undefined;
  readonly bookmarkOrders: readonly number[];
  /** Indexes of the event kinds of uncaught errors, and of the kinds of output. */
  readonly errorKinds: readonly number[];
  readonly outputKinds: readonly number[];
  readonly cutOrders: readonly number[];
  readonly profile: Float32Array;
}

type Context = CanvasRenderingContext2D;

export function paint(context: Context, picture: Picture, colours: Colours): void {
  const { width, height } = picture;
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, height);
  context.font = colours.font;
  context.textBaseline = 'middle';
  paintRuler(context, picture, colours);
  const plot = new Path2D();
  plot.rect(0, LANES_TOP, width, Math.max(0, height - LANES_TOP));
  context.save();
  context.clip(plot);
  const { scrollTop, rows } = picture;
  const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT));
  const last = Math.min(rows.length, Math.ceil((scrollTop + height - LANES_TOP) / ROW_HEIGHT));
  for (let i = first; i < last; i++) {
    const row = rows[i];
    if (row !== undefined)
      paintRow(context, { picture, colours, row, index: i, y: LANES_TOP + i * ROW_HEIGHT - scrollTop });
  }
  paintCuts(context, picture, colours);
  paintFocus(context, picture, colours);
  paintCursor(context, picture, colours);
  paintMessages(context, picture, colours);
  context.restore();
  paintStrip(context, picture, colours);
  paintFocusEdge(context, picture, colours);
}

/** Returns the x coordinates of the focus; undefined without a focus. */
function focusPixels({ focus, scale, timeline, width }: Picture): readonly [from: number, to: number] | undefined {
  if (focus === undefined) return undefined;
  const plotWidth = width - NAMES_WIDTH;
  const x = (value: number): number => NAMES_WIDTH + Math.max(0, Math.min(plotWidth, scale.x(value, plotWidth)));
  const endValue = scale.kind === 'order' ? focus.to + 1 : scale.valueOf(focus.to, timeline);
  const [from, to] = [x(scale.valueOf(focus.from, timeline)), x(endValue)];
  return [from, Math.max(from + 2, to)];
}

/** Fades everything outside the focus. */
function paintFocus(context: Context, picture: Picture, colours: Colours): void {
  const pixels = focusPixels(picture);
  if (pixels === undefined) return;
  const [from, to] = pixels;
  const { width, height } = picture;
  context.globalAlpha = 0.7;
  context.fillStyle = colours.ground;
  context.fillRect(NAMES_WIDTH, LANES_TOP, from - NAMES_WIDTH, height - LANES_TOP);
  context.fillRect(to, LANES_TOP, width - to, height - LANES_TOP);
  context.globalAlpha = 1;
}

function paintFocusEdge(context: Context, picture: Picture, colours: Colours): void {
  const pixels = focusPixels(picture);
  if (pixels === undefined) return;
  const [from, to] = pixels;
  context.fillStyle = colours.accent;
  context.fillRect(from, LANES_TOP - 4, to - from, 4);
  for (const x of [from, to - 1]) context.fillRect(x, LANES_TOP, 1, picture.height - LANES_TOP);
}

function paintStrip(
  context: Context,
  { scale, width, profile, cursorOrder, timeline }: Picture,
  colours: Colours,
): void {
  const plotWidth = width - NAMES_WIDTH;
  context.fillStyle = colours.raised;
  context.fillRect(0, 0, width, STRIP_HEIGHT);
  const x = (value: number): number => NAMES_WIDTH + ((value - scale.start) / (scale.end - scale.start)) * plotWidth;
  context.fillStyle = colours.quiet;
  const barWidth = plotWidth / profile.length;
  profile.forEach((weight, i) => {
    const barHeight = weight * (STRIP_HEIGHT - 6);
    if (weight > 0)
      context.fillRect(
        NAMES_WIDTH + i * barWidth,
        STRIP_HEIGHT - 2 - barHeight,
        Math.max(1, barWidth - 0.5),
        barHeight,
      );
  });
  const [from, to] = [x(scale.from), x(scale.to)];
  context.globalAlpha = 0.16;
  context.fillStyle = colours.accent;
  context.fillRect(from, 0, Math.max(2, to - from), STRIP_HEIGHT);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1;
  context.strokeRect(from + 0.5, 0.5, Math.max(2, to - from - 1), STRIP_HEIGHT - 1);
  if (cursorOrder !== undefined) {
    context.fillStyle = colours.accent;
    context.fillRect(Math.round(x(scale.valueOf(cursorOrder, timeline))) - 1, 0, 2, STRIP_HEIGHT);
  }
  context.fillStyle = colours.quiet;
  context.fillText('whole recording', 12, STRIP_HEIGHT / 2);
}

function paintRuler(context: Context, { scale, width, bookmarkOrders, timeline }: Picture, colours: Colours): void {
  context.fillStyle = colours.raised;
  context.fillRect(0, STRIP_HEIGHT, width, RULER_HEIGHT);
  const plotWidth = width - NAMES_WIDTH;
  context.fillStyle = colours.quiet;
  context.fillText(scale.kind === 'order' ? 'by task' : 'by time', 12, STRIP_HEIGHT + RULER_HEIGHT / 2);
  for (const { value, text } of rulerTicks(scale, plotWidth)) {
    const x = Math.round(NAMES_WIDTH + scale.x(value, plotWidth));
    context.fillStyle = colours.line;
    context.fillRect(x, STRIP_HEIGHT + RULER_HEIGHT - 5, 1, 5);
    context.fillStyle = colours.quiet;
    if (x + 60 < width) context.fillText(text, x + 4, STRIP_HEIGHT + RULER_HEIGHT / 2);
  }
  context.fillStyle = colours.line;
  context.fillRect(0, LANES_TOP - 1, width, 1);
  context.fillStyle = colours.accent;
  for (const order of bookmarkOrders) {
    const x = Math.round(NAMES_WIDTH + scale.x(scale.valueOf(order, timeline), plotWidth));
    if (x < NAMES_WIDTH || x > width) continue;
    context.beginPath();
    context.moveTo(x - 4, LANES_TOP - 9);
    context.lineTo(x + 4, LANES_TOP - 9);
    context.lineTo(x, LANES_TOP - 1);
    context.fill();
  }
}

interface PaintedRow {
  readonly picture: Picture;
  readonly colours: Colours;
  readonly row: LaneRow;
  readonly index: number;
  readonly y: number;
}

function paintRow(context: Context, { picture, colours, row, index, y }: PaintedRow): void {
  const { timeline, scale, width, cursorOrder, errorKinds, outputKinds, rows } = picture;
  const { actorIndex: actor, name, group, isOpen } = row;
  if (actor === undefined && group === undefined) {
    context.fillStyle = colours.raised;
    context.fillRect(0, y, width, ROW_HEIGHT);
    context.fillStyle = colours.quiet;
    context.fillText(name, 12, y + ROW_HEIGHT / 2);
    return;
  }
  const isCurrent = cursorOrder !== undefined && rowIndexByActor(rows).get(timeline.actor(cursorOrder) ?? -1) === index;
  context.fillStyle = isCurrent ? colours.accent : colours.text;
  if (group === undefined) context.fillText(fitText(context, name, NAMES_WIDTH - 36), 24, y + ROW_HEIGHT / 2);
  else {
    context.fillText(isOpen === true ? '▾' : '▸', 12, y + ROW_HEIGHT / 2);
    context.fillText(
      fitText(context, `${name} (${formatNumber(group.actorIndexes.length)})`, NAMES_WIDTH - 36),
      24,
      y + ROW_HEIGHT / 2,
    );
  }
  const lane = laneOfRow(row, timeline);
  if (lane === undefined) return;
  const plotWidth = width - NAMES_WIDTH;
  const plotArea = { scale, width: plotWidth, timeline };
  const taskWidth = scale.kind === 'order' ? Math.max(1, plotWidth / (scale.to - scale.from) - 1) : 2;
  forEachLaneRun(lane, plotArea, (x, order, count) => {
    context.fillStyle = colours.kinds[timeline.kind(order)] ?? colours.quiet;
    // The bar of several tasks in one pixel is taller, up to the height of the row.
    const barHeight = Math.min(ROW_HEIGHT - 4, 10 + Math.log2(count) * 2);
    // A task that started before the visible range is clipped.
    const left = Math.max(0, x);
    context.fillRect(
      NAMES_WIDTH + left,
      y + (ROW_HEIGHT - barHeight) / 2,
      Math.max(1, taskWidth + x - left),
      barHeight,
    );
  });
  for (const outputKind of outputKinds)
    forEachLaneRun(eventLaneOfRow(row, outputKind, timeline), plotArea, (x) => {
      context.fillStyle = colours.output;
      context.fillRect(NAMES_WIDTH + x, y + ROW_HEIGHT - 4, Math.max(2, taskWidth), 2);
    });
  for (const errorKind of errorKinds)
    forEachLaneRun(eventLaneOfRow(row, errorKind, timeline), plotArea, (x) => {
      context.fillStyle = colours.error;
      context.fillRect(NAMES_WIDTH + x, y + 1, Math.max(3, Math.min(taskWidth, 8)), ROW_HEIGHT - 2);
    });
}

function paintCuts(context: Context, { cutOrders, scale, width, height, timeline }: Picture, colours: Colours): void {
  const plotWidth = width - NAMES_WIDTH;
  context.strokeStyle = colours.quiet;
  context.setLineDash([2, 4]);
  context.beginPath();
  for (const order of cutOrders) {
    const x = Math.round(NAMES_WIDTH + scale.x(scale.valueOf(order, timeline), plotWidth)) - 0.5;
    if (x < NAMES_WIDTH || x > width) continue;
    context.moveTo(x, LANES_TOP);
    context.lineTo(x, height);
  }
  context.stroke();
  context.setLineDash([]);
}

function paintCursor(context: Context, picture: Picture, colours: Colours): void {
  const { cursorOrder, hoveredOrder, scale, width, height, timeline } = picture;
  const plotWidth = width - NAMES_WIDTH;
  for (const [order, colour] of [
    [hoveredOrder, colours.line],
    [cursorOrder, colours.accent],
  ] as const) {
    if (order === undefined) continue;
    const x = NAMES_WIDTH + scale.x(scale.valueOf(order, timeline), plotWidth);
    if (x < NAMES_WIDTH - 1 || x > width) continue;
    context.fillStyle = colour;
    context.fillRect(Math.round(x), LANES_TOP, order === cursorOrder ? 2 : 1, height - LANES_TOP);
  }
}

/** Paints the chain of senders of the current task, and the messages that the task sent. */
function paintMessages(context: Context, picture: Picture, colours: Colours): void {
  const { cursorOrder, timeline } = picture;
  if (cursorOrder === undefined || cursorOrder > timeline.taskCount) return;
  const point = taskPoints(picture);
  context.lineWidth = 1.5;
  context.save();
  const plot = new Path2D();
  plot.rect(NAMES_WIDTH, LANES_TOP, picture.width - NAMES_WIDTH, picture.height - LANES_TOP);
  context.clip(plot);
  let to = cursorOrder;
  timeline.senderChain(cursorOrder, 8).forEach((from, i) => {
    context.globalAlpha = 1 - i / 10;
    paintArrow(context, point(from), point(to), colours.accent);
    to = from;
  });
  context.globalAlpha = 0.75;
  for (const receiver of timeline.receivers(cursorOrder).subarray(0, MAX_ARROWS))
    paintArrow(context, point(cursorOrder), point(receiver), colours.text);
  context.restore();
  context.lineWidth = 1;
}

type OptionalPoint = readonly [x: number, y: number] | undefined;

/** Returns a function that returns the point of a task in the picture; undefined for an actor without a row. */
function taskPoints({ rows, scrollTop, scale, width, timeline }: Picture): (order: number) => OptionalPoint {
  const rowIndexes = rowIndexByActor(rows);
  const plotWidth = width - NAMES_WIDTH;
  return (order) => {
    const row = rowIndexes.get(timeline.actor(order) ?? -1);
    if (row === undefined) return undefined;
    return [
      NAMES_WIDTH + scale.x(scale.valueOf(order, timeline), plotWidth),
      LANES_TOP + row * ROW_HEIGHT - scrollTop + ROW_HEIGHT / 2,
    ];
  };
}

function paintArrow(context: Context, from: OptionalPoint, to: OptionalPoint, colour: string): void {
  if (from === undefined || to === undefined) return;
  const [[x1, y1], [x2, y2]] = [from, to];
  const bend = Math.min(60, Math.abs(x2 - x1) / 2 + 8);
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x1, y1);
  context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2 - 4, y2);
  context.stroke();
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - 7, y2 - 3.5);
  context.lineTo(x2 - 7, y2 + 3.5);
  context.fill();
}

const fittedTexts = new Map<string, string>();

/** Shortens a name to a width, in the middle: actors of one class differ only at the end. */
function fitText(context: Context, text: string, width: number): string {
  let found = fittedTexts.get(text);
  if (found !== undefined) return found;
  found = text;
  for (let kept = text.length - 1; kept > 4 && context.measureText(found).width > width; kept--) {
    const head = Math.ceil(kept * 0.6);
    found = `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
  }
  if (fittedTexts.size > 20_000) fittedTexts.clear();
  fittedTexts.set(text, found);
  return found;
}
