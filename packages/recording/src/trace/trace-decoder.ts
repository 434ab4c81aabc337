// Decodes the bytes of a trace into events, without knowing about files. For any bytes the result is a number of whole
// events, followed by a request for more bytes or an error.

import type { RecordingError } from '../recording-error.ts';
import { STANDARD_ERROR, STANDARD_OUTPUT, type OutputSum } from './output-sums.ts';
import { TraceByteReader, NEED_MORE_BYTES } from './trace-byte-reader.ts';
import type {
  EntryEvent,
  SchedulerEvent,
  MessagesEvent,
  OutcomeEvent,
  TraceEvent,
  TraceValue,
} from './trace-events.ts';
import {
  PROGRESS_TAG,
  ENTRY_TAG,
  OUTCOME_FORM,
  SCHEDULER_EVENT_TAG,
  MESSAGES_TAG,
  OUTPUT_TAG,
  LARGE_SOURCE_OUTCOME,
  INLINE_SOURCES,
} from './trace-format.ts';
import { readKnownText, readValue } from './trace-values.ts';

export class TraceDecoder {
  readonly #reader: TraceByteReader;
  #round = 0;
  #turns = 0;
  #step = 0;
  readonly #lastIds = new Float64Array(INLINE_SOURCES);
  readonly #lastIntegers = new Float64Array(INLINE_SOURCES);
  readonly #lastNanoseconds = new Float64Array(INLINE_SOURCES);
  readonly #lastBigints: bigint[] = Array.from({ length: INLINE_SOURCES }, () => 0n);

  /** Output before the next event. */
  #output: OutputSum[] = [];

  #progress: number | undefined;

  /** @param createError creates the error that locates invalid bytes */
  constructor(createError: (expected: string) => RecordingError) {
    this.#reader = new TraceByteReader(createError);
  }

  feed(bytes: Uint8Array): void {
    this.#reader.feed(bytes);
  }

  /** Number of bytes after the last whole event. */
  get unreadBytes(): number {
    return this.#reader.unreadBytes;
  }

  /** Progress of the worker, according to the bytes read so far; undefined if they do not say. */
  get progress(): number | undefined {
    return this.#progress;
  }

  /** Returns the next event; undefined if more bytes are needed. @param isComplete whether no more bytes follow */
  next(isComplete: boolean): TraceEvent | undefined {
    const reader = this.#reader;
    while (reader.beginEvent(isComplete)) {
      try {
        const item = this.#readItem();
        reader.acceptEvent();
        if (typeof item === 'number') this.#progress = item;
        else if ('stream' in item) this.#output.push(item);
        else return this.#output.length === 0 ? item : { ...item, output: this.takeOutput() };
      } catch (error) {
        if (error !== NEED_MORE_BYTES) throw error;
        reader.retryEvent();
      }
    }
    return undefined;
  }

  /** Returns the output before the next event, and forgets it. */
  takeOutput(): readonly OutputSum[] {
    const output = this.#output;
    this.#output = [];
    return output;
  }

  /** Reads an event, the output before one, or the progress. */
  #readItem(): TraceEvent | OutputSum | number {
    const firstByte = this.#reader.byte();
    if (firstByte === PROGRESS_TAG) return this.#reader.varint();
    if (firstByte === OUTPUT_TAG) return this.#readOutput();
    if (firstByte >= MESSAGES_TAG) return this.#readMessages(firstByte);
    if (firstByte >= ENTRY_TAG) return this.#readEntry(firstByte);
    if (firstByte === SCHEDULER_EVENT_TAG) return this.#readSchedulerEvent();
    return this.#readOutcome(firstByte);
  }

  #readOutput(): OutputSum {
    const reader = this.#reader;
    const stream = reader.varint();
    const bytes = reader.varint();
    const checksum = reader.varint();
    const isStandard = stream === STANDARD_OUTPUT || stream === STANDARD_ERROR;
    if (!isStandard || bytes === 0 || checksum > 0xffff_ffff) throw reader.damagedError('the sum of an output');
    return { stream, bytes, checksum };
  }

  #readMessages(firstByte: number): MessagesEvent {
    const reader = this.#reader;
    const roundDelta = (firstByte >> 5) & 3;
    const round = this.#add(this.#round, roundDelta === 3 ? reader.varint() : roundDelta);
    const turns = this.#add(this.#turns, reader.varint());
    const inlineCount = (firstByte >> 3) & 3;
    const count = inlineCount === 0 ? reader.varint() : inlineCount;
    const inlineWorker = firstByte & 7;
    const worker = inlineWorker === 7 ? reader.varint() : inlineWorker;
    this.#round = round;
    this.#turns = turns;
    return { type: 'messages', round, turns, worker, count };
  }

  #readSchedulerEvent(): SchedulerEvent {
    const reader = this.#reader;
    const round = this.#add(this.#round, reader.varint());
    const turns = this.#add(this.#turns, reader.varint());
    const kind = readKnownText(reader);
    const key = readKnownText(reader);
    const value = readValue(reader);
    this.#round = round;
    this.#turns = turns;
    return { type: 'scheduler', round, turns, kind, key, value };
  }

  #readEntry(firstByte: number): EntryEvent {
    const reader = this.#reader;
    const slot = firstByte & 0x0f;
    const source = slot === 0 ? reader.varint() : slot;
    const round = this.#add(this.#round, (firstByte & 0x10) === 0 ? 0 : reader.varint());
    const step = this.#add(this.#step, reader.varint());
    const id = this.#add(this.#lastIds[slot] ?? 0, reader.zigzag());
    const value = (firstByte & 0x20) === 0 ? undefined : readValue(reader);
    this.#round = round;
    this.#step = step;
    this.#lastIds[slot] = id;
    return { type: 'entry', round, step, source, id, value };
  }

  #readOutcome(firstByte: number): OutcomeEvent {
    const source = firstByte & 0x0f;
    if (source === 0) {
      if (firstByte !== LARGE_SOURCE_OUTCOME) throw this.#reader.damagedError('an event');
      return { type: 'outcome', source: this.#reader.varint(), value: readValue(this.#reader) };
    }
    return { type: 'outcome', source, value: this.#readOutcomeValue(firstByte - source, source) };
  }

  #readOutcomeValue(form: number, source: number): TraceValue {
    const reader = this.#reader;
    switch (form) {
      case OUTCOME_FORM.integer:
        return (this.#lastIntegers[source] = this.#add(this.#lastIntegers[source] ?? 0, reader.zigzag()));
      case OUTCOME_FORM.nanoseconds:
        return (this.#lastNanoseconds[source] = this.#add(this.#lastNanoseconds[source] ?? 0, reader.zigzag())) / 1e6;
      case OUTCOME_FORM.bigint:
        return (this.#lastBigints[source] = (this.#lastBigints[source] ?? 0n) + BigInt(reader.zigzag()));
      default:
        return readValue(reader);
    }
  }

  #add(previous: number, delta: number): number {
    const sum = previous + delta;
    if (!Number.isSafeInteger(sum)) throw this.#reader.damagedError('a number below 2^53');
    return sum;
  }
}
