/*
 * The outcome of a comparison: a table per directory, the failures grouped by cause, both as data and as text.
 */
import type { Failure } from './execution.ts';

export type Comparison = {
  readonly node: string;
  readonly files: readonly { readonly path: string; readonly native: boolean; readonly failure: Failure | undefined }[];
};

export type Row = {
  readonly directory: string;
  readonly files: number;
  readonly native: number;
  readonly transformed: number;
  readonly refused: number;
};

export type Group = { readonly cause: string; readonly count: number; readonly paths: readonly string[] };

export type Report = { readonly node: string; readonly rows: readonly Row[]; readonly total: Row; readonly groups: readonly Group[] };

export function summarize({ node, files }: Comparison): Report {
  const rows = new Map<string, { directory: string; files: number; native: number; transformed: number; refused: number }>();
  const total = { directory: 'total', files: 0, native: 0, transformed: 0, refused: 0 };
  const groups = new Map<string, string[]>();
  for (const { path, native, failure } of files) {
    const directory = directoryOf(path);
    let row = rows.get(directory);
    if (row === undefined) rows.set(directory, (row = { directory, files: 0, native: 0, transformed: 0, refused: 0 }));
    for (const counts of [row, total]) {
      counts.files++;
      if (!native) continue;
      counts.native++;
      if (failure === undefined) counts.transformed++;
      else if (isRefused(failure)) counts.refused++;
    }
    if (!native || failure === undefined) continue;
    const cause = causeOf(failure);
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

export function isRefused({ reason }: Failure): boolean {
  return reason.startsWith('refused');
}

/** The detail without what differs between two failures of the same kind. */
function causeOf({ reason, detail }: Failure): string {
  if (reason.startsWith('refused')) return reason;
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
  return parts.slice(0, deep ? 3 : 2).join('/').replace(/\/[^/]+\.js$/, '');
}

export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`;
}

export function tableOf({ rows, total }: Report): string {
  const width = Math.max(...rows.map((row) => row.directory.length), 10);
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(width) : cell.padStart(12))).join('');
  return [
    line(['directory', 'files', 'native', 'transformed', 'refused', 'of native', 'w/o refused']),
    ...[...rows, total].map((row) =>
      line([
        row.directory,
        String(row.files),
        String(row.native),
        String(row.transformed),
        String(row.refused),
        percent(row.transformed, row.native),
        percent(row.transformed, row.native - row.refused),
      ]),
    ),
  ].join('\n');
}

export function markdownOf(report: Report): string {
  const { node, total, groups } = report;
  return [
    `# test262, Node ${node}`,
    '',
    `${total.transformed} of ${total.native} natively passing files (${percent(total.transformed, total.native)}); ` +
      `${total.refused} refused, without them ${percent(total.transformed, total.native - total.refused)}.`,
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
