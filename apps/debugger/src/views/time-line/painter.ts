// The time line as a picture: a strip of the whole recording, a ruler, a lane for each actor, and the messages of the stretch where one stands. Painted anew as a whole each time; what that takes
// depends on the pixels and not on the recording (model/runs.ts).
import type { Focus } from '../../model/focus.ts';
import { laneOf, markedIn, rowsOfActors, type Row } from '../../model/lanes.ts';
import { eachRun } from '../../model/runs.ts';
import type { Scale } from '../../model/scale.ts';
import type { TimeLine } from '../../model/time-line.ts';
import type { Colours } from './colours.ts';
import { grouped, ticksOf } from './ticks.ts';

/** Pixels. */
export const NAMES = 176;
export const STRIP = 26;
export const RULER = 22;
export const ROW = 20;
export const TOP: number = STRIP + RULER;
/** Messages that are drawn of one stretch. */
export const MOST_ARROWS = 60;

export interface Picture {
  readonly timeLine: TimeLine;
  readonly rows: readonly Row[];
  readonly scale: Scale;
  /** Pixels of the lanes that are above what is seen. */
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Where one stands: the place of a stretch. */
  readonly at: number | undefined;
  readonly pointed: number | undefined;
  /** The piece that views are narrowed to. */
  readonly focus: Focus | undefined;
  /** Places of stretches that somebody has marked. */
  readonly bookmarked: readonly number[];
  /** Places in the list of marks. */
  readonly error: number;
  readonly outputs: readonly number[];
  readonly cuts: readonly number[];
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
  plot.rect(0, TOP, width, Math.max(0, height - TOP));
  context.save();
  context.clip(plot);
  const { top, rows } = picture;
  const first = Math.max(0, Math.floor(top / ROW));
  const last = Math.min(rows.length, Math.ceil((top + height - TOP) / ROW));
  for (let i = first; i < last; i++) {
    const row = rows[i];
    if (row !== undefined) paintRow(context, { picture, colours, row, place: i, y: TOP + i * ROW - top });
  }
  paintCuts(context, picture, colours);
  paintFocus(context, picture, colours);
  paintPlace(context, picture, colours);
  paintMessages(context, picture, colours);
  context.restore();
  paintStrip(context, picture, colours);
  paintFocusEdge(context, picture, colours);
}

/** From where to where, in pixels; nothing, if views show all. */
function focusedPixels({ focus, scale, timeLine, width }: Picture): readonly [from: number, to: number] | undefined {
  if (focus === undefined) return undefined;
  const across = width - NAMES;
  const x = (value: number): number => NAMES + Math.max(0, Math.min(across, scale.x(value, across)));
  const behind = scale.by === 'order' ? focus.to + 1 : scale.valueOf(focus.to, timeLine);
  const [from, to] = [x(scale.valueOf(focus.from, timeLine)), x(behind)];
  return [from, Math.max(from + 2, to)];
}

/** What views leave out is pale. */
function paintFocus(context: Context, picture: Picture, colours: Colours): void {
  const pixels = focusedPixels(picture);
  if (pixels === undefined) return;
  const [from, to] = pixels;
  const { width, height } = picture;
  context.globalAlpha = 0.7;
  context.fillStyle = colours.ground;
  context.fillRect(NAMES, TOP, from - NAMES, height - TOP);
  context.fillRect(to, TOP, width - to, height - TOP);
  context.globalAlpha = 1;
}

function paintFocusEdge(context: Context, picture: Picture, colours: Colours): void {
  const pixels = focusedPixels(picture);
  if (pixels === undefined) return;
  const [from, to] = pixels;
  context.fillStyle = colours.accent;
  context.fillRect(from, TOP - 4, to - from, 4);
  for (const x of [from, to - 1]) context.fillRect(x, TOP, 1, picture.height - TOP);
}

