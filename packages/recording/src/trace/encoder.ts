// Events as bytes. What an event usually is takes the fewest: messages of a neighbour two or three bytes, the time two or three. Positions
// are told by how far they are from those before, numbers that a source answers by what has been added to its last one. Nothing is
// allocated for what comes often. docs/formats.md, "A trace", is the contract.

import type { TraceValue } from './events.ts';
import type { Pen } from './pen.ts';
import { DELTA_LIMIT, ENTRY, FORM, HAPPENED, MESSAGES, OUTCOME_OF_OTHERS, SOURCES_INSIDE } from './trace-format.ts';
import { writeRepeated, writeValue } from './values.ts';

export class TraceEncoder {
  readonly #pen: Pen;
  #round = 0;
  #turns = 0;
  #step = 0;
  /** The last number of each entry, of each source. */
  readonly #ids = new Float64Array(SOURCES_INSIDE);
  readonly #integers = new Float64Array(SOURCES_INSIDE);
  readonly #nanoseconds = new Float64Array(SOURCES_INSIDE);
  readonly #bigints: bigint[] = Array.from({ length: SOURCES_INSIDE }, () => 0n);

  constructor(pen: Pen) {
    this.#pen = pen;
  }

  messages(round: number, turns: number, worker: number, count: number): void {
    const pen = this.#pen;
    pen.begin();
    const rounds = round - this.#round;
    const isNear = rounds >= 0 && rounds < 3;
    const isFew = count > 0 && count < 4;
    pen.byte(MESSAGES | ((isNear ? rounds : 3) << 5) | ((isFew ? count : 0) << 3) | (worker < 7 ? worker : 7));
    if (!isNear) pen.varint(rounds);
    pen.varint(turns - this.#turns);
    if (!isFew) pen.varint(count);
    if (worker >= 7) pen.varint(worker);
    this.#round = round;
    this.#turns = turns;
  }

  happened(round: number, turns: number, kind: string, key: string, value?: TraceValue): void {
    const pen = this.#pen;
    pen.begin();
    pen.byte(HAPPENED);
    pen.varint(round - this.#round);
    pen.varint(turns - this.#turns);
    this.#round = round;
    this.#turns = turns;
    writeRepeated(pen, kind);
    writeRepeated(pen, key);
    writeValue(pen, value);
  }

  entry(round: number, step: number, source: number, id: number, value?: TraceValue): void {
    const pen = this.#pen;
    pen.begin();
    const isInside = source > 0 && source < SOURCES_INSIDE;
    const isHere = round === this.#round;
    pen.byte(ENTRY | (value === undefined ? 0 : 0x20) | (isHere ? 0 : 0x10) | (isInside ? source : 0));
    if (!isInside) pen.varint(source);
    if (!isHere) pen.varint(round - this.#round);
    pen.varint(step - this.#step);
    const place = isInside ? source : 0;
    pen.zigzag(id - (this.#ids[place] ?? 0));
    this.#ids[place] = id;
    this.#round = round;
    this.#step = step;
    if (value !== undefined) writeValue(pen, value);
  }

  outcome(source: number, value: TraceValue): void {
    const pen = this.#pen;
    pen.begin();
    if (!(source > 0 && source < SOURCES_INSIDE)) {
      pen.byte(OUTCOME_OF_OTHERS);
      pen.varint(source);
    } else if (typeof value === 'number') {
      if (this.#number(source, value)) return;
      pen.byte(FORM.value | source);
    } else if (typeof value === 'bigint') {
      if (this.#bigint(source, value)) return;
      pen.byte(FORM.value | source);
    } else pen.byte(FORM.value | source);
    writeValue(pen, value);
  }

  /** Nothing of what came before counts any more. */
  protected forget(): void {
    this.#round = 0;
    this.#turns = 0;
    this.#step = 0;
    this.#ids.fill(0);
    this.#integers.fill(0);
    this.#nanoseconds.fill(0);
    this.#bigints.fill(0n);
  }

  /** As so much more than the source's last one: a clock's milliseconds, or its nanoseconds as milliseconds. */
  #number(source: number, value: number): boolean {
    const pen = this.#pen;
    if (Number.isInteger(value)) {
      const more = value - (this.#integers[source] ?? 0);
      if (!(Math.abs(more) < DELTA_LIMIT && Math.abs(value) < DELTA_LIMIT) || Object.is(value, -0)) return false;
      pen.byte(FORM.integer | source);
      pen.zigzag(more);
      this.#integers[source] = value;
      return true;
    }
    const nanoseconds = Math.round(value * 1e6);
    const more = nanoseconds - (this.#nanoseconds[source] ?? 0);
    const isExact = nanoseconds / 1e6 === value;
    if (!(isExact && Math.abs(nanoseconds) < DELTA_LIMIT && Math.abs(more) < DELTA_LIMIT)) return false;
    pen.byte(FORM.nanoseconds | source);
    pen.zigzag(more);
    this.#nanoseconds[source] = nanoseconds;
    return true;
  }

  #bigint(source: number, value: bigint): boolean {
    const more = Number(value - (this.#bigints[source] ?? 0n));
    if (!(Math.abs(more) < DELTA_LIMIT)) return false;
    this.#pen.byte(FORM.bigint | source);
    this.#pen.zigzag(more);
    this.#bigints[source] = value;
    return true;
  }
}
