// The printable classification: the side of each package and the class of each builtin, with the reason.
import { builtinEntry, builtinUseOf, isHostBuiltin, type BuiltinClass } from './builtins.ts';
import { installedPackage, packageScope } from '../node/package-scope.ts';
import type { ModuleGraph } from '@turntable/core';
import { originOf } from '../code/record-origin.ts';
import type { ModuleSide, ModuleClassifier } from './module-classifier.ts';

export interface PackageReport {
  readonly name: string;
  readonly version: string | undefined;
  readonly side: ModuleSide;
  readonly reason: string;
  readonly files: number;
}

export interface BuiltinReport {
  readonly name: string;
  readonly class: BuiltinClass | 'unknown';
  readonly reason: string;
  /** Whether calls are recorded: the thread has a tape, and the builtin is a device or unknown, beyond the membrane. */
  readonly isRecorded: boolean;
}

export interface ClassificationReport {
  readonly packages: readonly PackageReport[];
  readonly builtins: readonly BuiltinReport[];
}

export function createClassificationReport(
  graph: ModuleGraph | undefined,
  classifier: ModuleClassifier,
): ClassificationReport {
  const packages = new Map<string, { -readonly [Key in keyof PackageReport]: PackageReport[Key] }>();
  for (const [file, verdict] of classifier.verdicts) {
    const installed = installedPackage(file);
    const scope = packageScope(file);
    const name = installed?.name ?? scope?.name ?? '(program)';
    const key = `${installed?.directory ?? scope?.directory ?? ''} ${verdict.side}`;
    const report = packages.get(key);
    if (report === undefined)
      packages.set(key, { name, version: scope?.version, side: verdict.side, reason: verdict.reason, files: 1 });
    else report.files++;
  }
  const builtins = new Map<string, BuiltinReport>();
  const CLASS_STRENGTH: Record<BuiltinReport['class'], number> = { unknown: 3, device: 2, leaf: 1, pure: 0 };
  const add = (specifier: string, members: readonly string[] | undefined): void => {
    const name = specifier.replace(/^node:/, '');
    const entry = builtinEntry(name);
    const usedClass = entry === undefined ? 'unknown' : builtinUseOf(entry, members);
    const report = builtins.get(name);
    if (report !== undefined && CLASS_STRENGTH[report.class] >= CLASS_STRENGTH[usedClass]) return;
    const memberText = entry !== undefined && usedClass !== entry.class ? `; of it, only ${members?.join(', ')}` : '';
    const isRecorded =
      classifier.isRecorded && (usedClass === 'device' || usedClass === 'unknown') && isHostBuiltin(name);
    const reason = `${isRecorded ? 'recorded: ' : ''}${entry?.reason ?? 'not known to this version'}`;
    builtins.set(name, { name, class: usedClass, reason: `${reason}${memberText}`, isRecorded });
  };
  for (const file of classifier.scannedFiles()) {
    if (classifier.classify(file).side !== 'program') continue;
    for (const request of classifier.scan(file)?.requests ?? [])
      if (builtinEntry(request.specifier) !== undefined) add(request.specifier, request.members);
  }
  for (const [key, record] of graph?.records ?? []) {
    if (originOf(record)?.kind === 'builtin' && !builtins.has(key.slice(5))) add(key, undefined);
  }
  const SIDE_ORDER: Record<ModuleSide, number> = { program: 0, device: 1, native: 2 };
  return {
    packages: [...packages.values()].sort(
      (a, b) => SIDE_ORDER[a.side] - SIDE_ORDER[b.side] || (a.name < b.name ? -1 : 1),
    ),
    builtins: [...builtins.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** A table with aligned columns and an underlined header. */
function columnTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const SIDE_LABELS: Record<ModuleSide, string> = { program: 'transformed', device: 'device', native: 'native' };

export function classificationText({ packages, builtins }: ClassificationReport): string {
  const packageLabel = (report: PackageReport): string =>
    report.version === undefined ? report.name : `${report.name}@${report.version}`;
  return [
    columnTable(
      ['package', 'is', 'files', 'because'],
      packages.map((report) => [packageLabel(report), SIDE_LABELS[report.side], String(report.files), report.reason]),
    ),
    ...(builtins.length === 0
      ? []
      : [
          '',
          columnTable(
            ['builtin', 'is', 'because'],
            builtins.map((report) => [report.name, report.class, report.reason]),
          ),
        ]),
  ].join('\n');
}
