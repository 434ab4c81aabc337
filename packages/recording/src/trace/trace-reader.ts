// Synchronous reader of a worker's trace on the replaying thread: segment by segment, with one block in memory. The
// trace ends where a file is cut off; where a file is damaged, the reader throws after all events before the damage.

import type { ByteSource } from '../byte-source.ts';
import { openFileSource } from '../file-source.ts';
import { tracePath } from '../file-names.ts';
import { RecordingError } from '../recording-error.ts';
import { asBuffer } from '../snapshot-format.ts';
import type { RecordingSeal } from '../sealed/recording-seal.ts';
import type { OutputSum } from './output-sums.ts';
import { isPreambleEvent } from './trace-preamble.ts';
import { TraceDecoder } from './trace-decoder.ts';
import { startedRoundsOf, isSettled } from './trace-progress.ts';
import { CUT_POINT_KIND } from '../trace-sources.ts';
import type { TraceEnd, TraceEvent, TraceSource } from './trace-events.ts';
import {
  decodeTraceContent,
  damagedTraceError,
  decodeTraceBlock,
  decodeTraceHeader,
  FOLLOWS,
  MARK_BLOCK,
  MARK_BYTES,
  TRACE_BLOCK_HEAD_BYTES,
  TRACE_HEADER_BYTES,
  type SegmentId,
} from './trace-format.ts';

/** End of a segment: the phase of the next segment, the worker's end, or a file that is cut off. */
type SegmentEnding = { readonly next: number } | 'ended' | 'lost' | 'out of memory' | 'cut off';

class SegmentReader {
  readonly #source: ByteSource;
  readonly #decoder: TraceDecoder;
  #offset = TRACE_HEADER_BYTES;
  #eventBytes = 0;
  /** Offset of the last block. */
  #blockOffset = 0;
  #ending: SegmentEnding | undefined;
  /** From the header; undefined if the header is cut off. */
  #earlierLosses: number | undefined;

  constructor(source: ByteSource, segment: SegmentId) {
    this.#source = source;
    this.#decoder = new TraceDecoder((expected) => damagedTraceError(this.#source.name, this.#blockOffset, expected));
    try {
      this.#checkHeader(segment);
    } catch (error) {
      source.close();
      throw error;
    }
  }

  get ending(): SegmentEnding {
    return this.#ending ?? 'cut off';
  }

  get earlierLosses(): number | undefined {
    return this.#earlierLosses;
  }

  get progress(): number | undefined {
    return this.#decoder.progress;
  }

  /** Returns the output after the last event, once `next` has returned undefined. */
  takeOutput(): readonly OutputSum[] {
    return this.#decoder.takeOutput();
  }

