// Bytes of a trace as the events they are, one at a time. It is fed as bytes come, knows nothing of files, and whatever the bytes are, it answers
// the events that are whole, then says that it needs more, or why there can be none.

import type { RecordingError } from '../recording-error.ts';
import { Cursor, SHORT } from './cursor.ts';
import type { EntryEvent, HappenedEvent, MessagesEvent, OutcomeEvent, TraceEvent, TraceValue } from './events.ts';
import { ENTRY, FORM, HAPPENED, MESSAGES, OUTCOME_OF_OTHERS, SOURCES_INSIDE } from './trace-format.ts';
import { readRepeated, readValue } from './values.ts';

export class TraceDecoder {
  readonly #cursor: Cursor;
  #round = 0;
  #turns = 0;
  #step = 0;
  readonly #ids = new Float64Array(SOURCES_INSIDE);
  readonly #integers = new Float64Array(SOURCES_INSIDE);
  readonly #nanoseconds = new Float64Array(SOURCES_INSIDE);
  readonly #bigints: bigint[] = Array.from({ length: SOURCES_INSIDE }, () => 0n);

  /** @param damaged makes the error that says where such bytes are */
  constructor(damaged: (expected: string) => RecordingError) {
    this.#cursor = new Cursor(damaged);
  }

  feed(bytes: Uint8Array): void {
    this.#cursor.feed(bytes);
  }

  /** Bytes that have been fed and are no whole event. */
  get rest(): number {
    return this.#cursor.rest;
  }

  /** Nothing, if more bytes are needed. @param isAll whether no more come */
  next(isAll: boolean): TraceEvent | undefined {
    const cursor = this.#cursor;
    while (cursor.begin(isAll)) {
      try {
        const event = this.#event();
        cursor.accept();
        return event;
      } catch (error) {
        if (error !== SHORT) throw error;
        cursor.retreat();
      }
    }
    return undefined;
  }

  #event(): TraceEvent {
    const first = this.#cursor.byte();
    if (first >= MESSAGES) return this.#messages(first);
    if (first >= ENTRY) return this.#entry(first);
    if (first === HAPPENED) return this.#happened();
    return this.#outcome(first);
  }

  #messages(first: number): MessagesEvent {
    const cursor = this.#cursor;
    const rounds = (first >> 5) & 3;
    const round = this.#sum(this.#round, rounds === 3 ? cursor.varint() : rounds);
    const turns = this.#sum(this.#turns, cursor.varint());
    const few = (first >> 3) & 3;
    const count = few === 0 ? cursor.varint() : few;
    const near = first & 7;
    const worker = near === 7 ? cursor.varint() : near;
    this.#round = round;
    this.#turns = turns;
    return { what: 'messages', round, turns, worker, count };
  }

  #happened(): HappenedEvent {
    const cursor = this.#cursor;
    const round = this.#sum(this.#round, cursor.varint());
    const turns = this.#sum(this.#turns, cursor.varint());
    const kind = readRepeated(cursor);
    const key = readRepeated(cursor);
    const value = readValue(cursor);
    this.#round = round;
    this.#turns = turns;
    return { what: 'happened', round, turns, kind, key, value };
  }

  #entry(first: number): EntryEvent {
    const cursor = this.#cursor;
    const place = first & 0x0f;
    const source = place === 0 ? cursor.varint() : place;
    const round = this.#sum(this.#round, (first & 0x10) === 0 ? 0 : cursor.varint());
    const step = this.#sum(this.#step, cursor.varint());
    const id = this.#sum(this.#ids[place] ?? 0, cursor.zigzag());
    const value = (first & 0x20) === 0 ? undefined : readValue(cursor);
    this.#round = round;
    this.#step = step;
    this.#ids[place] = id;
    return { what: 'entry', round, step, source, id, value };
  }

  #outcome(first: number): OutcomeEvent {
    const source = first & 0x0f;
    if (source === 0) {
      if (first !== OUTCOME_OF_OTHERS) throw this.#cursor.expected('an event');
      return { what: 'outcome', source: this.#cursor.varint(), value: readValue(this.#cursor) };
    }
    return { what: 'outcome', source, value: this.#answer(first - source, source) };
  }

  #answer(form: number, source: number): TraceValue {
    const cursor = this.#cursor;
    switch (form) {
      case FORM.integer:
        return (this.#integers[source] = this.#sum(this.#integers[source] ?? 0, cursor.zigzag()));
      case FORM.nanoseconds:
        return (this.#nanoseconds[source] = this.#sum(this.#nanoseconds[source] ?? 0, cursor.zigzag())) / 1e6;
      case FORM.bigint:
        return (this.#bigints[source] = (this.#bigints[source] ?? 0n) + BigInt(cursor.zigzag()));
      default:
        return readValue(cursor);
    }
  }

  #sum(before: number, more: number): number {
    const sum = before + more;
    if (!Number.isSafeInteger(sum)) throw this.#cursor.expected('a number below 2^53');
    return sum;
  }
}
