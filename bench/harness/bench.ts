// Entry point of the harness: a bench is a list of rows and a function from their results to summaries and bars. Missed
// bars are reported (exit code 0); a row that fails sets exit code 1. A bench that is stopped prints its results
// so far, marked as incomplete.

import { constants } from 'node:os';
import { compare, type Comparison, type RowResult } from './comparison.ts';
import { helpText, parseOptions, type BenchOptions, type Efforts } from './options.ts';
import {
  machineLine,
  progress,
  reportJson,
  reportText,
  rowText,
  type Bar,
  type Failure,
  type Summary,
  type Table,
} from './report.ts';

export interface Bench {
  /** The NAME in `npm run bench:NAME`. */
  readonly name: string;
  readonly description: string;
  readonly effort: Efforts;
  rows(options: BenchOptions): readonly Comparison[];
  /** Judges the measured rows; with `--only` these are not all of them. */
  judge(rows: readonly RowResult[]): { readonly summaries: readonly Summary[]; readonly bars: readonly Bar[] };
  /** Measurements other than times of variants, made after the rows. */
  tables?(options: BenchOptions, progress: (line: string) => void): AsyncIterable<Table>;
}

export async function runBench(bench: Bench, args: readonly string[]): Promise<void> {
  const options = parseOptions(args, bench.effort);
  if (options.help) {
    console.log(helpText(bench.name, bench.description));
    return;
  }

  const machine = machineLine();
  const selected = bench.rows(options).filter((row) => isSelected(row.name, options));
  const started = performance.now();
  const rows: RowResult[] = [];
  const failures: Failure[] = [];
  const tables: Table[] = [];
  const print = (incomplete?: string): void => {
    const { rounds, samples, warmup, clock, quick } = options;
    const params = { rounds, samples, warmup, clock, quick, 'took s': seconds(started) };
    const judged = rows.length === 0 ? { summaries: [], bars: [] } : bench.judge(rows);
    const measured = { bench: bench.name, machine, params, rows, failures, tables, ...judged };
    const report = { ...measured, ...(incomplete === undefined ? {} : { incomplete }) };
    console.log(options.json ? reportJson(report) : reportText(report));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      print(
        `stopped by ${signal} when ${rows.length} of ${selected.length} rows and ${tables.length} tables were done`,
      );
      process.exit(128 + constants.signals[signal]);
    });
  for (const [index, row] of selected.entries()) {
    progress(`[${index + 1}/${selected.length}] ${row.name}, ${seconds(started)} s so far`);
    try {
      const result = await compare(row, options);
      rows.push(result);
      progress(`    ${rowText(result)}`);
    } catch (error) {
      failures.push({ name: row.name, error: error instanceof Error ? error.message : String(error) });
      progress(`    failed: ${failures.at(-1)?.error}`);
    }
  }

  try {
    for await (const table of bench.tables?.(options, progress) ?? []) tables.push(table);
  } catch (error) {
    failures.push({ name: 'tables', error: error instanceof Error ? error.message : String(error) });
  }

  print();
  if (failures.length > 0) process.exitCode = 1;
}

/** Whether `--only` is absent or selects the name. */
export function isSelected(name: string, { only }: Pick<BenchOptions, 'only'>): boolean {
  return only.length === 0 || only.some((part) => name.toLowerCase().includes(part.toLowerCase()));
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(0);
}
