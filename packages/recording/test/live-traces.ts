// A writer with one recording for a test, and the traces that its files have.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  openRecording,
  startWriter,
  type LiveRecording,
  type RecordingError,
  type TraceEvent,
  type TraceWriter,
  type Writer,
  type WriterOptions,
} from '@turntable/recording';
import { manifestOf, openSnapshot, temporaryDirectory } from './recording.ts';
import { takeAll } from './traces.ts';

/** Tests do not depend on the speed of the machine. */
export const PATIENTLY = { timeout: 60_000 };

export interface World {
  readonly writer: Writer;
  readonly recording: LiveRecording;
  readonly troubles: RecordingError[];
}

export function createWriter(options: Partial<WriterOptions> = {}): World {
  const recordings = join(temporaryDirectory(), 'recordings');
  const troubles: RecordingError[] = [];
  const writer = startWriter({ recordings, onError: (error) => troubles.push(error), ...options });
  onTestFinished(async () => {
    await writer.close();
  });
  return { writer, recording: writer.create(manifestOf()), troubles };
}

export function read(
  { directory }: LiveRecording,
  worker = 1,
  epoch = 1,
  phase?: number,
): { events: TraceEvent[]; end: string } {
  const trace = openRecording(directory).trace(worker, epoch, phase);
  try {
    return { events: takeAll(trace), end: trace.end.reason };
  } finally {
    trace.close();
  }
}

export const message = (round: number): TraceEvent => ({ type: 'messages', round, turns: round, worker: 0, count: 1 });

export function writeMessages(trace: TraceWriter, from: number, to: number): void {
  for (let round = from; round <= to; round++) trace.writeMessages(round, round, 0, 1);
  trace.commit();
}

export const messages = (from: number, to: number): TraceEvent[] =>
  Array.from({ length: to - from + 1 }, (_, i) => message(from + i));

export async function snapshot(recording: LiveRecording, phase: number, bytes = 10): Promise<void> {
  const open = openSnapshot(recording, phase);
  open.add(
    0,
    'heap',
    Uint8Array.from({ length: bytes }, (_, i) => i * i),
  );
  expect(await open.commit()).toBeDefined();
}

export const filesOf = ({ directory }: LiveRecording): string[] => readdirSync(join(directory, 'traces')).toSorted();
