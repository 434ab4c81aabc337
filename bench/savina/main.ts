// npm run bench:savina: the programs of the suite on the main thread alone, on one worker and on two. A row is a
// program at a size on such a setup, in its own process, transformed like a user's program.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { machineLine, table, type Failure } from '../harness/report.ts';
import { median } from '../harness/statistics.ts';
import { loadProgram, PROGRAMS } from './catalog.ts';
import { HELP, savinaOptions, type WorkerSetup, type SavinaOptions } from './options.ts';
import type { Measured } from './program.ts';

/** Limit in minutes: a program that runs longer hangs. */
const TIMEOUT_MINUTES = 10;
const PROGRAM_FILE = fileURLToPath(new URL('./program.ts', import.meta.url));

interface Row {
  readonly name: string;
  readonly program: string;
  readonly size: 'paper' | 'corrected' | 'quick';
  readonly on: WorkerSetup;
}

interface Result {
  readonly name: string;
  readonly on: WorkerSetup;
  /** Median milliseconds of a run. */
  readonly wall: number;
  readonly cpu: number;
  /** Median number of messages per run; in some programs it depends on the schedule. */
  readonly messages: number;
  /** Messages per second of elapsed time. */
  readonly rate: number;
  readonly heap: number;
  readonly memory: number;
}

async function rowsOf({ quick, only, on }: SavinaOptions): Promise<Row[]> {
  const rows: Row[] = [];
  for (const program of PROGRAMS) {
    if (only.length > 0 && !only.some((part) => program.toLowerCase().includes(part.toLowerCase()))) continue;
    const { problem } = await loadProgram(program);
    for (const workerSetup of on) {
      if (quick) rows.push({ name: program, program, size: 'quick', on: workerSetup });
      else rows.push({ name: program, program, size: 'paper', on: workerSetup });
    }
    if (quick || problem.corrected === undefined) continue;
    for (const workerSetup of on)
      rows.push({ name: `${program}, corrected`, program, size: 'corrected', on: workerSetup });
  }
  return rows;
}

async function measure(row: Row, { warmup, samples }: SavinaOptions): Promise<Result> {
  const hooks = ['-C', 'turntable-source', '--import', 'turntable/register'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...hooks, PROGRAM_FILE, row.program, row.size, row.on, String(warmup), String(samples)],
    { timeout: TIMEOUT_MINUTES * 60_000, killSignal: 'SIGKILL' },
  );
  const measured = JSON.parse(stdout) as Measured;
  return {
    name: row.name,
    on: row.on,
    wall: median(measured.samples.map(({ wall }) => wall)),
    cpu: median(measured.samples.map(({ cpu }) => cpu)),
    messages: median(measured.samples.map(({ messages }) => messages)),
    rate: median(measured.samples.map(({ messages, wall }) => (messages / wall) * 1000)),
    heap: measured.heap,
    memory: measured.memory,
  };
}

function errorText(error: unknown): string {
  const { stderr, killed, message } = error as { stderr?: string; killed?: boolean; message: string };
  if (killed === true) return `timed out after ${TIMEOUT_MINUTES} minutes`;
  return /^\w*Error.*$/m.exec(stderr ?? '')?.[0] ?? (stderr?.trim() || message);
}

function tableOf(results: readonly Result[]): string {
  const header = ['', 'on', 'ms', 'CPU ms', 'messages', 'k messages/s', 'heap MiB', 'memory MiB'];
  const rows = results.map((result) => [
    result.name,
    result.on,
    result.wall.toFixed(1),
    result.cpu.toFixed(1),
    String(Math.round(result.messages)),
    (result.rate / 1000).toFixed(0),
    result.heap.toFixed(0),
    result.memory.toFixed(0),
  ]);
  return table(header, rows);
}

const options = savinaOptions(process.argv.slice(2));
if (options.help) console.log(HELP);
else {
  const machine = machineLine();
  const started = performance.now();
  const rows = await rowsOf(options);
  const results: Result[] = [];
  const failures: Failure[] = [];
  for (const [i, row] of rows.entries()) {
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    process.stderr.write(`[${i + 1}/${rows.length}] ${row.name} on ${row.on}, ${seconds} s so far\n`);
    try {
      results.push(await measure(row, options));
    } catch (error) {
      failures.push({ name: `${row.name} on ${row.on}`, error: errorText(error) });
      process.stderr.write(`    failed: ${failures.at(-1)?.error}\n`);
    }
  }
  const { quick, samples, warmup } = options;
  if (options.json) {
    const params = { quick, samples, warmup };
    console.log(JSON.stringify({ bench: 'savina', machine, params, rows: results, failures, bars: [] }));
  } else {
    const failed = failures.map(({ name, error }) => `FAILED ${name}: ${error}`);
    const params = `${quick ? 'quick sizes' : "the papers' sizes"}, medians of ${samples} runs after ${warmup}`;
    console.log(['bench:savina', machine, params, '', tableOf(results), ...failed].join('\n'));
  }
  if (failures.length > 0) process.exitCode = 1;
}
