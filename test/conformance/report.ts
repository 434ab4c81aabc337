/*
 * The result of a comparison: a table by directory and the failures grouped by cause, as data and as text.
 *
 * In files with direct eval or `with`, these stay native, so that the rest of the file counts. The transform refuses
 * them to users, so such files have their own column and count as failures in "for users".
 */
import type { ConformanceFailure } from './execution.ts';

export type ConformanceRuns = {
  readonly node: string;
  readonly files: readonly {
    readonly path: string;
    readonly native: boolean;
    readonly failure: ConformanceFailure | undefined;
    readonly refused: boolean;
    /** The reason why the file's state cannot be captured in principle, if there is one. */
    readonly exclusion?: string | undefined;
  }[];
};

export type DirectoryRow = {
  readonly directory: string;
  readonly files: number;
  /** Files that pass natively: the denominator. */
  readonly native: number;
  readonly transformed: number;
  /** Of `native`: files with a refused construct, and how many of them pass when it stays native. */
  readonly refused: number;
  readonly refusedPassing: number;
  /** Not counted in the other columns: files whose state cannot be captured in principle. */
  readonly excluded: number;
};

export type Group = { readonly cause: string; readonly count: number; readonly paths: readonly string[] };

export type ConformanceReport = {
  readonly node: string;
  readonly rows: readonly DirectoryRow[];
  readonly total: DirectoryRow;
  readonly groups: readonly Group[];
};

type Counts = { -readonly [K in keyof DirectoryRow]: DirectoryRow[K] };

const zero = { files: 0, native: 0, transformed: 0, refused: 0, refusedPassing: 0, excluded: 0 };

export function summarize({ node, files }: ConformanceRuns): ConformanceReport {
  const rows = new Map<string, Counts>();
  const total: Counts = { directory: 'total', ...zero };
  const groups = new Map<string, string[]>();
  for (const { path, native, failure, refused, exclusion } of files) {
    const directory = directoryOf(path);
    let row = rows.get(directory);
    if (row === undefined) rows.set(directory, (row = { directory, ...zero }));
    for (const counts of [row, total]) {
      counts.files++;
      if (!native) continue;
      if (exclusion !== undefined) {
        counts.excluded++;
        continue;
      }
      counts.native++;
      if (failure === undefined) counts.transformed++;
      if (!refused) continue;
      counts.refused++;
      if (failure === undefined) counts.refusedPassing++;
    }
    if (!native || (failure === undefined && exclusion === undefined)) continue;
    const reason = failure === undefined || exclusion !== undefined ? `apart: ${exclusion}` : causeOf(failure);
    const cause = `${refused ? '(eval/with) ' : ''}${reason}`;
    const paths = groups.get(cause);
    if (paths === undefined) groups.set(cause, [path]);
    else paths.push(path);
  }
  return {
    node,
    rows: [...rows.values()],
    total,
    groups: [...groups]
      .map(([cause, paths]) => ({ cause, count: paths.length, paths }))
      .sort((a, b) => b.count - a.count),
  };
}

/** The detail without the parts that differ between failures of the same kind. */
function causeOf({ reason, detail }: ConformanceFailure): string {
  const general = detail
    .replaceAll(/\/\S+\//g, '')
    .replaceAll(/[«'"`].*?[»'"`]/g, '…')
    .replaceAll(/\d+/g, '#')
    .slice(0, 110);
  return `${reason}: ${general}`;
}

function directoryOf(path: string): string {
  const parts = path.split('/').slice(1);
  const deep = parts[0] === 'language' && (parts[1] === 'expressions' || parts[1] === 'statements');
  return parts
    .slice(0, deep ? 3 : 2)
    .join('/')
    .replace(/\/[^/]+\.js$/, '');
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`;
}

export function tableOf({ rows, total }: ConformanceReport): string {
  const width = Math.max(...rows.map((row) => row.directory.length), 10);
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(width) : cell.padStart(13))).join('');
  return [
    line(['directory', 'files', 'native', 'transformed', 'of native', 'refused', 'not refused', 'for users', 'apart']),
    ...[...rows, total].map((row) =>
      line([
        row.directory,
        String(row.files),
        String(row.native),
        String(row.transformed),
        percent(row.transformed, row.native),
        String(row.refused),
        percent(row.transformed - row.refusedPassing, row.native - row.refused),
        percent(row.transformed - row.refusedPassing, row.native),
        String(row.excluded),
      ]),
    ),
  ].join('\n');
}

export function markdownOf(report: ConformanceReport): string {
  const { node, total, groups } = report;
  return [
    `# test262, Node ${node}`,
    '',
    `${total.transformed} of ${total.native} natively passing files pass transformed (${percent(total.transformed, total.native)}).`,
    `${total.refused} of them hold direct eval or \`with\`, which users are refused; without those files ${percent(total.transformed - total.refusedPassing, total.native - total.refused)}.`,
    '',
    '```',
    tableOf(report),
    '```',
    '',
    ...groups.flatMap(({ cause, count, paths }) => [
      `## ${count}: ${cause}`,
      '',
      ...paths.slice(0, 40).map((path) => `- ${path}`),
      ...(paths.length > 40 ? [`- … ${paths.length - 40} more`] : []),
      '',
    ]),
  ].join('\n');
}
