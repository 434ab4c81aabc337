// Duration of a restore in place by size of the heap: from `app.restore()` to the main program's first line, and to the
// answer of the actor that holds the heap. Runs the built packages: from sources a process takes twice as long to
// start.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Table } from '../harness/report.ts';
import { median } from '../harness/statistics.ts';

const PROGRAM = fileURLToPath(new URL('./in-place-program.ts', import.meta.url));

export interface InPlaceTableOptions {
  readonly sizes: readonly number[];
  /** Number of restores. */
  readonly epochs: number;
  progress(line: string): void;
}

/** One line per restore: milliseconds to the first line and to the answer, resident bytes, CPU milliseconds so far. */
async function measureInPlace(megabytes: number, epochs: number): Promise<number[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-bench-'));
  try {
    const file = join(directory, 'requested');
    const args = ['--import', 'turntable/register', PROGRAM, String(megabytes), String(epochs), file];
    const env = { ...process.env, TURNTABLE_RECORDINGS: join(directory, 'recordings') };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export async function inPlaceTable({ sizes, epochs, progress }: InPlaceTableOptions): Promise<Table> {
  const rows: string[][] = [];
  for (const megabytes of sizes) {
    progress(`restore in place: ${megabytes} MB`);
    const all = await measureInPlace(megabytes, epochs);
    const of = (column: number): number[] => all.map((each) => each[column] as number);
    const [first, answered, rss, cpu] = [of(0), of(1), of(2), of(3)];
    const spent = cpu.slice(1).map((each, i) => each - (cpu[i] as number));
    rows.push([
      `${megabytes} MB`,
      median(first).toFixed(0),
      median(answered).toFixed(0),
      Math.min(...answered).toFixed(0),
      median(spent).toFixed(0),
      (Math.max(...rss) / 2 ** 20).toFixed(0),
    ]);
  }
  return {
    title: `restore in place: medians of ${epochs}, one worker`,
    header: ['heap', 'first line ms', 'answer ms', 'min ms', 'CPU ms', 'process max MiB'],
    rows,
  };
}
