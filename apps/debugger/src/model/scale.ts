// What of a time line is seen, and where: a piece of the recording over so many pixels, by the places of stretches (each as wide as any other) or by time. Changes answer a new one, never beyond the recording.
import type { TimeLine } from './time-line.ts';

export type ScaleKind = 'order' | 'time';

/** What a stretch is drawn by. */
type Value = number;

/** No less of a recording is seen than so much: stretches, milliseconds. */
const LEAST: Readonly<Record<ScaleKind, number>> = { order: 8, time: 0.05 };

export class Scale {
  readonly by: ScaleKind;
  readonly from: Value;
  readonly to: Value;
  /** Of the whole recording. */
  readonly begin: Value;
  readonly end: Value;

  private constructor(by: ScaleKind, [begin, end]: readonly [number, number], [from, to]: readonly [number, number]) {
    this.by = by;
    this.begin = begin;
    this.end = end;
    this.from = from;
    this.to = to;
  }

  /** All of it. */
  static of(by: ScaleKind, timeLine: TimeLine): Scale {
    const whole =
      by === 'order' ? ([1, timeLine.count + 1] as const) : ([0, timeLine.duration * 1.001 + 0.05] as const);
    return new Scale(by, whole, whole);
  }

  valueOf(order: number, timeLine: TimeLine): Value {
    if (this.by === 'order') return order;
    return order > timeLine.filled ? this.end : timeLine.time(order);
  }

  x(value: Value, width: number): number {
    return ((value - this.from) / (this.to - this.from)) * width;
  }

  at(x: number, width: number): Value {
    return this.from + (x / width) * (this.to - this.from);
  }

  /** @param factor below 1 to see less and that larger. @param about what stays where it is */
  zoomed(factor: number, about: Value): Scale {
    const most = this.end - this.begin;
    const now = this.to - this.from;
    const length = Math.min(most, Math.max(Math.min(LEAST[this.by], most), now * factor));
    const from = about - ((about - this.from) / now) * length;
    return this.#seen(from, length);
  }

  /** @param part of what is seen, to the right if it is above 0 */
  moved(part: number): Scale {
    const length = this.to - this.from;
    return this.#seen(this.from + part * length, length);
  }

  /** As it is, if this is seen with some space beside; otherwise with this in the middle. */
  showing(value: Value): Scale {
    const length = this.to - this.from;
    const beside = length / 20;
    const isLeft = value < this.from + beside && this.from > this.begin;
    const isRight = value > this.to - beside && this.to < this.end;
    return isLeft || isRight ? this.#seen(value - length / 2, length) : this;
  }

  /** From here to there, in whichever order. */
  between(one: Value, other: Value): Scale {
    const [from, to] = one < other ? [one, other] : [other, one];
    return this.#seen(from, Math.max(to - from, Math.min(LEAST[this.by], this.end - this.begin)));
  }

  #seen(from: Value, length: number): Scale {
    const begin = Math.max(this.begin, Math.min(from, this.end - length));
    return new Scale(this.by, [this.begin, this.end], [begin, Math.min(this.end, begin + length)]);
  }
}
