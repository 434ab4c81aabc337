// A copy of a recording without what a redaction takes out: its manifest, the texts of its modules, and its traces, written anew. Snapshots are left out:
// what a program knew stands in them in too many forms to be taken out of any.

import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST, parseSourceName, SOURCES, tracePath, TRACES } from '../layout.ts';
import { encodeManifest } from '../manifest.ts';
import type { Recording, TraceEntry } from '../recording.ts';
import { RecordingError } from '../recording-error.ts';
import { namesIn } from '../recordings.ts';
import { DEFAULT_LEVEL } from '../snapshot-format.ts';
import { TraceEncoder } from '../trace/encoder.ts';
import type { TraceEvent } from '../trace/events.ts';
import { Pen, type Supply } from '../trace/pen.ts';
import { SegmentFile } from '../trace/segment-file.ts';
import { DIRECTORY_MODE, writeWhole } from '../whole-file.ts';
import type { Redaction } from './redaction.ts';

/** Makes `into`, which must not be there. @throws {RecordingError} if a trace is damaged, before anything is written */
export function redactRecording(recording: Recording, into: string, redaction: Redaction): void {
  redaction.learnAll(recording);
  for (const place of [into, join(into, SOURCES), join(into, TRACES)]) mkdirSync(place, { mode: DIRECTORY_MODE });
  writeWhole(join(into, MANIFEST), encodeManifest(redaction.manifest(recording.manifest)), false);
  for (const name of namesIn(join(recording.directory, SOURCES)))
    if (parseSourceName(name) !== undefined)
      copyFileSync(join(recording.directory, SOURCES, name), join(into, SOURCES, name));
  for (const each of recording.traces()) redactTrace(recording, each, into, redaction);
}

function redactTrace(recording: Recording, { worker, life }: TraceEntry, into: string, redaction: Redaction): void {
  const trace = recording.trace(worker, life);
  const open = (phase: number): Segment => new Segment(into, { phase, worker, life });
  let segment: Segment | undefined;
  try {
    segment = open(trace.phase);
    for (let { next } = trace; next !== undefined; { next } = trace) {
      if (trace.phase !== segment.phase) {
        segment.end(trace.phase);
        segment = open(trace.phase);
      }
      segment.add(redaction.event(next));
      trace.take();
    }
    // A segment without events may be the last.
    if (trace.phase !== segment.phase) {
      segment.end(trace.phase);
      segment = open(trace.phase);
    }
    if (trace.end === 'ended') segment.end(undefined);
    else segment.cutOff();
  } finally {
    segment?.close();
    trace.close();
  }
}

/** Bytes of events that are written at once. */
const PIECE = 1 << 18;

class Segment implements Supply {
  readonly phase: number;
  readonly #file: SegmentFile;
  readonly #pen: Pen;
  readonly #encoder: TraceEncoder;
  #piece = new Uint8Array(PIECE);
  #isOpen = true;

  constructor(directory: string, segment: { readonly phase: number; readonly worker: number; readonly life: number }) {
    this.phase = segment.phase;
    this.#file = new SegmentFile(tracePath(directory, segment), segment, DEFAULT_LEVEL);
    this.#pen = new Pen(this, this.#piece);
    this.#encoder = new TraceEncoder(this.#pen);
  }

  add(event: TraceEvent): void {
    const encoder = this.#encoder;
    if (event.what === 'messages') encoder.messages(event.round, event.turns, event.worker, event.count);
    else if (event.what === 'happened') encoder.happened(event.round, event.turns, event.kind, event.key, event.value);
    else if (event.what === 'entry') encoder.entry(event.round, event.step, event.source, event.id, event.value);
    else encoder.outcome(event.source, event.value);
  }

  end(next: number | undefined): void {
    this.#flush(this.#pen.length);
    this.#file.mark(next);
    this.close();
  }

  /** As it does where it was cut off. */
  cutOff(): void {
    this.#flush(this.#pen.length);
    this.close();
  }

  close(): void {
    if (this.#isOpen) this.#file.close();
    this.#isOpen = false;
  }

  next(length: number, least: number): Uint8Array {
    this.#flush(length);
    return (this.#piece = new Uint8Array(Math.max(PIECE, least)));
  }

  /** Of the pen: an event has become too large. */
  stop(_length: number, why: string): never {
    throw new RecordingError('TT_RECORDING_USE', `a redacted event cannot be written: ${why}`);
  }

  #flush(length: number): void {
    if (length > 0) this.#file.add(this.#piece.subarray(0, length));
  }
}
