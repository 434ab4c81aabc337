// A recorded service under load that goes on and on, inside a budget of bytes on the disk: how much there is of it on the disk and in memory meanwhile, and
// whether its last stretch, which is all that is kept, is replayed.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { phasesIn, replay } from '../replay/again.ts';
import { Client, type Asked } from './load.ts';
import type { Measured } from './measuring.ts';
import { FIXTURES } from './recorded.ts';
import { FLAGS, REGISTER } from '../../scripts/tested.ts';

const MEASURING = `--import=${import.meta.resolve('./measuring.ts')}`;
const MIB = 2 ** 20;
/** Milliseconds for its last stretch, which has all that the budget has room for: millions of events, on a machine that may have much else to do. */
const LIMIT = 20 * 60_000;

export interface Ordeal {
  /** A directory that is empty. */
  readonly place: string;
  /** Bytes that its recording may have. */
  readonly budget: number;
  /** Requests between two measurements, beside each other by eight. */
  readonly requests: number;
  /** Is asked before each of them. */
  goesOn(measured: readonly Moment[]): boolean;
}

export interface Moment extends Measured {
  readonly disk: number;
}

export interface Endured {
  readonly moments: readonly Moment[];
  readonly phases: readonly number[];
  readonly verdict: string;
  readonly compared: number;
  readonly different: number;
}

export async function endure({ place, budget, requests, goesOn }: Ordeal): Promise<Endured> {
  const [recordings, files] = [join(place, 'recordings'), join(place, 'files')];
  for (const directory of [recordings, files]) mkdirSync(directory);
  const flags = [...FLAGS, '--import', REGISTER];
  const child = spawn(process.execPath, [...flags, join(FIXTURES, 'services/http.ts')], {
    cwd: files,
    env: {
      ...process.env,
      NODE_OPTIONS: MEASURING,
      TURNTABLE_RECORDINGS: recordings,
      TURNTABLE_TRACE: '1',
      TURNTABLE_SNAPSHOTS: `trace=${Math.round(budget / 8)}`,
      TURNTABLE_KEEP: `bytes=${budget}`,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  try {
    const ended = once(child, 'close');
    const moments = await underLoad(child, recordings, { requests, goesOn });
    child.kill('SIGTERM');
    await ended;
    const { report } = replay(recordings, ['--console', 'mute'], {}, LIMIT);
    const { verdict, cuts } = report;
    const { compared, different } = cuts;
    return { moments, phases: phasesIn(recordings), verdict, compared, different: different.length };
  } finally {
    child.kill('SIGKILL');
  }
}

async function underLoad(
  child: ChildProcess,
  recordings: string,
  { requests, goesOn }: Pick<Ordeal, 'requests' | 'goesOn'>,
): Promise<Moment[]> {
  const port = await portOf(child);
  const lines = createInterface({ input: child.stdio[3] as NodeJS.ReadableStream });
  const client = new Client(port);
  const moments: Moment[] = [];
  while (goesOn(moments)) {
    let left = requests;
    const one = async (): Promise<void> => {
      while (left-- > 0) await client.ask(KINDS[left % KINDS.length] as Asked);
    };
    await Promise.all(Array.from({ length: 8 }, one));
    const line = once(lines, 'line');
    child.kill('SIGWINCH');
    const measured = JSON.parse(String((await line)[0])) as Measured;
    moments.push({ ...measured, disk: sizeOf(recordings) });
  }
  client.hangUp();
  return moments;
}

/** None of which the service remembers. */
const KINDS: readonly Asked[] = [
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
    // It may be deleted meanwhile.
    const found = statSync(join(directory, name), { throwIfNoEntry: false });
    if (found?.isFile() === true) size += found.size;
  }
  return size;
}

/** What is wrong with it; nothing if all is well. */
export function complaintsOf(endured: Endured, budget: number): string[] {
  const { moments, phases, verdict, compared, different } = endured;
  const found: string[] = [];
  const disk = Math.max(...moments.map((moment) => moment.disk));
  // What is too much is deleted when the next snapshot is there, and by then a part of the next stretch.
  if (disk > budget * 1.5) found.push(`it had ${disk} bytes on the disk, and might have ${budget}`);
  for (const [what, room] of [
    ['heap', 4 * MIB],
    ['resident', 48 * MIB],
  ] as const) {
    const [early, late] = [middle(moments, what, 1), middle(moments, what, 3)];
    if (late > early * 1.15 + room) found.push(`${what} grows: ${early} bytes early, ${late} late`);
  }
  if (verdict !== 'same') found.push(`its last stretch is ${verdict}`);
  if (different > 0 || compared < phases.length - 1) found.push(`of ${compared} states ${different} differ`);
  return found;
}

/** Of a quarter of the moments. */
function middle(moments: readonly Moment[], what: keyof Measured, quarter: number): number {
  const length = moments.length / 4;
  const values = moments
    .slice(Math.floor(quarter * length), Math.ceil((quarter + 1) * length))
    .map((each) => each[what]);
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
