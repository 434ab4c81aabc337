// Encodes events with the fewest bytes for the most frequent ones: two or three for messages of another worker or for
// the time. Positions, and numbers from one source, are deltas to the previous value. Frequent events allocate nothing.
// docs/internals/formats.md, "A trace", is the contract.

import type { TraceValue } from './trace-events.ts';
import type { ChunkWriter } from './chunk-writer.ts';
import {
  MAX_DELTA,
  ENTRY_TAG,
  OUTCOME_FORM,
  SCHEDULER_EVENT_TAG,
  MESSAGES_TAG,
  OUTPUT_TAG,
  LARGE_SOURCE_OUTCOME,
  INLINE_SOURCES,
} from './trace-format.ts';
import { OutputSums } from './output-sums.ts';
import { writeKnownText, writeValue } from './trace-values.ts';

export class TraceEncoder {
  readonly #writer: ChunkWriter;
  #round = 0;
  #turns = 0;
  #step = 0;
  /** Last entry id of each source. */
  readonly #lastIds = new Float64Array(INLINE_SOURCES);
  readonly #lastIntegers = new Float64Array(INLINE_SOURCES);
  readonly #lastNanoseconds = new Float64Array(INLINE_SOURCES);
  readonly #lastBigints: bigint[] = Array.from({ length: INLINE_SOURCES }, () => 0n);
  /** Output since the last event. */
  readonly #output = new OutputSums();

  constructor(writer: ChunkWriter) {
    this.#writer = writer;
  }

  noteOutput(stream: number, output: string | Uint8Array): void {
    this.#output.add(stream, output);
  }

  writeMessages(round: number, turns: number, worker: number, count: number): void {
    const writer = this.#writer;
    this.#beginEvent();
    const roundDelta = round - this.#round;
    const isInlineRound = roundDelta >= 0 && roundDelta < 3;
    const isInlineCount = count > 0 && count < 4;
    writer.byte(
      MESSAGES_TAG |
        ((isInlineRound ? roundDelta : 3) << 5) |
        ((isInlineCount ? count : 0) << 3) |
        (worker < 7 ? worker : 7),
    );
    if (!isInlineRound) writer.varint(roundDelta);
    writer.varint(turns - this.#turns);
    if (!isInlineCount) writer.varint(count);
    if (worker >= 7) writer.varint(worker);
    this.#round = round;
    this.#turns = turns;
  }

  writeSchedulerEvent(round: number, turns: number, kind: string, key: string, value?: TraceValue): void {
    const writer = this.#writer;
    this.#beginEvent();
    writer.byte(SCHEDULER_EVENT_TAG);
    writer.varint(round - this.#round);
    writer.varint(turns - this.#turns);
    this.#round = round;
    this.#turns = turns;
    writeKnownText(writer, kind);
    writeKnownText(writer, key);
    writeValue(writer, value);
  }

  writeEntry(round: number, step: number, source: number, id: number, value?: TraceValue): void {
    const writer = this.#writer;
    this.#beginEvent();
    const isInlineSource = source > 0 && source < INLINE_SOURCES;
    const isSameRound = round === this.#round;
    writer.byte(
      ENTRY_TAG | (value === undefined ? 0 : 0x20) | (isSameRound ? 0 : 0x10) | (isInlineSource ? source : 0),
    );
    if (!isInlineSource) writer.varint(source);
    if (!isSameRound) writer.varint(round - this.#round);
    writer.varint(step - this.#step);
    const slot = isInlineSource ? source : 0;
    writer.zigzag(id - (this.#lastIds[slot] ?? 0));
    this.#lastIds[slot] = id;
    this.#round = round;
    this.#step = step;
    if (value !== undefined) writeValue(writer, value);
  }

  writeOutcome(source: number, value: TraceValue): void {
    const writer = this.#writer;
    this.#beginEvent();
    if (!(source > 0 && source < INLINE_SOURCES)) {
      writer.byte(LARGE_SOURCE_OUTCOME);
      writer.varint(source);
    } else if (typeof value === 'number') {
      if (this.#writeNumber(source, value)) return;
      writer.byte(OUTCOME_FORM.value | source);
    } else if (typeof value === 'bigint') {
      if (this.#writeBigint(source, value)) return;
      writer.byte(OUTCOME_FORM.value | source);
    } else writer.byte(OUTCOME_FORM.value | source);
    writeValue(writer, value);
  }

  #beginEvent(): void {
    if (!this.#output.isEmpty) this.writeOutput();
    this.#writer.beginEvent();
  }

  /** Writes the sums of the output since the last event. */
  protected writeOutput(): void {
    const writer = this.#writer;
    for (const { stream, bytes, checksum } of this.#output.take()) {
      writer.beginEvent();
      writer.byte(OUTPUT_TAG);
      writer.varint(stream);
      writer.varint(bytes);
      writer.varint(checksum);
    }
  }

  /** Resets all deltas at the start of a segment. */
  protected resetDeltas(): void {
    this.#round = 0;
    this.#turns = 0;
    this.#step = 0;
    this.#lastIds.fill(0);
    this.#lastIntegers.fill(0);
    this.#lastNanoseconds.fill(0);
    this.#lastBigints.fill(0n);
  }

  /**
   * Writes a number as the delta to the source's last one, in units of 1 or 1e-6. Returns false if that is not exact.
   */
  #writeNumber(source: number, value: number): boolean {
    const writer = this.#writer;
    if (Number.isInteger(value)) {
      const delta = value - (this.#lastIntegers[source] ?? 0);
      if (!(Math.abs(delta) < MAX_DELTA && Math.abs(value) < MAX_DELTA) || Object.is(value, -0)) return false;
      writer.byte(OUTCOME_FORM.integer | source);
      writer.zigzag(delta);
      this.#lastIntegers[source] = value;
      return true;
    }
    const nanoseconds = Math.round(value * 1e6);
    const delta = nanoseconds - (this.#lastNanoseconds[source] ?? 0);
    const isExact = nanoseconds / 1e6 === value;
    if (!(isExact && Math.abs(nanoseconds) < MAX_DELTA && Math.abs(delta) < MAX_DELTA)) return false;
    writer.byte(OUTCOME_FORM.nanoseconds | source);
    writer.zigzag(delta);
    this.#lastNanoseconds[source] = nanoseconds;
    return true;
  }

  #writeBigint(source: number, value: bigint): boolean {
    const delta = Number(value - (this.#lastBigints[source] ?? 0n));
    if (!(Math.abs(delta) < MAX_DELTA)) return false;
    this.#writer.byte(OUTCOME_FORM.bigint | source);
    this.#writer.zigzag(delta);
    this.#lastBigints[source] = value;
    return true;
  }
}
