// Output of a bench: a table for people, one JSON object for machines.

import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { CONTROL, type RowResult } from './comparison.ts';
import type { Interval } from './statistics.ts';

export interface Bar {
  /** The measured quantity. */
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly met: boolean;
}

export interface Summary {
  readonly name: string;
  readonly ratios: Readonly<Record<string, Interval>>;
}

export interface Failure {
  readonly name: string;
  readonly error: string;
}

/** Figures other than times of variants. */
export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Report {
  readonly bench: string;
  readonly machine: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly rows: readonly RowResult[];
  readonly summaries: readonly Summary[];
  readonly bars: readonly Bar[];
  readonly tables: readonly Table[];
  readonly failures: readonly Failure[];
  /** Reason if the bench did not measure everything. */
  readonly incomplete?: string;
}

/** Bar whose value must not exceed the limit. */
export function atMost(what: string, value: number, limit: number): Bar {
  return { what, value, limit, met: value <= limit };
}

/** Hardware and versions, never the machine's name. The load indicates how far to trust the figures. */
export function machineLine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown CPU';
  const memory = Math.round(totalmem() / 2 ** 30);
  return (
    `${availableParallelism()} × ${model}, ${memory} GiB, ${type()} ${release()} ${arch()}, ` +
    `Node ${process.versions.node} (V8 ${process.versions.v8}), load ${loadavg()[0]!.toFixed(1)}`
  );
}

function ratioText(interval: Interval | undefined): string {
  if (!interval) return '';
  return `${interval.median.toFixed(3)} [${interval.low.toFixed(3)}, ${interval.high.toFixed(3)}]`;
}

function milliseconds(value: number | undefined): string {
  if (value === undefined) return '';
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** Table with columns as wide as their widest cell, the first left-aligned, figures right-aligned. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (column === 0 ? (cells[column] ?? '').padEnd(width) : (cells[column] ?? '').padStart(width))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(header), rule, ...rows.map(line)].join('\n');
}

/** One line about a row, for progress. */
export function rowText({ medians, ratios }: RowResult): string {
  const figures = Object.entries(medians).map(([lane, value]) => {
    const ratio = ratioText(ratios[lane]);
    return `${lane} ${milliseconds(value)} ms${ratio === '' ? '' : ` = ${ratio}`}`;
  });
  return figures.join(', ');
}

export function reportText(report: Report): string {
  const lanes = [...new Set(report.rows.flatMap((row) => Object.keys(row.medians)))].filter((lane) => lane !== CONTROL);
  const compared = [...lanes.slice(1), CONTROL];
  const header = ['', ...lanes.map((lane) => `${lane} ms`), ...compared.map((lane) => `${lane} / ${lanes[0] ?? ''}`)];
  const rows = report.rows.map((row) => [
    row.name,
    ...lanes.map((lane) => milliseconds(row.medians[lane])),
    ...compared.map((lane) => ratioText(row.ratios[lane])),
  ]);
  const summaries = report.summaries.map((summary) => [
    summary.name,
    ...lanes.map(() => ''),
    ...compared.map((lane) => ratioText(summary.ratios[lane])),
  ]);
  const params = Object.entries(report.params).map(([name, value]) => `${name} ${String(value)}`);
  const bars = report.bars.map(
    (bar) => `${bar.met ? 'met   ' : 'MISSED'} ${bar.what}: ${bar.value.toFixed(3)} (limit ${bar.limit})`,
  );
  const failures = report.failures.map((failure) => `FAILED ${failure.name}: ${failure.error}`);
  return [
    `bench:${report.bench}`,
    report.machine,
    `${params.join(', ')}; medians, ratio with 95 % interval`,
    '',
    ...(report.rows.length > 0 ? [table(header, [...rows, ...summaries]), ''] : []),
    ...report.tables.flatMap((each) => [each.title, table(each.header, each.rows), '']),
    ...failures,
    ...bars,
    ...(report.incomplete === undefined ? [] : [`INCOMPLETE: ${report.incomplete}`]),
  ].join('\n');
}

export function reportJson(report: Report): string {
  const rows = report.rows.map(({ name, medians, ratios }) => ({ name, medians, ratios }));
  const summaries = report.summaries.map(({ name, ratios }) => ({ name, ratios }));
  const { bench, machine, params, bars, tables, failures, incomplete } = report;
  return JSON.stringify({ bench, machine, params, rows: [...rows, ...summaries], bars, tables, failures, incomplete });
}

export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
