// Tests the reasons why a recording cannot be replayed.
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  describeProcess,
  NO_TRACES,
  openRecording,
  startWriter,
  type Manifest,
  type Recording,
} from '@turntable/recording';
import { afterAll, describe, expect, it } from 'vitest';
import { makeRecording as makePackedRecording, MANIFEST, SEGMENTS, type Segment } from '../../recording/test/packed.ts';
import {
  applicableObstacles,
  defaultStartPhase,
  findReplayObstacles,
  resolveTracedRecording,
  type ReplayCheckOptions,
} from '../src/replay/replay-obstacles.ts';
import { version } from '../src/version.ts';

const testRoot = mkdtempSync(join(tmpdir(), 'turntable-replayable-'));
afterAll(() => rmSync(testRoot, { recursive: true, force: true }));

interface RecordingOptions {
  readonly entry: string | null;
  /** Whether the process has ended. Otherwise it was killed. */
  readonly isEnded: boolean;
  readonly hasTraces?: boolean;
}

/** Recording without any content. */
async function makeRecording({ entry, isEnded, hasTraces = true }: RecordingOptions): Promise<Recording> {
  const writer = startWriter({ recordings: mkdtempSync(join(testRoot, 'all-')) });
  const recording = writer.create(describeProcess({ turntable: '1.2.3', workers: 0, entry }));
  if (hasTraces) recording.trace(0, 0);
  recording.update({});
  const { directory } = recording;
  // A snapshot is complete when the manifest is written. A closed recording has ended.
  await recording.commitSnapshot(1, {}, 0);
  const openedBefore = isEnded ? undefined : openRecording(directory);
  await writer.close();
  return openedBefore ?? openRecording(directory);
}

describe('a recording that does not know its program', () => {
  const WHY = 'it does not name its program';
  const KILLED = `${WHY}: its process was killed before the name was written, or has just started`;
  const obstaclesOf = async (options: RecordingOptions): Promise<readonly string[]> =>
    findReplayObstacles(await makeRecording(options), { code: 'recorded', from: undefined }).blocking;

  it('reports why it cannot be replayed and how its process may have ended', async () => {
    expect(await obstaclesOf({ entry: null, isEnded: true })).toEqual([WHY]);
    expect(await obstaclesOf({ entry: null, isEnded: false })).toEqual([KILLED]);
    expect(await obstaclesOf({ entry: 'file:///app.mjs', isEnded: false })).toEqual([]);
  });

  it('reports missing traces, except where its process was killed before it could record any', async () => {
    expect(await obstaclesOf({ entry: null, isEnded: true, hasTraces: false })).toEqual([NO_TRACES, WHY]);
    expect(await obstaclesOf({ entry: null, isEnded: false, hasTraces: false })).toEqual([KILLED]);
    expect(await obstaclesOf({ entry: 'file:///app.mjs', isEnded: false, hasTraces: false })).toEqual([NO_TRACES]);
  });
});

/** A recording of this process, with a snapshot 7 and a trace from the start, unless changed. */
function recordingOf(changes: Partial<Manifest> = {}, segments: readonly Segment[] = SEGMENTS): Recording {
  const manifest = {
    ...MANIFEST,
    platform: `${process.platform}-${process.arch}` as const,
    cwd: testRoot,
    entry: import.meta.url,
    versions: { ...MANIFEST.versions, turntable: version, node: process.versions.node },
    ...changes,
  };
  return openRecording(makePackedRecording(mkdtempSync(join(testRoot, 'made-')), { manifest, segments }));
}

