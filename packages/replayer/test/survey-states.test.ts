// What a survey keeps of the states that its run again writes.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openRecording, type Recording } from '@turntable/recording';
import { afterAll, describe, expect, it } from 'vitest';
import { PART } from '../src/recorder/part-feed.ts';
import { SurveyStates } from '../src/replay/survey-states.ts';

const room = mkdtempSync(join(tmpdir(), 'turntable-states-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

/** Of two workers, of each state so many bytes that nothing makes less of. */
async function keptOf(phases: readonly number[], bytes: number, most: number): Promise<Recording> {
  const states = new SurveyStates(mkdtempSync(join(room, 'all-')), 1, most);
  for (const phase of phases) {
    for (const worker of [0, 1]) states.part({ phase, worker }, randomBytes(bytes / 2));
    states.whole({ phase, lives: { 0: 0, 1: 0 } });
    // As many as come before the disk has any, and those behind them.
    if (phase % 5 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return openRecording((await states.close()) as string);
}
const phases = (count: number): number[] => Array.from({ length: count }, (_, i) => 3 * i + 1);

describe('states of a survey', () => {
  it('are kept whole, as long as the disk has room for them', async () => {
    const kept = await keptOf(phases(7), 10_000, 1 << 20);
    expect(kept.phases()).toEqual(phases(7));
    for (const phase of phases(7)) expect(kept.isWhole(phase)).toBe(true);
    using last = kept.readSnapshot(19);
    expect([last.workers, last.part(1, PART).read().length]).toEqual([[0, 1], 5000]);
  });

  it('are fewer where they take more, and lie as far apart as each other', async () => {
    const kept = await keptOf(phases(64), 100_000, 1 << 20);
    const its = kept.phases();
    expect(its.length).toBeGreaterThan(4);
    expect(its.length * 100_000).toBeLessThan(2 ** 20);
    const apart = its.slice(1).map((phase, i) => phase - (its[i] as number));
    expect(new Set(apart).size).toBe(1);
    for (const phase of its) expect(kept.isWhole(phase)).toBe(true);
  });

  it('are waited for by a process that has nothing else to do', async () => {
    const directory = mkdtempSync(join(room, 'alone-'));
    const program = `import { SurveyStates } from ${JSON.stringify(import.meta.resolve('../src/replay/survey-states.ts'))};
      const states = new SurveyStates(${JSON.stringify(directory)}, 1);
      states.part({ phase: 1, worker: 0 }, Buffer.alloc(1000));
      states.whole({ phase: 1, lives: { 0: 0 } });
      await states.close();`;
    const flags = ['-C', 'turntable-source', '--input-type=module'];
    await promisify(execFile)(process.execPath, [...flags, '--eval', program]);
    const [name = ''] = readdirSync(directory);
    expect(openRecording(join(directory, name)).phases()).toEqual([1]);
  });

  it('are none where there are none', async () => {
    expect(await new SurveyStates(join(room, 'none'), 1).close()).toBe(undefined);
  });
});
