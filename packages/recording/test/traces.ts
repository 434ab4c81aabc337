// Random events for tests, a memory to write them to, and the events read from any bytes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  OutputSums,
  RecordingError,
  type OutputSum,
  type TraceEvent,
  type TraceSink,
  type TraceSource,
  type TraceValue,
} from '@turntable/recording';
import { TraceDecoder } from '../src/trace/trace-decoder.ts';
import { TraceEncoder } from '../src/trace/trace-encoder.ts';
import { ChunkWriter } from '../src/trace/chunk-writer.ts';
import { encodeTraceBlock, encodeTraceHeader, EVENTS_BLOCK, MARK_BLOCK } from '../src/trace/trace-format.ts';

/** Provider that keeps all of its chunks, which have one size. */
export class MemoryChunks {
  readonly all: Uint8Array[] = [];
  readonly stops: string[] = [];
  readonly #size: number;
  #current: Uint8Array;

  constructor(size: number) {
    this.#size = size;
    this.#current = new Uint8Array(size);
  }

  first(): Uint8Array {
    return this.#current;
  }

  nextChunk(length: number, minLength: number): Uint8Array {
    this.all.push(this.#current.slice(0, length));
    return (this.#current = new Uint8Array(Math.max(this.#size, minLength)));
  }

  stop(length: number, reason: string): void {
    this.all.push(this.#current.slice(0, length));
    this.stops.push(reason);
  }

  finish(length: number): Uint8Array {
    return Buffer.concat([...this.all, ...(this.stops.length === 0 ? [this.#current.subarray(0, length)] : [])]);
  }
}

export interface EncodedTrace {
  readonly bytes: Uint8Array;
  /** Full chunks. */
  readonly pieces: readonly Uint8Array[];
  readonly stops: readonly string[];
}

export function encodeTrace(events: readonly TraceEvent[], size = 1 << 16): EncodedTrace {
  const pieces = new MemoryChunks(size);
  const writer = new ChunkWriter(pieces, pieces.first());
  const encoder = new TraceEncoder(writer);
  for (const event of events) writeEvent(encoder, event);
  return { bytes: pieces.finish(writer.wholeEventBytes), pieces: pieces.all, stops: pieces.stops };
}

export function writeEvent(
  sink: Pick<TraceSink, 'writeMessages' | 'writeSchedulerEvent' | 'writeEntry' | 'writeOutcome' | 'noteOutput'>,
  event: TraceEvent,
): void {
  for (const { stream, checksum } of event.output ?? []) sink.noteOutput(stream, printedTexts.get(checksum) as string);
  if (event.type === 'messages') sink.writeMessages(event.round, event.turns, event.worker, event.count);
  else if (event.type === 'scheduler')
    sink.writeSchedulerEvent(event.round, event.turns, event.kind, event.key, event.value);
  else if (event.type === 'entry') sink.writeEntry(event.round, event.step, event.source, event.id, event.value);
  else sink.writeOutcome(event.source, event.value);
}

const damaged = (expected: string): RecordingError => new RecordingError('TT_RECORDING', `expected ${expected}`);

/** Decodes the bytes, fed in parts of `part` bytes. */
export function decodeTrace(bytes: Uint8Array, part = bytes.length): { events: TraceEvent[]; rest: number } {
  const decoder = new TraceDecoder(damaged);
  const events: TraceEvent[] = [];
  for (let at = 0; at < bytes.length; at += part) {
    decoder.feed(bytes.subarray(at, at + part));
    for (let next = decoder.next(false); next !== undefined; next = decoder.next(false)) events.push(next);
  }
  for (let next = decoder.next(true); next !== undefined; next = decoder.next(true)) events.push(next);
  return { events, rest: decoder.unreadBytes };
}

const numbers = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(-0, 0, 127, 128, -1, 2 ** 51, 2 ** 52, -(2 ** 51), Number.NaN, Infinity),
  fc.nat(2 ** 31 - 1).map((nanoseconds) => nanoseconds / 1e6),
);

export const values: fc.Arbitrary<TraceValue> = fc.letrec<{ value: TraceValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    numbers,
    fc.constantFrom(undefined, null, true, false),
    fc.bigInt(),
    fc.string(),
    fc.string({ unit: 'binary', maxLength: 80 }),
    // With single surrogates.
    fc.array(fc.nat(0xffff), { maxLength: 5 }).map((units) => String.fromCharCode(...units)),
    fc.uint8Array({ maxLength: 200 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '1')), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value;

/** The sum of a text that a thread has printed at once. */
export function outputOf(stream: number, text: string): OutputSum {
  const sums = new OutputSums();
  sums.add(stream, text);
  return sums.take()[0] as OutputSum;
}

const printedTexts = new Map(['hello', 'ü\n', 'x'.repeat(300)].map((text) => [outputOf(1, text).checksum, text]));
const outputs = fc
  .subarray([1, 2])
  .chain((streams) =>
    fc.tuple(
      ...streams.map((stream) => fc.constantFrom(...printedTexts.values()).map((text) => outputOf(stream, text))),
    ),
  );

const sources = fc.oneof(fc.integer({ min: 1, max: 15 }), fc.nat(300));
const steps = fc.oneof(fc.nat(3), fc.nat(200), fc.nat(2 ** 33));
const words = fc.oneof(fc.constantFrom('class', 'phase', 'round-length', '12', ''), fc.string({ maxLength: 400 }));

/** Random events whose positions are differences to the previous event. */
const event = fc.oneof(
  fc.record({ type: fc.constant('messages' as const), round: steps, turns: steps, worker: fc.nat(9), count: steps }),
  fc.record({
    type: fc.constant('scheduler' as const),
    round: steps,
    turns: steps,
    kind: words,
    key: words,
    value: values,
  }),
  fc.record({
    type: fc.constant('entry' as const),
    round: steps,
    step: steps,
    source: sources,
    id: fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
    value: values,
  }),
  fc.record({ type: fc.constant('outcome' as const), source: sources, value: fc.oneof(numbers, fc.bigInt(), values) }),
);

const eventsAfterOutput = fc.tuple(event, outputs).map(([each, output]) => ({
  ...each,
  ...(output.length > 0 && { output }),
}));
/** Events with ascending positions. */
export const traces: fc.Arbitrary<TraceEvent[]> = fc.array(eventsAfterOutput, { maxLength: 60 }).map((all) => {
  let [round, turns, step] = [0, 0, 0];
  return all.map((each): TraceEvent => {
    if (each.type === 'outcome') return each;
    round += each.round;
    if (each.type === 'entry') return { ...each, round, step: (step += each.step) };
    return { ...each, round, turns: (turns += each.turns) };
  });
});

/** Values as a source returns them: plain bytes, and no prototypes. */
export function takeAll(source: TraceSource): TraceEvent[] {
  const events: TraceEvent[] = [];
  for (let next = source.next; next !== undefined; next = source.next) {
    events.push(next);
    source.take();
  }
  return events;
}

export const SEGMENT = { phase: 0, worker: 1, epoch: 1, earlierLosses: 1 };

/** Bytes of a segment file: a block for each list of events, and an optional mark. */
export function segmentOf(blocks: readonly Uint8Array[], next?: number | 'ended', segment = SEGMENT): Uint8Array {
  const pieces: Uint8Array[] = [encodeTraceHeader(segment)];
  let eventOffset = 0;
  for (const block of blocks) {
    pieces.push(...encodeTraceBlock(EVENTS_BLOCK, block, eventOffset, 1));
    eventOffset += block.length;
  }
  if (next !== undefined) {
    const mark = Buffer.alloc(9);
    if (next !== 'ended') {
      mark.writeUInt8(1, 0);
      mark.writeBigUInt64LE(BigInt(next), 1);
    }
    pieces.push(...encodeTraceBlock(MARK_BLOCK, mark, eventOffset, 1));
  }
  return Buffer.concat(pieces);
}

export function writeSegment(directory: string, name: string, bytes: Uint8Array): void {
  writeFileSync(join(directory, 'traces', name), bytes);
}
