// Copies a recording with values redacted: the manifest, the module sources and rewritten traces. Snapshots are left
// out, because a value occurs in them in too many forms.

import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MANIFEST_FILE, SOURCES_DIRECTORY, tracePath, TRACES_DIRECTORY } from '../file-names.ts';
import { encodeManifest, newRecordingId } from '../manifest.ts';
import { encodeSource, sourcePath } from '../module-sources.ts';
import type { Recording, TraceEntry } from '../recording.ts';
import { RecordingError } from '../recording-error.ts';
import { listDataFiles, listSourceFiles } from '../recordings.ts';
import { sealForWriting, type RecordingSeal } from '../sealed/recording-seal.ts';
import { DEFAULT_COMPRESSION_LEVEL } from '../snapshot-format.ts';
import { TraceEncoder } from '../trace/trace-encoder.ts';
import type { TraceEvent } from '../trace/trace-events.ts';
import { ChunkWriter, type ChunkProvider } from '../trace/chunk-writer.ts';
import { SegmentFile } from '../trace/segment-file.ts';
import { encodeProgress, FOLLOWS, type SegmentHeader } from '../trace/trace-format.ts';
import type { TraceReader } from '../trace/trace-reader.ts';
import { DIRECTORY_MODE, writeFileAtomically } from '../atomic-file.ts';
import { EventRedaction, eventsOf, learnRecording, redactManifest } from '../redaction/recording-redaction.ts';
import type { Redaction } from '../redaction/redaction.ts';

/** Writes the copy to `target`, which must not exist. @throws {RecordingError} if a trace is damaged */
export function redactRecording(recording: Recording, target: string, redaction: Redaction): void {
  learnAll(recording, redaction);
  for (const directory of [target, join(target, SOURCES_DIRECTORY), join(target, TRACES_DIRECTORY)])
    mkdirSync(directory, { mode: DIRECTORY_MODE });
  // A new id, so that no file of the copy can take the place of one of the recording.
  const id = newRecordingId();
  const seal = recording.isSealed ? sealForWriting({ id }) : undefined;
  copySources(recording, target, seal);
  for (const entry of recording.traces()) redactTrace(recording, entry, target, { redaction, seal });
  const { files, ...manifest } = {
    ...redactManifest(recording.manifest, redaction),
    id,
    redacted: [...redaction.names],
  };
  const ownFiles = files === undefined ? {} : { files: listDataFiles(target) };
  writeFileAtomically(join(target, MANIFEST_FILE), encodeManifest({ ...manifest, ...ownFiles }, seal), false);
}

function learnAll(recording: Recording, redaction: Redaction): void {
  for (const learned of learnRecording(recording, redaction)) void learned;
}

/** Counts what a redacted copy would lack, by rule, the most frequent first. */
export function countRedacted(recording: Recording, redaction: Redaction): ReadonlyMap<string, number> {
  learnAll(recording, redaction);
  redactManifest(recording.manifest, redaction);
  for (const [event, events] of eventsOf(recording, redaction)) events.redact(event);
  return new Map([...redaction.matches].toSorted(([, one], [, other]) => other - one));
}

/** Writes the recorded texts of the modules again, because a sealed file cannot be moved to another recording. */
export function copySources(recording: Recording, target: string, seal: RecordingSeal | undefined): void {
  const existing = new Set(listSourceFiles(recording.directory));
  for (const { sha256 } of recording.manifest.modules) {
    const path = sourcePath(target, sha256);
    // A text may be missing, and several modules may have the same one.
    if (existing.delete(`${SOURCES_DIRECTORY}/${basename(path)}`))
      writeFileAtomically(path, encodeSource(recording.source(sha256)), false, seal);
  }
}

interface RedactionDeps {
  readonly redaction: Redaction;
  /** Seal of the copy, if it is sealed. */
  readonly seal: RecordingSeal | undefined;
}

function redactTrace(
  recording: Recording,
  { worker, epoch }: TraceEntry,
  target: string,
  { redaction, seal }: RedactionDeps,
): void {
  const trace = recording.trace(worker, epoch);
  const { earlierLosses = 0 } = trace;
  const events = new EventRedaction(redaction);
  const createSegment = (phase: number): RedactedSegment =>
    new RedactedSegment(target, { phase, worker, epoch, earlierLosses }, seal);
  let segment: RedactedSegment | undefined;
  try {
    segment = createSegment(trace.phase);
    for (let { next: event } = trace; event !== undefined; { next: event } = trace) {
      if (trace.phase !== segment.phase) {
        segment.end(trace.phase);
        segment = createSegment(trace.phase);
      }
      segment.add(events.redact(event));
      trace.take();
    }
    // The loop does not see a last segment without events.
    if (trace.phase !== segment.phase) {
      segment.end(trace.phase);
      segment = createSegment(trace.phase);
    }
    if (trace.end.reason === 'ended') segment.end(undefined);
    else segment.endCutOff(trace.progress, trace.loss);
  } finally {
    segment?.close();
    trace.close();
  }
}

/** Number of event bytes that are written at once. */
const BUFFER_BYTES = 1 << 18;

class RedactedSegment implements ChunkProvider {
  readonly phase: number;
  readonly #file: SegmentFile;
  readonly #writer: ChunkWriter;
  readonly #encoder: TraceEncoder;
  #buffer = new Uint8Array(BUFFER_BYTES);
  #isOpen = true;

  constructor(directory: string, segment: SegmentHeader, seal: RecordingSeal | undefined) {
    this.phase = segment.phase;
    this.#file = new SegmentFile(tracePath(directory, segment), segment, {
      level: DEFAULT_COMPRESSION_LEVEL,
      seal,
    });
    this.#writer = new ChunkWriter(this, this.#buffer);
    this.#encoder = new TraceEncoder(this.#writer);
  }

  add(event: TraceEvent): void {
    const encoder = this.#encoder;
    if (event.type === 'messages') encoder.writeMessages(event.round, event.turns, event.worker, event.count);
    else if (event.type === 'scheduler')
      encoder.writeSchedulerEvent(event.round, event.turns, event.kind, event.key, event.value);
    else if (event.type === 'entry') encoder.writeEntry(event.round, event.step, event.source, event.id, event.value);
    else encoder.writeOutcome(event.source, event.value);
  }

  end(nextPhase: number | undefined): void {
    this.#flush(this.#writer.wholeEventBytes);
    if (nextPhase === undefined) this.#file.writeMark(FOLLOWS.end);
    else this.#file.writeMark(FOLLOWS.segment, nextPhase);
    this.close();
  }

  /** Ends the last segment of a trace that is cut off. */
  endCutOff(progress: number, loss: TraceReader['loss']): void {
    this.#flush(this.#writer.wholeEventBytes);
    this.#file.addEvents(encodeProgress(progress));
    if (loss !== undefined) this.#file.writeMark(loss === 'lost' ? FOLLOWS.loss : FOLLOWS.outOfMemory);
    this.close();
  }

  close(): void {
    if (this.#isOpen) this.#file.close();
    this.#isOpen = false;
  }

  nextChunk(length: number, minLength: number): Uint8Array {
    this.#flush(length);
    return (this.#buffer = new Uint8Array(Math.max(BUFFER_BYTES, minLength)));
  }

  /** Called by the writer for an event that has become too large. */
  stop(_length: number, reason: string): never {
    throw new RecordingError('TT_RECORDING_USE', `a redacted event cannot be written: ${reason}`);
  }

  #flush(length: number): void {
    if (length > 0) this.#file.addEvents(this.#buffer.subarray(0, length));
  }
}