  next(): TraceEvent | undefined {
    for (;;) {
      const event = this.#decoder.next(this.#ending !== undefined);
      if (event !== undefined) return event;
      if (this.#ending !== undefined) return this.#checkComplete();
      this.#readBlock();
    }
  }

  close(): void {
    this.#source.close();
  }

  #checkHeader(segment: SegmentId): void {
    const { name, size } = this.#source;
    if (size < TRACE_HEADER_BYTES) {
      this.#ending = 'cut off';
      return;
    }
    const { phase, worker, epoch, earlierLosses } = decodeTraceHeader(this.#source.read(0, TRACE_HEADER_BYTES), name);
    this.#earlierLosses = earlierLosses;
    if (phase !== segment.phase || worker !== segment.worker || epoch !== segment.epoch)
      throw new RecordingError(
        'TT_RECORDING',
        `${name} contains phase ${phase} of worker ${worker} in epoch ${epoch}; give the file its original name`,
        { file: name },
      );
  }

  #checkComplete(): undefined {
    if (this.#ending !== 'cut off' && this.#decoder.unreadBytes > 0)
      throw damagedTraceError(this.#source.name, this.#blockOffset, 'the rest of an event');
    return undefined;
  }

  #readBlock(): void {
    const { name, size } = this.#source;
    const offset = this.#offset;
    if (offset + TRACE_BLOCK_HEAD_BYTES > size) return void (this.#ending = 'cut off');
    this.#blockOffset = offset;
    const head = this.#source.read(offset, TRACE_BLOCK_HEAD_BYTES);
    if (isZero(head) && this.#isZeroFrom(offset)) return void (this.#ending = 'cut off');
    const block = decodeTraceBlock(head, name, offset, this.#eventBytes);
    const end = offset + TRACE_BLOCK_HEAD_BYTES + block.stored;
    if (end > size) return void (this.#ending = 'cut off');
    const payload = this.#source.read(offset + TRACE_BLOCK_HEAD_BYTES, block.stored);
    const content = decodeTraceContent(block, payload, name, offset);
    this.#offset = end;
    if (block.kind === MARK_BLOCK) this.#ending = this.#parseMark(content);
    else {
      this.#eventBytes += content.length;
      this.#decoder.feed(content);
    }
  }

  #parseMark(content: Uint8Array): SegmentEnding {
    const { name, size } = this.#source;
    const follows = content.length === MARK_BYTES ? content[0] : undefined;
    if (follows === undefined || follows > FOLLOWS.outOfMemory)
      throw damagedTraceError(name, this.#blockOffset, 'a mark');
    if (this.#offset !== size) throw damagedTraceError(name, this.#offset, 'the end of the file after the mark');
    if (follows === FOLLOWS.segment) return { next: Number(asBuffer(content).readBigUInt64LE(1)) };
    if (follows === FOLLOWS.end) return 'ended';
    return follows === FOLLOWS.loss ? 'lost' : 'out of memory';
  }

  /** Returns whether only zeros follow. A power failure may leave a file longer than the writer made it. */
  #isZeroFrom(start: number): boolean {
    const { size } = this.#source;
    for (let offset = start; offset < size; offset += 1 << 16)
      if (!isZero(this.#source.read(offset, Math.min(1 << 16, size - offset)))) return false;
    return true;
  }
}

export interface TraceReaderOptions {
  /** A cut point in the segment; the events before it, except the preamble, are left out. */
  readonly startAfterCut?: number | undefined;
  /** Seal of the recording, if it is sealed. */
  readonly seal?: RecordingSeal | undefined;
}

export class TraceReader implements TraceSource {
  readonly #directory: string;
  readonly #seal: RecordingSeal | undefined;
  readonly #worker: number;
  readonly #epoch: number;
  #segment: SegmentReader | undefined;
  #phase: number;
  #next: TraceEvent | undefined;
  #error: unknown;
  #takenCount = 0;
  #hasEnded = false;
  #progress = 0;
  /** How the worker was lost, if the trace has all of its events. */
  #loss: 'lost' | 'out of memory' | undefined;
  /** Whether the preamble of a following segment, which repeats the first one, is being skipped. */
  #skipsPreamble = false;
  /** Cut point up to which events are skipped; undefined once it is reached. */
  #startAfterCut: number | undefined;
  #isInPreamble = true;
  /** Output after the last event of a segment. */
  #output: readonly OutputSum[] = [];
  /** Number of workers that had been lost when this worker started; undefined if the header is cut off. */
  readonly earlierLosses: number | undefined;

  /** @throws {RecordingError} if the segment does not exist or is not a trace segment */
  constructor(
    directory: string,
    { phase, worker, epoch }: SegmentId,
    { startAfterCut, seal }: TraceReaderOptions = {},
  ) {
    this.#startAfterCut = startAfterCut;
    this.#seal = seal;
    this.#directory = directory;
    this.#worker = worker;
    this.#epoch = epoch;
    this.#phase = phase;
    this.#segment = this.#openSegment(phase);
    this.earlierLosses = this.#segment?.earlierLosses;
  }

  /** @throws {RecordingError} if the file is damaged at this event */
  get next(): TraceEvent | undefined {
    if (this.#next === undefined && this.#segment !== undefined) this.#next = this.#readNext(this.#segment);
    if (this.#next === undefined && this.#error !== undefined) throw this.#error;
    return this.#next;
  }

  get takenCount(): number {
    return this.#takenCount;
  }

  get end(): TraceEnd {
    if (this.#hasEnded) return { reason: 'ended', lastOutput: this.#output };
    const startedRounds = startedRoundsOf(this.#progress);
    const hasDiedInRound = this.#loss === 'out of memory' && !isSettled(this.#progress);
    return {
      reason: 'cut off',
      lastRound: hasDiedInRound ? startedRounds - 1 : startedRounds,
      isWhole: this.#loss !== undefined,
    };
  }

  /** How far the worker had come when the events read so far were written, see trace-progress.ts. */
  get progress(): number {
    return this.#progress;
  }

  /** How the worker was lost, if the trace has all of its events. Known once there is no next event. */
  get loss(): 'lost' | 'out of memory' | undefined {
    return this.#loss;
  }

  get phase(): number {
    return this.#phase;
  }

  take(): void {
    if (this.next === undefined) return;
    this.#next = undefined;
    this.#takenCount++;
  }

  close(): void {
    this.#segment?.close();
    this.#segment = undefined;
    this.#next = undefined;
  }

  #readNext(firstSegment: SegmentReader): TraceEvent | undefined {
    try {
      for (let segment = firstSegment; ;) {
        const event = segment.next();
        if (event !== undefined && this.#skipsPreamble && isPreambleEvent(event)) continue;
        this.#skipsPreamble = false;
        if (event !== undefined && this.#isSkipped(event)) continue;
        if (event !== undefined) return this.#withEarlierOutput(event);
        const { ending } = segment;
        this.#output = segment.takeOutput();
        this.close();
        this.#progress = segment.progress ?? this.#progress;
        if (ending === 'ended') this.#hasEnded = true;
        else if (ending === 'lost' || ending === 'out of memory') this.#loss = ending;
        if (typeof ending === 'string') return undefined;
        if (ending.next <= this.#phase) throw this.#orderError(ending.next);
        segment = this.#openSegment(ending.next);
        this.#segment = segment;
        this.#phase = ending.next;
        this.#skipsPreamble = true;
      }
    } catch (error) {
      this.close();
      // The segment was deleted, or the process died before creating it.
      if (!(error instanceof RecordingError && error.code === 'TT_RECORDING_MISSING')) this.#error = error;
      return undefined;
    }
  }

  /** Adds the output at the end of the previous segment to the first event of the next. */
  #withEarlierOutput(event: TraceEvent): TraceEvent {
    if (this.#output.length === 0) return event;
    const output = [...this.#output, ...(event.output ?? [])];
    this.#output = [];
    return { ...event, output };
  }

  #isSkipped(event: TraceEvent): boolean {
    if (this.#startAfterCut === undefined) return false;
    this.#isInPreamble &&= isPreambleEvent(event);
    if (this.#isInPreamble) return false;
    if (isCutPoint(event, this.#startAfterCut)) this.#startAfterCut = undefined;
    return true;
  }

  #openSegment(phase: number): SegmentReader {
    const segment = { phase, worker: this.#worker, epoch: this.#epoch };
    return new SegmentReader(openFileSource(tracePath(this.#directory, segment), this.#seal), segment);
  }

  #orderError(nextPhase: number): RecordingError {
    const file = tracePath(this.#directory, { phase: this.#phase, worker: this.#worker, epoch: this.#epoch });
    return new RecordingError(
      'TT_RECORDING',
      `${file} is followed by phase ${nextPhase}, but phases must ascend; copy the recording again`,
      { file },
    );
  }
}

function isCutPoint(event: TraceEvent, phase: number): boolean {
  return event.type === 'scheduler' && event.kind === CUT_POINT_KIND && event.value === phase;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
