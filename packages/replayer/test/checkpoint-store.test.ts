// Tests which checkpoints of a run index build are kept.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openRecording, type Recording } from '@turntable/recording';
import { afterAll, describe, expect, it } from 'vitest';
import { STATE_PART } from '../src/recorder/part-feed.ts';
import { CheckpointStore } from '../src/replay/checkpoint-store.ts';

const testRoot = mkdtempSync(join(tmpdir(), 'turntable-states-'));
afterAll(() => rmSync(testRoot, { recursive: true, force: true }));

/** Adds checkpoints of two workers, with incompressible states of the given size. */
async function storeCheckpoints(phases: readonly number[], bytes: number, maxBytes: number): Promise<Recording> {
  const states = new CheckpointStore(mkdtempSync(join(testRoot, 'all-')), 1, maxBytes);
  for (const phase of phases) {
    for (const worker of [0, 1]) states.addPart({ phase, worker }, randomBytes(bytes / 2));
    states.complete({ phase, epochs: { 0: 0, 1: 0 } });
    // Checkpoints before the first write, and later ones.
    if (phase % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return openRecording((await states.close()) as string);
}
const phases = (count: number): number[] => Array.from({ length: count }, (_, i) => 3 * i + 1);

describe('checkpoints of a run index', () => {
  it('are kept up to the size budget', async () => {
    const checkpoints = await storeCheckpoints(phases(7), 10_000, 1 << 20);
    expect(checkpoints.phases()).toEqual(phases(7));
    for (const phase of phases(7)) expect(checkpoints.isIntact(phase)).toBe(true);
    using last = checkpoints.readSnapshot(19);
    expect([last.workers, last.part(1, STATE_PART).read().length]).toEqual([[0, 1], 5000]);
  });

  it('are thinned out evenly above the budget', async () => {
    const checkpoints = await storeCheckpoints(phases(64), 100_000, 1 << 20);
    const keptPhases = checkpoints.phases();
    expect(keptPhases.length).toBeGreaterThan(4);
    expect(keptPhases.length * 100_000).toBeLessThan(2 ** 20);
    const intervals = keptPhases.slice(1).map((phase, i) => phase - (keptPhases[i] as number));
    expect(new Set(intervals).size).toBe(1);
    for (const phase of keptPhases) expect(checkpoints.isIntact(phase)).toBe(true);
  });

  it('keep the process alive until they are written', async () => {
    const directory = mkdtempSync(join(testRoot, 'alone-'));
    const program = `import { CheckpointStore } from ${JSON.stringify(import.meta.resolve('../src/replay/checkpoint-store.ts'))};
      const states = new CheckpointStore(${JSON.stringify(directory)}, 1);
      states.addPart({ phase: 1, worker: 0 }, Buffer.alloc(1000));
      states.complete({ phase: 1, epochs: { 0: 0 } });
      await states.close();`;
    const flags = ['-C', 'turntable-source', '--input-type=module'];
    await promisify(execFile)(process.execPath, [...flags, '--eval', program]);
    const [name = ''] = readdirSync(directory);
    expect(openRecording(join(directory, name)).phases()).toEqual([1]);
  });

  it('leave no directory if there are none', async () => {
    expect(await new CheckpointStore(join(testRoot, 'none'), 1).close()).toBe(undefined);
  });
});
