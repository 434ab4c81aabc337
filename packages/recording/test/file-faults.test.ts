// Each file system call of the writer fails, or the process is killed before it. What was written before can be read,
// the service gets one error, and recording continues after the fault.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listRecordings, openRecording, type Recording, type TraceEvent } from '@turntable/recording';
import { inSoak } from '../../../scripts/test-run/soak.ts';
import type { FileFault } from '../src/file-operations.ts';
import { contentOf } from './fixtures/content.mts';
import {
  PHASES,
  ROUNDS_PER_PHASE,
  runWithFault,
  SNAPSHOT_BYTES,
  sourceOf,
  type FaultyRun,
} from './fixtures/faulty-run.ts';
import { temporaryDirectory } from './recording.ts';
import { takeAll } from './traces.ts';

const LAST_PHASE = PHASES.at(-1) as number;
const FIXTURE = join(import.meta.dirname, 'fixtures/faulty-run.ts');
const FAILURES = ['EMFILE', 'ENOSPC', 'EIO', 'short'] as const;
/** Distances between tested calls. */
const FAILURE_STEP = inSoak(4, 1);
const KILL_STEP = inSoak(9, 1);

async function countCalls(): Promise<number> {
  const fault = { kind: 'short', at: 0, counter: new SharedArrayBuffer(4) } as const;
  const { errors, written, isWhole } = await runWithFault(temporaryDirectory(), fault);
  expect({ errors, written, isWhole }).toEqual({ errors: [], written: PHASES, isWhole: true });
  return Atomics.load(new Int32Array(fault.counter), 0);
}

/** Events that the run writes before the snapshot of a phase. */
function eventsBefore(phase: number): TraceEvent[] {
  const first = (phase - 1) * ROUNDS_PER_PHASE;
  return Array.from({ length: ROUNDS_PER_PHASE }, (_, index) => {
    const round = first + index + 1;
    return { type: 'messages', round, turns: round, worker: 0, count: 1 } as const;
  });
}

/** Checks that all that can be read is what the run has written. Returns the phases of snapshots. */
function expectTrue(recording: Recording): number[] {
  for (const { sha256, url } of recording.manifest.modules)
    expect(url).toBe(`file:///module-${/\d+/.exec(recording.source(sha256))?.[0]}.ts`);
  const phases = recording.snapshots().map(({ phase }) => phase);
  expect(recording.damagedSnapshots).toEqual([]);
  for (const phase of phases) {
    const snapshot = recording.readSnapshot(phase);
    expect(Buffer.from(snapshot.part(0, 'heap').read()).equals(contentOf(phase, 0, SNAPSHOT_BYTES))).toBe(true);
    snapshot.close();
    expect(recording.manifest.modules.map(({ url }) => url)).toContain(`file:///module-${phase}.ts`);
  }
  return phases;
}

/** Events of the phase that ends with a snapshot; undefined if the trace has a gap there. */
function readEvents(recording: Recording, before: number): TraceEvent[] | undefined {
  const phase = before - 1;
  if (!recording.traces().some(({ phases }) => phases.includes(phase))) return undefined;
  const trace = recording.trace(0, 0, phase);
  try {
    return takeAll(trace).filter((event) => event.type === 'messages' && event.round <= before * ROUNDS_PER_PHASE);
  } finally {
    trace.close();
  }
}

function expectPrefixes(recording: Recording): void {
  for (const before of PHASES) {
    const events = readEvents(recording, before);
    if (events !== undefined) expect(eventsBefore(before).slice(0, events.length)).toEqual(events);
  }
}

function expectRecordingContinues({ directory, errors, written, isWhole }: FaultyRun, fault: FileFault): void {
  const what = `call ${fault.at} with ${fault.kind}: ${errors.map(({ message }) => message).join('; ')}`;
  expect(errors.length, what).toBeLessThanOrEqual(1);
  expect(isWhole, what).toBe(errors.length === 0);
  const recording = openRecording(directory);
  const phases = expectTrue(recording);
  expectPrefixes(recording);
  expect(phases, what).toContain(written.at(-1));
  // At most one snapshot is lost, and the trace is whole again after the next one.
  expect(written.length, what).toBeGreaterThanOrEqual(PHASES.length - 1);
  if (errors.length === 0) {
    expect(phases).toEqual([LAST_PHASE - 1, LAST_PHASE]);
    expect(readEvents(recording, LAST_PHASE)).toEqual(eventsBefore(LAST_PHASE));
    expect(recording.manifest.modules.map(({ sha256 }) => recording.source(sha256))).toEqual(PHASES.map(sourceOf));
  }
}

describe('when a file system call fails', () => {
  test(
    'the service gets at most one error, the rest can be read, and recording continues',
    { timeout: inSoak(120_000, 600_000) },
    async () => {
      const calls = await countCalls();
      const kindsPerCall = inSoak(1, FAILURES.length);
      for (let at = 1; at <= calls; at += FAILURE_STEP)
        for (let index = 0; index < kindsPerCall; index++) {
          const kind = FAILURES[(Math.ceil(at / FAILURE_STEP) + index) % FAILURES.length] as (typeof FAILURES)[number];
          const fault: FileFault = { kind, at, counter: new SharedArrayBuffer(4) };
          expectRecordingContinues(await runWithFault(temporaryDirectory(), fault), fault);
        }
    },
  );
});

describe('when the process is killed before a file system call', () => {
  test('the recording opens, with all that was written before', { timeout: inSoak(120_000, 600_000) }, async () => {
    const calls = await countCalls();
    for (let at = 1; at <= calls; at += KILL_STEP) {
      const recordings = temporaryDirectory();
      const child = spawn(process.execPath, ['-C', 'turntable-source', FIXTURE, recordings, String(at)], {
        stdio: 'inherit',
      });
      const [, signal] = await once(child, 'exit');
      expect(signal, `call ${at}`).toBe('SIGKILL');
      const [entry, ...others] = listRecordings(recordings);
      expect(others).toEqual([]);
      if (entry === undefined) continue;
      const recording = openRecording(entry.directory);
      expectTrue(recording);
      expectPrefixes(recording);
    }
  });
});
