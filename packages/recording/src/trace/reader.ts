// A worker's trace as it is taken again: segment after segment, block after block, one block in memory, without waiting: it is read on the thread
// that takes it. Where a file was cut off, the trace ends; where it is damaged, reading it is an error, behind all that came before.

import type { ByteSource } from '../byte-source.ts';
import { fileSource } from '../file-source.ts';
import { tracePath } from '../layout.ts';
import { RecordingError } from '../recording-error.ts';
import { viewOf } from '../snapshot-format.ts';
import { isBeginning } from './beginning.ts';
import { TraceDecoder } from './decoder.ts';
import { BARE_CUT } from '../trace-sources.ts';
import type { TraceEvent, TraceSource } from './events.ts';
import {
  contentOfTraceBlock,
  damagedTrace,
  decodeTraceBlock,
  decodeTraceHeader,
  MARK_BLOCK,
  MARK_LENGTH,
  TRACE_BLOCK_HEAD,
  TRACE_HEADER,
  type SegmentName,
} from './trace-format.ts';

/** What a segment ends with: another one follows, the worker has ended, or it just stops. */
type Ending = { readonly next: number } | 'ended' | 'cut off';

class SegmentReader {
  readonly #source: ByteSource;
  readonly #decoder: TraceDecoder;
  #at = TRACE_HEADER;
  /** Bytes of events. */
  #place = 0;
  /** Of the last block. */
  #blockAt = 0;
  #ending: Ending | undefined;

