// Programs on real threads, recorded and replayed: every thread does the same, whichever worker was lost.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ThreadStop } from '../../src/replay-monitor.ts';
import { truncateTrace, lastEpochsOf } from './trace-files.ts';

const program = new URL('program.ts', import.meta.url).pathname;
const run = promisify(execFile);

async function node(...args: string[]): Promise<void> {
  await run(process.execPath, ['-C', 'turntable-source', program, ...args], { timeout: 20_000 });
}

const read = <T>(directory: string, name: string): T => JSON.parse(readFileSync(join(directory, name), 'utf8')) as T;

async function recordRun(seed: number, lossMode = ''): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-follow-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  await node('record', directory, String(seed), lossMode);
  return directory;
}

/** How each epoch of each thread stopped in a replay. */
async function replayRun(directory: string, seed: number): Promise<Map<string, ThreadStop>> {
  await node('replay', directory, String(seed));
  const stops = read<ThreadStop[]>(directory, 'stops.json');
  return new Map(stops.map((stopped) => [`${stopped.worker}.${stopped.epoch}`, stopped]));
}

function readLogs(directory: string, pass: 'first' | 'again'): Map<string, string[][]> {
  const names = readdirSync(directory).filter((name) => name.endsWith(`.${pass}.log`));
  return new Map(names.map((name) => [name.slice(0, 3), read<string[][]>(directory, name)]));
}

/** The position at which a thread died is unknown: the replay runs a little further. */
function expectPrefix(replayedLogs: readonly string[][], recordedLogs: readonly string[][]): void {
  recordedLogs.forEach((log, actor) => expect(replayedLogs[actor]?.slice(0, log.length)).toEqual(log));
}

describe('a program on three threads', () => {
  it.for([1, 2, 3, 4])('replays exactly, run %i', async (seed) => {
    const directory = await recordRun(seed);
    const stops = await replayRun(directory, seed);
    expect([...stops.values()].map(({ reason }) => reason)).toEqual(lastEpochsOf(directory).map(() => 'ended'));
    expect(readLogs(directory, 'again')).toEqual(readLogs(directory, 'first'));
  });

  it.for([43, 5])('replays exactly after the loss of a worker at some moment, run %i', async (seed) => {
    const directory = await recordRun(seed, 'killed');
    const stops = await replayRun(directory, seed);
    const epochs = lastEpochsOf(directory).flatMap((last, worker) =>
      Array.from({ length: last + 1 }, (_, i) => `${worker}.${i}`),
    );
    expect([...stops.keys()].toSorted()).toEqual(epochs);
    const [first, again] = [readLogs(directory, 'first'), readLogs(directory, 'again')];
    for (const [epoch, { reason }] of stops) {
      const isLost = lastEpochsOf(directory)[1] === 1 && epoch === '1.0';
      expect(reason).toBe(isLost ? 'cut off' : 'ended');
      if (isLost) expectPrefix(again.get(epoch) as string[][], first.get(epoch) as string[][]);
      else expect(again.get(epoch)).toEqual(first.get(epoch));
    }
  });

  it.for([0.2, 0.5, 0.8])('replays to the end of traces that were cut off after a share of %d', async (share) => {
    const directory = await recordRun(9);
    const first = readLogs(directory, 'first');
    const was = [0, 1, 2].map((worker) => truncateTrace(directory, worker, share));
    const stops = await replayRun(directory, 9);
    expect([...stops.values()].map(({ reason }) => reason)).toEqual(['cut off', 'cut off', 'cut off']);
    for (const [epoch, log] of readLogs(directory, 'again')) {
      const whole = first.get(epoch) as string[][];
      log.forEach((lines, actor) => expect(whole[actor]?.slice(0, lines.length)).toEqual(lines));
    }
    expect(stops.get('1.0')?.events).toBeLessThanOrEqual(was[1] as number);
  });

  it('that was changed diverges, and reports event, difference and position', async () => {
    const directory = await recordRun(9);
    const stops = await replayRun(directory, 2);
    const { reason, divergence } = [...stops.values()].find((stopped) => stopped.reason === 'diverged') as ThreadStop;
    expect(reason).toBe('diverged');
    expect(divergence).toMatchObject({
      ordinal: expect.any(Number) as number,
      expected: expect.stringMatching(/asks|happens|(?:are|is) taken|calls/) as string,
      actual: expect.any(String) as string,
    });
  });
});
