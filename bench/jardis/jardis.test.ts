// The compared recorder must work: its recordings replay to equal states, also from their last snapshot.
import '../../scripts/from-sources.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listRecordings, openRecording, type Recording } from '@turntable/recording';
import { afterAll, expect, it } from 'vitest';
import { load } from '../../examples/acmeair/load/load.ts';
import { replay } from '../../test/replay/record-and-replay.ts';
import { BenchService } from '../harness/service.ts';

const directory = mkdtempSync(join(tmpdir(), 'jardis-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const AIRLINE = at('../../examples/acmeair/src/main.ts');
const CUSTOMERS = 20;

/** @param interval milliseconds of work between two snapshots */
async function recordService(
  name: string,
  file: string,
  interval: number,
  visit: (url: string, recordings: string) => Promise<void>,
  keep?: string,
): Promise<Recording> {
  const recordings = join(directory, name);
  const service = await BenchService.start({
    file,
    execArgv: ['--import', at('./register.ts'), '--import', 'turntable/register'],
    env: {
      TURNTABLE_RECORDINGS: recordings,
      ...(keep === undefined ? {} : { TURNTABLE_KEEP: keep }),
      JARDIS_INTERVAL: String(interval),
      ACMEAIR_PORT: '0',
      ACMEAIR_WORKERS: '0',
      ACMEAIR_CUSTOMERS: String(CUSTOMERS),
    },
  });
  await visit(service.url, recordings);
  await service.stop();
  const [entry] = listRecordings(recordings);
  if (entry === undefined) throw new Error('nothing was recorded');
  return openRecording(entry.directory);
}

/** The phases kept so far of the only recording. */
function phasesIn(recordings: string): readonly number[] {
  const [entry] = listRecordings(recordings);
  return entry === undefined ? [] : openRecording(entry.directory).phases();
}

it('keeps the last two snapshots and the log after them, which replays from either', { timeout: 120_000 }, async () => {
  const recording = await recordService('notes', at('./service.ts'), 60, async (url, recordings) => {
    // Snapshots are taken by work, and a request takes less of it on a fast machine.
    for (let i = 1; i <= 50 || (phasesIn(recordings)[0] ?? 0) <= 1; i++) {
      const method = { method: 'POST', headers: { 'content-type': 'application/json' } };
      const response = await fetch(`${url}/notes`, { ...method, body: JSON.stringify({ text: `note ${i}` }) });
      expect(await response.json()).toMatchObject({ id: i });
      expect(await (await fetch(`${url}/notes/${i}`)).json()).toMatchObject({ text: `note ${i}` });
    }
  });
  const phases = recording.phases();
  expect(phases.length).toBe(2);
  expect(phases[0]).toBeGreaterThan(1);
  const { report } = replay(recording.directory);
  expect([report.verdict, report.cuts.different]).toEqual(['same', []]);
  const last = replay(recording.directory, ['--from', String(phases[1])]);
  expect(last.report.verdict).toBe('same');
});

it('replays Acme Air under load with snapshots that stopped the world', { timeout: 120_000 }, async () => {
  const visit = async (url: string, recordings: string): Promise<void> => {
    await (await fetch(`${url}/rest/api/loader/load`)).text();
    do expect(await load({ url, connections: 4, requests: 300, customers: CUSTOMERS })).toMatchObject({ failed: 0 });
    while (phasesIn(recordings).length <= 2);
  };
  const recording = await recordService('airline', AIRLINE, 60, visit, 'count=1000');
  const phases = recording.phases();
  expect(phases.length).toBeGreaterThan(2);
  // After the last snapshot there are no states to compare.
  for (const from of [[], ['--from', String(phases.at(-2))]]) {
    const { report } = replay(recording.directory, from);
    expect([report.verdict, report.cuts.different]).toEqual(['same', []]);
  }
});

it('logs headers of a request that the program does not read', async () => {
  const recording = await recordService('headers', AIRLINE, 60_000, async (url) => {
    await (await fetch(`${url}/checkstatus`, { headers: { 'x-unread': 'unread value' } })).text();
  });
  expect(JSON.stringify([...eventsOf(recording)])).toContain('unread value');
});

function* eventsOf(recording: Recording): Generator<unknown> {
  const reader = recording.trace(0, 0);
  try {
    for (; reader.next !== undefined; reader.take())
      yield 'value' in reader.next ? String(JSON.stringify(reader.next.value, plain)) : reader.next.type;
  } finally {
    reader.close();
  }
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
