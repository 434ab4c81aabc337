// Recordings with bare cuts, of which there is nothing but what stands in their traces: whatever is done with recordings is done with them as with others.
import '../engine/own-process.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BARE_CUT, openRecording } from '@turntable/recording';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested.ts';
import { before, expectSame } from '../engine/opened.ts';
import { opened, surveyed } from '../engine/behind-states.ts';
import {
  differences,
  differencesFrom,
  eventsOf,
  phasesIn,
  record,
  recordingIn,
  replay,
  turntable,
  type Ended,
} from '../replay/again.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const PROGRAM = fileURLToPath(new URL('../engine/programs/busy.ts', import.meta.url));
const room = mkdtempSync(join(tmpdir(), 'turntable-cuts-'));
const into = join(room, 'recordings');
let recorded: Ended;

beforeAll(() => void (recorded = record(into, ['--snapshots', 'work=20ms', PROGRAM])));
afterAll(() => rmSync(room, { recursive: true, force: true }));

/** Phases that a thread has begun without a snapshot. */
function bareCutsOf(directory: string, worker: number): number[] {
  return eventsOf(directory, worker).flatMap((event) =>
    event.what === 'happened' && event.kind === BARE_CUT ? [event.value as number] : [],
  );
}

function ran(...args: string[]): string {
  const { stdout, stderr, status } = turntable(args);
  expect({ stderr, status }, args.join(' ')).toEqual({ stderr: '', status: 0 });
  return stdout;
}

describe('a recording with bare cuts', () => {
  it('has them on all threads alike, and files for snapshots alone', () => {
    const directory = recordingIn(into);
    const bare = bareCutsOf(directory, 0);
    expect(bare.length).toBeGreaterThan(3);
    const snapshots = phasesIn(into);
    expect(bare.filter((phase) => snapshots.includes(phase))).toEqual([]);
    for (const worker of [1, 2]) {
      // Those that had begun when the worker was born, or begin when it has ended, are no cuts of its.
      const own = bareCutsOf(directory, worker);
      expect(own).toEqual(bare.filter((phase) => phase >= (own[0] ?? 0) && phase <= (own.at(-1) ?? 0)));
    }
    const segments = openRecording(directory)
      .traces()
      .flatMap(({ phases }) => phases);
    expect(segments.filter((phase) => bare.includes(phase))).toEqual([]);
  });

  it('is replayed the same, from its start and from its snapshots, with their states alone compared', () => {
    const again = replay(recordingIn(into));
    expect(differences(recorded, again)).toEqual([]);
    const snapshots = openRecording(recordingIn(into)).snapshots();
    expect(again.report.cuts.compared).toBe(snapshots.reduce((sum, { workers }) => sum + workers.length, 0));
    for (const phase of phasesIn(into).slice(0, 3)) expect(differencesFrom(phase, into, recorded)).toEqual([]);
  });

  it('is inspected, told turn by turn, exported, packed and unpacked as any other', () => {
    const directory = recordingIn(into);
    const bare = bareCutsOf(directory, 0);
    expect(ran('inspect', directory)).toMatch(/snapshot \d+: 2 actors/);
    expect(ran('inspect', directory, '--trace')).toMatch(new RegExp(`happened .*\\bcut ${bare.length}\\b`));
    const told = ran('turns', directory).match(/snapshot \d+, the main thread/g) ?? [];
    expect(told.filter((each) => bare.some((phase) => each.startsWith(`snapshot ${phase},`)))).toEqual([]);
    const { events } = JSON.parse(ran('export', directory)) as { events: { kind?: string; value?: unknown }[] };
    expect(events.filter(({ kind }) => kind === BARE_CUT).map(({ value }) => value)).toEqual(
      expect.arrayContaining(bare),
    );
    expect(JSON.parse(ran('export', directory, '--as', 'chrome'))).toHaveProperty('traceEvents');
    const packed = join(room, 'packed.ttr');
    ran('pack', directory, '-o', packed);
    const elsewhere = join(room, 'unpacked');
    ran('unpack', packed, elsewhere);
    expect(differences(recorded, replay(recordingIn(elsewhere)))).toEqual([]);
    expect(bareCutsOf(recordingIn(elsewhere), 0)).toEqual(bare);
  });

  it('whose process was killed is opened as far as its traces go, with states behind its cuts', async () => {
    const killed = join(room, 'killed');
    const child = spawn(process.execPath, [
      ...FLAGS,
      CLI,
      'record',
      '--recordings',
      killed,
      '--snapshots',
      'work=20ms',
      PROGRAM,
      // It has not ended by itself by then.
      '2000',
    ]);
    const ended = once(child, 'exit');
    const cutsOfAll = (): number[] => [0, 1, 2].map((worker) => bareCutsOf(recordingIn(killed), worker).length);
    // Of a thread that has had to wait for the processor all cuts come at once, and what others need of it is not with them yet: they go on from there, several times.
    let most = 2;
    for (let times = 0; times < 4; times++) {
      await vi.waitFor(() => expect(Math.min(...cutsOfAll())).toBeGreaterThan(most), { timeout: 60_000 });
      most = Math.max(...cutsOfAll());
    }
    child.kill('SIGKILL');
    await ended;
    rmSync(join(recordingIn(killed), 'snapshots'), { recursive: true, force: true });
    const its = await surveyed(killed);
    expect(its.verdict).toBe('truncated');
    expect(its.states?.phases().length).toBeGreaterThan(2);
    const last = its.survey.count;
    const [straight, from] = [opened(its, { states: undefined }), opened(its)];
    await straight.engine.to(before(last));
    await from.engine.to(before(last));
    await from.engine.finish();
    await from.engine.to(before(last));
    expect(await from.engine.digests()).toEqual(await straight.engine.digests());
  });

  it('whose beginning was deleted to make room is gone about in from its first snapshot, with states behind that', async () => {
    const kept = join(room, 'kept');
    // Long enough for a third one, wherever it runs.
    record(kept, ['--snapshots', 'work=20ms', '--keep', 'count=2', PROGRAM, '20']);
    const [first = 0, ...others] = phasesIn(kept);
    expect(others.length).toBe(1);
    const its = await surveyed(kept);
    expect([its.verdict, its.from]).toEqual(['same', first]);
    const phases = its.states?.phases() ?? [];
    expect(phases.every((phase) => phase > first && !others.includes(phase))).toBe(true);
    const from = opened(its);
    await from.engine.to(before(its.survey.count));
    await expectSame(from);
  });
});