describe('a recording', () => {
  const obstacles = (changes: Partial<Manifest> = {}, options: Partial<ReplayCheckOptions> = {}) =>
    findReplayObstacles(recordingOf(changes), { code: 'recorded', from: undefined, ...options });

  it('of this machine and version has none', () => {
    expect(obstacles()).toEqual({ blocking: [], overridable: [] });
    expect(obstacles({}, { code: 'current' })).toEqual({ blocking: [], overridable: [] });
  });

  it('of another machine, version or unrecorded inputs has those that can be overridden', () => {
    const overridable = (changes: Partial<Manifest>): readonly string[] => {
      const found = obstacles(changes);
      expect(found.blocking).toEqual([]);
      return found.overridable;
    };
    const [major, minor] = process.versions.node.split('.');
    expect(overridable({ platform: 'plan9-vax' })).toEqual([
      `it was recorded on plan9-vax, and this is ${process.platform}-${process.arch}`,
    ]);
    const node = (recorded: string): readonly string[] =>
      overridable({ versions: { ...MANIFEST.versions, turntable: version, node: recorded } });
    expect(node(`${major}.${minor}.999`)).toEqual([]);
    expect(node(`${major}.999.0`)).toEqual([expect.stringContaining(`it was recorded by Node ${major}.999.0,`)]);
    expect(node('8.0.0')).toEqual([expect.stringContaining(`and this is ${process.versions.node}; use the same`)]);
    expect(
      overridable({ versions: { ...MANIFEST.versions, turntable: '0.0.1', node: process.versions.node } }),
    ).toEqual([`it was recorded by Turntable 0.0.1, and this is ${version}; use the same version`]);
    expect(overridable({ redacted: ['cookie', 'token'] })).toEqual([
      'it is redacted (cookie, token) and lacks inputs; replay the original recording',
    ]);
    expect(overridable({ devices: ['Worker', 'Clock'] })).toEqual([
      'its program used Worker; Clock, whose inputs are not recorded yet; remove it from the program',
    ]);
    const installed = pathToFileURL(
      `${fileURLToPath(new URL('../../../node_modules/fast-check', import.meta.url))}`,
    ).href;
    const missing = pathToFileURL(join(testRoot, 'node_modules/@scope/gone')).href;
    expect(overridable({ packages: [`${installed} 0.0.1`, `${missing} 1.2.3`] })).toEqual([
      'package @scope/gone 1.2.3 is not installed, and imports are resolved there; install the recorded versions',
    ]);
    expect(overridable({ packages: [`${installed} 0.0.1`] })).toEqual([]);
  });

  it('of another program, or with missing sources, cannot be replayed', () => {
    const blocking = (changes: Partial<Manifest>, options: Partial<ReplayCheckOptions> = {}): readonly string[] =>
      obstacles(changes, options).blocking;
    expect(blocking({ cwd: '/nowhere' })).toEqual(['its working directory /nowhere does not exist']);
    const gone = { entry: 'file:///nowhere/main.ts' };
    expect(blocking(gone)).toEqual([]);
    expect(blocking(gone, { code: 'current' })).toEqual([
      '/nowhere/main.ts does not exist; replay the recorded sources with --code recorded',
    ]);
    expect(blocking({ entry: 'data:text/javascript,1' }, { code: 'current' })).toEqual([]);
    const modules = ['a', 'b'].map((name) => ({ url: `file:///${name}.ts`, sha256: name.repeat(64) }));
    expect(blocking({ modules })).toEqual(['it lacks the sources of 2 modules, first file:///a.ts']);
    expect(blocking({ modules: modules.slice(1) })).toEqual(['it lacks the sources of 1 module, first file:///b.ts']);
    expect(blocking({ modules }, { code: 'current' })).toEqual([]);
    const restoredFrom = { recording: 'other', phase: 1 } as unknown as Manifest['restoredFrom'];
    expect(blocking({ restoredFrom })).toEqual([
      expect.stringContaining('its program was restored from a snapshot of'),
    ]);
  });
});

