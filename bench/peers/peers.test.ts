// Tests of bench:peers: results are verified, comparisons are fair, and missing peers leave bars undecided.

import { describe, expect, test } from 'vitest';
import { ACROSS, ONE_THREAD, PEERS, TURNTABLE, TWO_THREADS, type Peer } from './catalog.ts';
import { missing } from './installed.ts';
import { judge } from './judgement.ts';
import { runPeer } from './peer-process.ts';
import { CONTROL, geomeanRatio, PeerRow } from './row.ts';

const EFFORT = { warmups: 1, warmupTime: 0, samples: 3, limit: 60_000 };
const [pingPong] = ONE_THREAD;
const nothing: Peer = { name: 'nothing', kind: 'actor runtime', threads: 1, command: [] };

/** A peer that prints `text`. */
function printingPeer(text: string, code = 0): Peer {
  return {
    ...nothing,
    command: [process.execPath, '-e', `console.log(${JSON.stringify(text)}); process.exit(${code})`],
  };
}

function measured(times: Readonly<Record<string, number>>, peers: readonly Peer[]): PeerRow {
  const row = new PeerRow('PingPong', pingPong!, TURNTABLE, peers);
  for (const [lane, time] of Object.entries(times)) row.add(lane, [time, time, time]);
  return row;
}

describe('a program', () => {
  test.each(ONE_THREAD.map((program) => [program.name, program]))(
    '%s does its work on Turntable',
    async (_, program) => {
      const size = { actors: Math.min(program.quick.actors, 100), count: 100 };
      const { iterations, cpu } = await runPeer(TURNTABLE, program, size, EFFORT, undefined);
      expect([iterations.length, cpu.length]).toEqual([3, 3]);
    },
  );

  test.each(TWO_THREADS.map((program) => [program.name, program]))(
    '%s does its work across threads',
    async (_, program) => {
      const { iterations } = await runPeer(ACROSS, program, { actors: 1, count: 100 }, EFFORT, undefined);
      expect(iterations.length).toBe(3);
    },
  );

  test('with a wrong result fails', async () => {
    const line = '{"name":"PingPong","iterations":[1,1,1],"cpu":[1,1,1],"result":6}';
    const size = { actors: 2, count: 7 };
    await expect(runPeer(printingPeer(line), pingPong!, size, EFFORT, undefined)).rejects.toThrow(
      'returned 6 instead of 7',
    );
    await expect(runPeer(printingPeer(line, 3), pingPong!, size, EFFORT, undefined)).rejects.toThrow('exit code 3');
    await expect(runPeer(printingPeer('hello'), pingPong!, size, EFFORT, undefined)).rejects.toThrow('no figures');
  });
});

describe('a comparison', () => {
  test('uses the time per unit of work', () => {
    const row = measured({ turntable: 0.001, nothing: 0.003, [CONTROL]: 0.001 }, [nothing]);
    expect(row.rate('turntable')).toBeCloseTo(1);
    expect(row.ratio('nothing')?.median).toBeCloseTo(3);
    expect(row.ratio(CONTROL)?.median).toBeCloseTo(1);
  });

  test('pairs samples of the same round and ignores unpaired ones', () => {
    const row = new PeerRow('PingPong', pingPong!, TURNTABLE, [nothing]);
    row.add('turntable', [1, 2, 4]);
    row.add('nothing', [2, 2]);
    row.add('turntable', [10]);
    row.add('nothing', [30, 90]);
    expect(row.paired('nothing')).toEqual([[2, 1], [3]]);
  });

  test('gives a limited peer its smaller size, but never more than the usual one', () => {
    const comedy = PEERS.find(({ name }) => name === 'comedy')!;
    const forkJoin = ONE_THREAD.find(({ name }) => name === 'ForkJoin')!;
    const row = new PeerRow('ForkJoin', forkJoin, TURNTABLE, [comedy]);
    expect(row.sizeFor(comedy, false).count).toBe(4000);
    expect(row.sizeFor(TURNTABLE, false).count).toBe(40_000);
    expect(row.sizeFor(comedy, true)).toEqual(forkJoin.quick);
  });
});

describe('a bar', () => {
  const library: Peer = { ...nothing, name: 'library', kind: 'JavaScript' };
  const met = (rows: readonly PeerRow[], peers: readonly Peer[]): unknown[] =>
    judge(rows, rows, peers).map(({ met }) => met);

  test('is met if Turntable is at least as fast', () => {
    expect(met([measured({ turntable: 2, nothing: 2, library: 1 }, [nothing, library])], [nothing, library])).toEqual([
      true,
      false,
    ]);
  });

  test('is undecided if the peer is missing or has failed', () => {
    const row = measured({ turntable: 2, library: 3 }, [nothing, library]);
    expect(geomeanRatio([row], 'nothing')).toBeUndefined();
    expect(met([row], [nothing, library])).toEqual([null, true]);
    row.exclude('library');
    expect(met([row], [nothing, library])).toEqual([null, null]);
  });

  test('ignores different work and other numbers of threads', () => {
    const row = measured({ turntable: 2, library: 1 }, [library]);
    expect(met([row], [{ ...library, differs: { PingPong: 'different work' } }])).toEqual([]);
    expect(met([row], [{ ...library, threads: 2 }])).toEqual([]);
  });

  test('needs a peer built from the current sources', () => {
    const absent = { ...nothing, installed: { by: 'nowhere', file: 'nowhere/nothing', sources: ['main.ts'] } };
    expect(missing(absent)).toBe('nothing is not installed; run bench/peers/install nowhere');
    expect(missing(TURNTABLE)).toBeUndefined();
  });
});
