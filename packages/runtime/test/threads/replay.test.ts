// Programs on real threads, recorded and run again: everything is as it was on every thread, whoever was lost.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Stopped } from '../../src/replaying.ts';
import { cutOff, livesOf } from './lines.ts';

const program = new URL('program.ts', import.meta.url).pathname;
const run = promisify(execFile);

async function node(...args: string[]): Promise<void> {
  await run(process.execPath, ['-C', 'turntable-source', program, ...args], { timeout: 20_000 });
}

const read = <T>(directory: string, name: string): T => JSON.parse(readFileSync(join(directory, name), 'utf8')) as T;

async function recorded(seed: number, way = ''): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-follow-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  await node('record', directory, String(seed), way);
  return directory;
}

/** What becomes of each life of each thread, in a run again. */
async function replayed(directory: string, seed: number): Promise<Map<string, Stopped>> {
  await node('replay', directory, String(seed));
  const stops = read<Stopped[]>(directory, 'stops.json');
  return new Map(stops.map((stopped) => [`${stopped.worker}.${stopped.life}`, stopped]));
}

function logs(directory: string, which: 'first' | 'again'): Map<string, string[][]> {
  const names = readdirSync(directory).filter((name) => name.endsWith(`.${which}.log`));
  return new Map(names.map((name) => [name.slice(0, 3), read<string[][]>(directory, name)]));
}

/** Where a thread died nobody knows how far it had come: it goes on a little. */
function expectToBegin(again: readonly string[][], first: readonly string[][]): void {
  first.forEach((log, actor) => expect(again[actor]?.slice(0, log.length)).toEqual(log));
}

describe('a program on three threads', () => {
  it.for([1, 2, 3, 4])('is the same again, run %i', async (seed) => {
    const directory = await recorded(seed);
    const stops = await replayed(directory, seed);
    expect([...stops.values()].map(({ why }) => why)).toEqual(livesOf(directory).map(() => 'ended'));
    expect(logs(directory, 'again')).toEqual(logs(directory, 'first'));
  });

  it.for([43, 5])('is the same again though a worker was lost at some moment, run %i', async (seed) => {
    const directory = await recorded(seed, 'killed');
    const stops = await replayed(directory, seed);
    const lives = livesOf(directory).flatMap((last, worker) =>
      Array.from({ length: last + 1 }, (_, i) => `${worker}.${i}`),
    );
    expect([...stops.keys()].toSorted()).toEqual(lives);
    const [first, again] = [logs(directory, 'first'), logs(directory, 'again')];
    for (const [life, { why }] of stops) {
      const isLost = livesOf(directory)[1] === 1 && life === '1.0';
      expect(why).toBe(isLost ? 'cut off' : 'ended');
      if (isLost) expectToBegin(again.get(life) as string[][], first.get(life) as string[][]);
      else expect(again.get(life)).toEqual(first.get(life));
    }
  });

  it.for([0.2, 0.5, 0.8])('goes as far as its traces go, which were cut off after %d of them', async (share) => {
    const directory = await recorded(9);
    const first = logs(directory, 'first');
    const was = [0, 1, 2].map((worker) => cutOff(directory, worker, share));
    const stops = await replayed(directory, 9);
    expect([...stops.values()].map(({ why }) => why)).toEqual(['cut off', 'cut off', 'cut off']);
    for (const [life, log] of logs(directory, 'again')) {
      const whole = first.get(life) as string[][];
      log.forEach((lines, actor) => expect(whole[actor]?.slice(0, lines.length)).toEqual(lines));
    }
    expect(stops.get('1.0')?.events).toBeLessThanOrEqual(was[1] as number);
  });

  it('that is another one has diverged, and says at which event, with what and where', async () => {
    const directory = await recorded(9);
    const stops = await replayed(directory, 2);
    const { why, divergence } = [...stops.values()].find((stopped) => stopped.why === 'diverged') as Stopped;
    expect(why).toBe('diverged');
    expect(divergence).toMatchObject({
      ordinal: expect.any(Number) as number,
      expected: expect.stringMatching(/asks|happens|(?:are|is) taken|calls/) as string,
      actual: expect.any(String) as string,
    });
  });
});