describe('the start and the end of a replay', () => {
  const late = (phase: number): Segment[] => SEGMENTS.map((each) => ({ ...each, phase }));
  const blocking = (options: Partial<ReplayCheckOptions>, segments?: readonly Segment[], changes = {}) =>
    findReplayObstacles(recordingOf(changes, segments), { code: 'recorded', from: undefined, ...options }).blocking;
  const mainFrom = (...phases: number[]): Segment[] =>
    phases.map((phase, i) => ({ worker: 0, phase, events: [], next: phases[i + 1] ?? 'ended' }));

  it('must have a snapshot and a trace', () => {
    expect(blocking({ from: 7 }, mainFrom(0, 7))).toEqual([]);
    expect(blocking({ from: 7 })).toEqual(['it has no trace from phase 7']);
    expect(blocking({ from: 6 }, mainFrom(0, 6))).toEqual([
      'it has no snapshot 6; turntable inspect lists the snapshots',
    ]);
    expect(blocking({}, late(7))).toEqual([
      'its traces start at phase 7, but it has no snapshot 7; record with --snapshots every=30s',
    ]);
    // A restored program can be replayed from its own snapshots.
    const restoredFrom = { recording: 'other', phase: 1 };
    expect(blocking({ from: 7 }, mainFrom(0, 7), { restoredFrom })).toEqual([]);
  });

  it('must be a snapshot after the start', () => {
    const until = (phase: number) => ({ kind: 'phase', phase }) as const;
    expect(blocking({ until: until(7) })).toEqual([]);
    expect(blocking({ until: until(8) })).toEqual([
      'it has no snapshot 8 to replay to; turntable inspect lists the snapshots',
    ]);
    expect(blocking({ from: 7, until: until(7) }, mainFrom(0, 7))).toEqual([
      'it cannot be replayed from snapshot 7 to snapshot 7, which is not later',
    ]);
    expect(blocking({ until: { kind: 'error' } })).toEqual([]);
  });

  it('is the first snapshot with a trace, if there is no trace from the start', () => {
    expect(defaultStartPhase(recordingOf())).toBeUndefined();
    expect(defaultStartPhase(recordingOf({}, mainFrom(0, 7)))).toBeUndefined();
    expect(defaultStartPhase(recordingOf({}, mainFrom(7)))).toBe(7);
    expect(defaultStartPhase(recordingOf({}, mainFrom(8)))).toBeUndefined();
    expect(defaultStartPhase(recordingOf({}, []))).toBeUndefined();
    // Only the main thread counts.
    expect(defaultStartPhase(recordingOf({}, [{ worker: 1, phase: 7, events: [], next: 'ended' }]))).toBeUndefined();
  });
});

it('--force ignores only obstacles that can be overridden', () => {
  const found = { blocking: ['a'], overridable: ['b', 'c'] };
  expect(applicableObstacles(found, false)).toEqual(['a', 'b', 'c']);
  expect(applicableObstacles(found, true)).toEqual(['a']);
});

describe('the recording to replay in a directory', () => {
  const NAMES = ['20261122T024518.003Z-1', '20261122T024519.003Z-2', '20261122T024520.003Z-3'];
  type Made = 'traced' | 'child' | 'untraced' | 'empty';

  /** A directory of recordings, oldest first. */
  function recordings(...made: Made[]): string {
    const directory = mkdtempSync(join(testRoot, 'several-'));
    for (const [i, kind] of made.entries()) {
      const path = join(directory, NAMES[i] as string);
      if (kind === 'empty') {
        mkdirSync(path);
        continue;
      }
      const parent = kind === 'child' ? { parent: 'another recording' } : {};
      const manifest = { ...MANIFEST, ...parent } satisfies Manifest;
      renameSync(makePackedRecording(directory, { manifest, segments: kind === 'untraced' ? [] : SEGMENTS }), path);
    }
    return directory;
  }
  const found = (...made: Made[]): number => {
    const directory = recordings(...made);
    return NAMES.indexOf(relative(directory, resolveTracedRecording(directory)));
  };

  it('is the directory itself if it is a recording', () => {
    const { directory } = recordingOf();
    expect(resolveTracedRecording(directory)).toBe(directory);
  });

  it('is the newest with traces, those of child processes last', () => {
    expect(found('traced', 'traced')).toBe(1);
    expect(found('traced', 'untraced', 'empty')).toBe(0);
    expect(found('traced', 'child')).toBe(0);
    expect(found('child', 'child', 'untraced')).toBe(1);
    expect(found('untraced', 'untraced')).toBe(1);
    expect(() => found()).toThrow('there is no recording in');
  });
});