function paintStrip(context: Context, { scale, width, profile, at, timeLine }: Picture, colours: Colours): void {
  const across = width - NAMES;
  context.fillStyle = colours.raised;
  context.fillRect(0, 0, width, STRIP);
  const x = (value: number): number => NAMES + ((value - scale.begin) / (scale.end - scale.begin)) * across;
  context.fillStyle = colours.quiet;
  const wide = across / profile.length;
  profile.forEach((part, i) => {
    const tall = part * (STRIP - 6);
    if (part > 0) context.fillRect(NAMES + i * wide, STRIP - 2 - tall, Math.max(1, wide - 0.5), tall);
  });
  const [from, to] = [x(scale.from), x(scale.to)];
  context.globalAlpha = 0.16;
  context.fillStyle = colours.accent;
  context.fillRect(from, 0, Math.max(2, to - from), STRIP);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 1;
  context.strokeRect(from + 0.5, 0.5, Math.max(2, to - from - 1), STRIP - 1);
  if (at !== undefined) {
    context.fillStyle = colours.accent;
    context.fillRect(Math.round(x(scale.valueOf(at, timeLine))) - 1, 0, 2, STRIP);
  }
  context.fillStyle = colours.quiet;
  context.fillText('whole recording', 12, STRIP / 2);
}

function paintRuler(context: Context, { scale, width, bookmarked, timeLine }: Picture, colours: Colours): void {
  context.fillStyle = colours.raised;
  context.fillRect(0, STRIP, width, RULER);
  const across = width - NAMES;
  context.fillStyle = colours.quiet;
  context.fillText(scale.by === 'order' ? 'turn by turn' : 'by time', 12, STRIP + RULER / 2);
  for (const { value, text } of ticksOf(scale, across)) {
    const x = Math.round(NAMES + scale.x(value, across));
    context.fillStyle = colours.line;
    context.fillRect(x, STRIP + RULER - 5, 1, 5);
    context.fillStyle = colours.quiet;
    if (x + 60 < width) context.fillText(text, x + 4, STRIP + RULER / 2);
  }
  context.fillStyle = colours.line;
  context.fillRect(0, TOP - 1, width, 1);
  context.fillStyle = colours.accent;
  for (const order of bookmarked) {
    const x = Math.round(NAMES + scale.x(scale.valueOf(order, timeLine), across));
    if (x < NAMES || x > width) continue;
    context.beginPath();
    context.moveTo(x - 4, TOP - 9);
    context.lineTo(x + 4, TOP - 9);
    context.lineTo(x, TOP - 1);
    context.fill();
  }
}

interface PaintedRow {
  readonly picture: Picture;
  readonly colours: Colours;
  readonly row: Row;
  readonly place: number;
  readonly y: number;
}

function paintRow(context: Context, { picture, colours, row, place, y }: PaintedRow): void {
  const { timeLine, scale, width, at, error, outputs, rows } = picture;
  const { actor, name, group, isOpen } = row;
  if (actor === undefined && group === undefined) {
    context.fillStyle = colours.raised;
    context.fillRect(0, y, width, ROW);
    context.fillStyle = colours.quiet;
    context.fillText(name, 12, y + ROW / 2);
    return;
  }
  const isHere = at !== undefined && rowsOfActors(rows).get(timeLine.actor(at) ?? -1) === place;
  context.fillStyle = isHere ? colours.accent : colours.text;
  if (group === undefined) context.fillText(fitted(context, name, NAMES - 36), 24, y + ROW / 2);
  else {
    context.fillText(isOpen === true ? '▾' : '▸', 12, y + ROW / 2);
    context.fillText(fitted(context, `${name} (${grouped(group.actors.length)})`, NAMES - 36), 24, y + ROW / 2);
  }
  const lane = laneOf(row, timeLine);
  if (lane === undefined) return;
  const across = width - NAMES;
  const its = { scale, width: across, timeLine };
  const wide = scale.by === 'order' ? Math.max(1, across / (scale.to - scale.from) - 1) : 2;
  eachRun(lane, its, (x, order, count) => {
    context.fillStyle = colours.kinds[timeLine.kind(order)] ?? colours.quiet;
    // Many in one pixel are drawn taller, as far as there is room.
    const tall = Math.min(ROW - 4, 10 + Math.log2(count) * 2);
    // Of one that began before only what is seen.
    const left = Math.max(0, x);
    context.fillRect(NAMES + left, y + (ROW - tall) / 2, Math.max(1, wide + x - left), tall);
  });
  for (const output of outputs)
    eachRun(markedIn(row, output, timeLine), its, (x) => {
      context.fillStyle = colours.output;
      context.fillRect(NAMES + x, y + ROW - 4, Math.max(2, wide), 2);
    });
  eachRun(markedIn(row, error, timeLine), its, (x) => {
    context.fillStyle = colours.error;
    context.fillRect(NAMES + x, y + 1, Math.max(3, Math.min(wide, 8)), ROW - 2);
  });
}

