// Programs on real threads, recorded and run again: everything is as it was on every thread, whoever was lost.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Stopped } from '../../src/replaying.ts';
import { livesOf } from './lines.ts';

const program = new URL('program.ts', import.meta.url).pathname;
const run = promisify(execFile);

async function node(...args: string[]): Promise<void> {
  await run(process.execPath, ['-C', 'turntable-source', program, ...args], { timeout: 20_000 });
}

const read = <T>(directory: string, name: string): T => JSON.parse(readFileSync(join(directory, name), 'utf8')) as T;

async function recordedAndReplayed(seed: number, way = ''): Promise<{ directory: string; stops: Stopped[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-follow-'));
  await node('record', directory, String(seed), way);
  await node('replay', directory, String(seed), way);
  return { directory, stops: read<Stopped[]>(directory, 'stops.json') };
}

describe('a program on three threads', () => {
  it.for([1, 2, 3, 4])('is the same again, run %i', async (seed) => {
    const { directory, stops } = await recordedAndReplayed(seed);
    expect(stops.toSorted((a, b) => a.worker - b.worker).map(({ worker, why }) => [worker, why])).toEqual(
      livesOf(directory).map((_, worker) => [worker, 'ended']),
    );
    for (const name of readdirSync(directory).filter((each) => each.endsWith('.first.log')))
      expect(read(directory, name.replace('first', 'again'))).toEqual(read(directory, name));
    rmSync(directory, { recursive: true });
  });
});