  constructor(source: ByteSource, segment: SegmentName) {
    this.#source = source;
    this.#decoder = new TraceDecoder((expected) => damagedTrace(this.#source.name, this.#blockAt, expected));
    try {
      this.#open(segment);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  get ending(): Ending {
    return this.#ending ?? 'cut off';
  }

  next(): TraceEvent | undefined {
    for (;;) {
      const event = this.#decoder.next(this.#ending !== undefined);
      if (event !== undefined) return event;
      if (this.#ending !== undefined) return this.#finish();
      this.#block();
    }
  }

  close(): void {
    this.#source.close();
  }

  #open(segment: SegmentName): void {
    const { name, size } = this.#source;
    if (size < TRACE_HEADER) {
      this.#ending = 'cut off';
      return;
    }
    const { phase, worker, life } = decodeTraceHeader(this.#source.read(0, TRACE_HEADER), name);
    if (phase !== segment.phase || worker !== segment.worker || life !== segment.life)
      throw new RecordingError(
        'TT_RECORDING',
        `${name} holds phase ${phase} of worker ${worker} in its life ${life}; it has been renamed`,
        { file: name },
      );
  }

  #finish(): undefined {
    if (this.#ending !== 'cut off' && this.#decoder.rest > 0)
      throw damagedTrace(this.#source.name, this.#blockAt, 'the rest of an event');
    return undefined;
  }

  #block(): void {
    const { name, size } = this.#source;
    const at = this.#at;
    if (at + TRACE_BLOCK_HEAD > size) return void (this.#ending = 'cut off');
    this.#blockAt = at;
    const head = this.#source.read(at, TRACE_BLOCK_HEAD);
    if (isNothing(head) && this.#isNothingFrom(at)) return void (this.#ending = 'cut off');
    const block = decodeTraceBlock(head, name, at, this.#place);
    const end = at + TRACE_BLOCK_HEAD + block.stored;
    if (end > size) return void (this.#ending = 'cut off');
    const payload = this.#source.read(at + TRACE_BLOCK_HEAD, block.stored);
    const content = contentOfTraceBlock(block, payload, name, at);
    this.#at = end;
    if (block.kind === MARK_BLOCK) this.#ending = this.#markOf(content);
    else {
      this.#place += content.length;
      this.#decoder.feed(content);
    }
  }

  #markOf(content: Uint8Array): Ending {
    const { name, size } = this.#source;
    if (content.length !== MARK_LENGTH || (content[0] ?? 2) > 1) throw damagedTrace(name, this.#blockAt, 'a mark');
    if (this.#at !== size) throw damagedTrace(name, this.#at, 'the end of the file, behind a mark');
    return content[0] === 0 ? 'ended' : { next: Number(viewOf(content).readBigUInt64LE(1)) };
  }

  /** A machine that loses its power may leave a file that is longer than what was written to it. */
  #isNothingFrom(start: number): boolean {
    const { size } = this.#source;
    for (let at = start; at < size; at += 1 << 16)
      if (!isNothing(this.#source.read(at, Math.min(1 << 16, size - at)))) return false;
    return true;
  }
}

export class TraceReader implements TraceSource {
  readonly #directory: string;
  readonly #worker: number;
  readonly #life: number;
  #segment: SegmentReader | undefined;
  #phase: number;
  #next: TraceEvent | undefined;
  #error: unknown;
  #taken = 0;
  #end: 'ended' | 'cut off' = 'cut off';
  /** At the beginning of a segment behind another one, which says again what that has said. */
  #isAgain = false;
  /** The bare cut that it is to begin behind, until it has come there. */
  #behind: number | undefined;
  #isBeginning = true;

  /**
   * @param behind a bare cut in the segment: what stands before it is left out, but for what each segment begins with
   * @throws {RecordingError} if there is no such segment, or it is none
   */
  constructor(directory: string, { phase, worker, life }: SegmentName, behind?: number) {
    this.#behind = behind;
    this.#directory = directory;
    this.#worker = worker;
    this.#life = life;
    this.#phase = phase;
    this.#segment = this.#open(phase);
  }

  /** @throws {RecordingError} where a file is damaged */
  get next(): TraceEvent | undefined {
    if (this.#next === undefined && this.#segment !== undefined) this.#next = this.#read(this.#segment);
    if (this.#next === undefined && this.#error !== undefined) throw this.#error;
    return this.#next;
  }

  get taken(): number {
    return this.#taken;
  }

  get end(): 'ended' | 'cut off' {
    return this.#end;
  }

  /** Phase of the segment that it has come to. */
  get phase(): number {
    return this.#phase;
  }

  take(): void {
    if (this.next === undefined) return;
    this.#next = undefined;
    this.#taken++;
  }

  close(): void {
    this.#segment?.close();
    this.#segment = undefined;
    this.#next = undefined;
  }

  #read(from: SegmentReader): TraceEvent | undefined {
    try {
      for (let segment = from; ;) {
        const event = segment.next();
        if (event !== undefined && this.#isAgain && isBeginning(event)) continue;
        this.#isAgain = false;
        if (event !== undefined && this.#isLeftOut(event)) continue;
        if (event !== undefined) return event;
        const { ending } = segment;
        this.close();
        if (ending === 'ended') this.#end = 'ended';
        if (typeof ending === 'string') return undefined;
        if (ending.next <= this.#phase) throw this.#misplaced(ending.next);
        segment = this.#open(ending.next);
        this.#segment = segment;
        this.#phase = ending.next;
        this.#isAgain = true;
      }
    } catch (error) {
      this.close();
      // It was deleted, or its making was what the process did last.
      if (!(error instanceof RecordingError && error.code === 'TT_RECORDING_MISSING')) this.#error = error;
      return undefined;
    }
  }

  #isLeftOut(event: TraceEvent): boolean {
    if (this.#behind === undefined) return false;
    this.#isBeginning &&= isBeginning(event);
    if (this.#isBeginning) return false;
    if (isBareCut(event, this.#behind)) this.#behind = undefined;
    return true;
  }

  #open(phase: number): SegmentReader {
    const segment = { phase, worker: this.#worker, life: this.#life };
    return new SegmentReader(fileSource(tracePath(this.#directory, segment)), segment);
  }

  #misplaced(next: number): RecordingError {
    const file = tracePath(this.#directory, { phase: this.#phase, worker: this.#worker, life: this.#life });
    return new RecordingError('TT_RECORDING', `${file} is followed by phase ${next}; phases rise`, { file });
  }
}

function isBareCut(event: TraceEvent, phase: number): boolean {
  return event.what === 'happened' && event.kind === BARE_CUT && event.value === phase;
}

function isNothing(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