function paintCuts(context: Context, { cuts, scale, width, height, timeLine }: Picture, colours: Colours): void {
  const across = width - NAMES;
  context.strokeStyle = colours.quiet;
  context.setLineDash([2, 4]);
  context.beginPath();
  for (const order of cuts) {
    const x = Math.round(NAMES + scale.x(scale.valueOf(order, timeLine), across)) - 0.5;
    if (x < NAMES || x > width) continue;
    context.moveTo(x, TOP);
    context.lineTo(x, height);
  }
  context.stroke();
  context.setLineDash([]);
}

function paintPlace(context: Context, picture: Picture, colours: Colours): void {
  const { at, pointed, scale, width, height, timeLine } = picture;
  const across = width - NAMES;
  for (const [order, colour] of [
    [pointed, colours.line],
    [at, colours.accent],
  ] as const) {
    if (order === undefined) continue;
    const x = NAMES + scale.x(scale.valueOf(order, timeLine), across);
    if (x < NAMES - 1 || x > width) continue;
    context.fillStyle = colour;
    context.fillRect(Math.round(x), TOP, order === at ? 2 : 1, height - TOP);
  }
}

/** Of the stretch where one stands: the chain of messages that led there, and those that it has sent. */
function paintMessages(context: Context, picture: Picture, colours: Colours): void {
  const { at, timeLine } = picture;
  if (at === undefined || at > timeLine.count) return;
  const point = pointsOf(picture);
  context.lineWidth = 1.5;
  context.save();
  const plot = new Path2D();
  plot.rect(NAMES, TOP, picture.width - NAMES, picture.height - TOP);
  context.clip(plot);
  let to = at;
  timeLine.chainTo(at, 8).forEach((from, i) => {
    context.globalAlpha = 1 - i / 10;
    arrow(context, point(from), point(to), colours.accent);
    to = from;
  });
  context.globalAlpha = 0.75;
  for (const receiver of timeLine.receivers(at).subarray(0, MOST_ARROWS))
    arrow(context, point(at), point(receiver), colours.text);
  context.restore();
  context.lineWidth = 1;
}

type Point = readonly [x: number, y: number] | undefined;

/** Nothing, if the actor has no row. */
function pointsOf({ rows, top, scale, width, timeLine }: Picture): (order: number) => Point {
  const places = rowsOfActors(rows);
  const across = width - NAMES;
  return (order) => {
    const row = places.get(timeLine.actor(order) ?? -1);
    if (row === undefined) return undefined;
    return [NAMES + scale.x(scale.valueOf(order, timeLine), across), TOP + row * ROW - top + ROW / 2];
  };
}

function arrow(context: Context, from: Point, to: Point, colour: string): void {
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

const fits = new Map<string, string>();

/** Cut off in its midst, where actors of one class differ least. */
function fitted(context: Context, text: string, width: number): string {
  let found = fits.get(text);
  if (found !== undefined) return found;
  found = text;
  for (let kept = text.length - 1; kept > 4 && context.measureText(found).width > width; kept--) {
    const head = Math.ceil(kept * 0.6);
    found = `${text.slice(0, head)}…${text.slice(text.length - (kept - head))}`;
  }
  if (fits.size > 20_000) fits.clear();
  fits.set(text, found);
  return found;
}
