// The visible range of the timeline and its mapping to pixels, by order (each task has the same width) or by time.
// Immutable; the visible range never exceeds the recording.
import type { Timeline } from './timeline.ts';

export type ScaleKind = 'order' | 'time';

/** The order of a task, or milliseconds since the first task started. */
type Value = number;

/** The minimum length of the visible range: a number of tasks, or milliseconds. */
const MIN_LENGTH: Readonly<Record<ScaleKind, number>> = { order: 8, time: 0.05 };

export class Scale {
  readonly kind: ScaleKind;
  readonly from: Value;
  readonly to: Value;
  /** The range of the whole recording; `from` and `to` are the visible range. */
  readonly start: Value;
  readonly end: Value;

  private constructor(kind: ScaleKind, [start, end]: readonly [number, number], [from, to]: readonly [number, number]) {
    this.kind = kind;
    this.start = start;
    this.end = end;
    this.from = from;
    this.to = to;
  }

  /** Returns a scale that shows the whole recording. */
  static of(kind: ScaleKind, timeline: Timeline): Scale {
    const whole =
      kind === 'order' ? ([1, timeline.taskCount + 1] as const) : ([0, timeline.durationMs * 1.001 + 0.05] as const);
    return new Scale(kind, whole, whole);
  }

  valueOf(order: number, timeline: Timeline): Value {
    if (this.kind === 'order') return order;
    return order > timeline.loadedCount ? this.end : timeline.startMs(order);
  }

  x(value: Value, width: number): number {
    return ((value - this.from) / (this.to - this.from)) * width;
  }

  valueAt(x: number, width: number): Value {
    return this.from + (x / width) * (this.to - this.from);
  }

  /** Zooms around a value, which keeps its place. @param factor below 1 to zoom in */
  zoomed(factor: number, anchor: Value): Scale {
    const wholeLength = this.end - this.start;
    const visible = this.to - this.from;
    const length = Math.min(wholeLength, Math.max(Math.min(MIN_LENGTH[this.kind], wholeLength), visible * factor));
    const from = anchor - ((anchor - this.from) / visible) * length;
    return this.#withVisible(from, length);
  }

  /** Moves the visible range. @param fraction of the range's length; positive to the right */
  panned(fraction: number): Scale {
    const length = this.to - this.from;
    return this.#withVisible(this.from + fraction * length, length);
  }

  /** Returns this scale if the value is visible with a margin, otherwise a scale centred on the value. */
  revealing(value: Value): Scale {
    const length = this.to - this.from;
    const margin = length / 20;
    const isLeft = value < this.from + margin && this.from > this.start;
    const isRight = value > this.to - margin && this.to < this.end;
    return isLeft || isRight ? this.#withVisible(value - length / 2, length) : this;
  }

  /** Returns a scale that shows the range between two values, in either order. */
  zoomedTo(first: Value, second: Value): Scale {
    const [from, to] = first < second ? [first, second] : [second, first];
    return this.#withVisible(from, Math.max(to - from, Math.min(MIN_LENGTH[this.kind], this.end - this.start)));
  }

  #withVisible(from: Value, length: number): Scale {
    const start = Math.max(this.start, Math.min(from, this.end - length));
    return new Scale(this.kind, [this.start, this.end], [start, Math.min(this.end, start + length)]);
  }
}
