// Runs a recorded service under continuous load within a disk budget, measures its disk and memory use, and replays its
// last part, which is all that is kept.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { snapshotPhases, replay } from '../replay/record-and-replay.ts';
import { LoadClient, type HttpRequest } from './load.ts';
import type { MemoryUsage } from './measuring.ts';
import { FIXTURES } from './recorded.ts';
import { FLAGS, REGISTER } from '../../scripts/tested-form.ts';

const MEASURE_FLAG = `--import=${import.meta.resolve('./measuring.ts')}`;
const MIB = 2 ** 20;
/** Timeout of the replay: it may have millions of events, on a machine with much else to do. */
const TIMEOUT_MS = 20 * 60_000;

export interface EnduranceOptions {
  /** An empty directory. */
  readonly directory: string;
  /** Bytes that the recording may use. */
  readonly budget: number;
  /** Requests between two measurements; eight run at a time. */
  readonly requests: number;
  /** Called before each round of requests. */
  shouldContinue(measured: readonly MemorySample[]): boolean;
}

export interface MemorySample extends MemoryUsage {
  readonly disk: number;
}

export interface EnduranceResult {
  readonly samples: readonly MemorySample[];
  readonly phases: readonly number[];
  readonly verdict: string;
  readonly compared: number;
  readonly different: number;
}

export async function runEndurance({
  directory: parent,
  budget,
  requests,
  shouldContinue,
}: EnduranceOptions): Promise<EnduranceResult> {
  const [recordings, files] = [join(parent, 'recordings'), join(parent, 'files')];
  for (const directory of [recordings, files]) mkdirSync(directory);
  const flags = [...FLAGS, '--import', REGISTER];
  const child = spawn(process.execPath, [...flags, join(FIXTURES, 'services/http.ts')], {
    cwd: files,
    env: {
      ...process.env,
      NODE_OPTIONS: MEASURE_FLAG,
      TURNTABLE_RECORDINGS: recordings,
      TURNTABLE_TRACE: '1',
      TURNTABLE_SNAPSHOTS: `trace=${Math.round(budget / 8)}`,
      TURNTABLE_KEEP: `bytes=${budget}`,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  try {
    const exited = once(child, 'close');
    const samples = await sampleUnderLoad(child, recordings, { requests, shouldContinue });
    child.kill('SIGTERM');
    await exited;
    const { report } = replay(recordings, ['--console', 'mute'], {}, TIMEOUT_MS);
    const { verdict, cuts } = report;
    const { compared, different } = cuts;
    return { samples, phases: snapshotPhases(recordings), verdict, compared, different: different.length };
  } finally {
    child.kill('SIGKILL');
  }
}

async function sampleUnderLoad(
  child: ChildProcess,
  recordings: string,
  { requests, shouldContinue }: Pick<EnduranceOptions, 'requests' | 'shouldContinue'>,
): Promise<MemorySample[]> {
  const port = await portOf(child);
  const lines = createInterface({ input: child.stdio[3] as NodeJS.ReadableStream });
  const client = new LoadClient(port);
  const samples: MemorySample[] = [];
  while (shouldContinue(samples)) {
    let remaining = requests;
    const sendRequests = async (): Promise<void> => {
      while (remaining-- > 0) await client.request(REQUESTS[remaining % REQUESTS.length] as HttpRequest);
    };
    await Promise.all(Array.from({ length: 8 }, sendRequests));
    const line = once(lines, 'line');
    child.kill('SIGWINCH');
    const measured = JSON.parse(String((await line)[0])) as MemoryUsage;
    samples.push({ ...measured, disk: sizeOf(recordings) });
  }
  client.close();
  return samples;
}

/** Requests that change no state of the service. */
const REQUESTS: readonly HttpRequest[] = [
  { method: 'GET', path: '/hello?name=again' },
  { method: 'GET', path: '/slow?ms=1' },
  { method: 'GET', path: '/stream' },
  { method: 'POST', path: '/echo', type: 'text/plain', body: 'echo '.repeat(200) },
  { method: 'GET', path: '/static/hello.txt' },
  { method: 'GET', path: '/boom' },
  { method: 'GET', path: '/orders/9999' },
];

async function portOf(child: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const port = /^listening (\d+)$/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('the service ended before it listened');
}

function sizeOf(directory: string): number {
  let size = 0;
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    // The file may have been deleted meanwhile.
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    if (found?.isFile() === true) size += found.size;
  }
  return size;
}

/** Problems found in a result. */
export function enduranceProblems(result: EnduranceResult, budget: number): string[] {
  const { samples, phases, verdict, compared, different } = result;
  const problems: string[] = [];
  const disk = Math.max(...samples.map((sample) => sample.disk));
  // Old data is deleted only when the next snapshot is complete, which lets the recording exceed the budget for a
  // while.
  if (disk > budget * 1.5) problems.push(`used ${disk} bytes on disk with a budget of ${budget}`);
  for (const [metric, allowance] of [
    ['heap', 4 * MIB],
    ['resident', 48 * MIB],
  ] as const) {
    const [early, late] = [quarterMedian(samples, metric, 1), quarterMedian(samples, metric, 3)];
    if (late > early * 1.15 + allowance) problems.push(`${metric} grows: ${early} bytes early, ${late} late`);
  }
  if (verdict !== 'same') problems.push(`replay of the last part: ${verdict}`);
  if (different > 0 || compared < phases.length - 1) problems.push(`${different} of ${compared} states differ`);
  return problems;
}

/** Median of a quarter of the samples. */
function quarterMedian(samples: readonly MemorySample[], metric: keyof MemoryUsage, quarter: number): number {
  const length = samples.length / 4;
  const values = samples
    .slice(Math.floor(quarter * length), Math.ceil((quarter + 1) * length))
    .map((each) => each[metric]);
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
