// The classification, printable: which packages and builtins are on which side, and why.
import { builtinEntry, builtinUse, isOutside, type BuiltinClass } from './builtins.ts';
import { installedPackage, packageScope } from '../node/package-scope.ts';
import type { ModuleGraph } from '@turntable/core';
import { originOf } from '../code/origin.ts';
import type { Side, ModuleClassifier } from './module-classifier.ts';

export interface PackageExplanation {
  readonly name: string;
  readonly version: string | undefined;
  readonly side: Side;
  readonly reason: string;
  readonly files: number;
}

export interface BuiltinExplanation {
  readonly name: string;
  readonly class: BuiltinClass | 'unknown';
  readonly reason: string;
  /** What comes from there is in the traces: of a thread that has any. */
  readonly isRecorded: boolean;
}

export interface Explanation {
  readonly packages: readonly PackageExplanation[];
  readonly builtins: readonly BuiltinExplanation[];
}

export function explain(graph: ModuleGraph | undefined, classifier: ModuleClassifier): Explanation {
  const packages = new Map<string, { -readonly [Key in keyof PackageExplanation]: PackageExplanation[Key] }>();
  for (const [file, verdict] of classifier.verdicts) {
    const installed = installedPackage(file);
    const scope = packageScope(file);
    const name = installed?.name ?? scope?.name ?? '(program)';
    const key = `${installed?.directory ?? scope?.directory ?? ''} ${verdict.side}`;
    const known = packages.get(key);
    if (known === undefined)
      packages.set(key, { name, version: scope?.version, side: verdict.side, reason: verdict.reason, files: 1 });
    else known.files++;
  }
  const builtins = new Map<string, BuiltinExplanation>();
  const strength: Record<BuiltinExplanation['class'], number> = { unknown: 3, device: 2, leaf: 1, pure: 0 };
  const add = (specifier: string, members: readonly string[] | undefined): void => {
    const name = specifier.replace(/^node:/, '');
    const entry = builtinEntry(name);
    const as = entry === undefined ? 'unknown' : builtinUse(entry, members);
    const known = builtins.get(name);
    if (known !== undefined && strength[known.class] >= strength[as]) return;
    const of = entry !== undefined && as !== entry.class ? `; of it, only ${members?.join(', ')}` : '';
    const isRecorded = classifier.isRecorded && (as === 'device' || as === 'unknown') && isOutside(name);
    const why = `${isRecorded ? 'recorded: ' : ''}${entry?.why ?? 'not known to this version'}`;
    builtins.set(name, { name, class: as, reason: `${why}${of}`, isRecorded });
  };
  for (const file of classifier.scannedFiles()) {
    if (classifier.classify(file).side !== 'program') continue;
    for (const request of classifier.scan(file)?.requests ?? [])
      if (builtinEntry(request.specifier) !== undefined) add(request.specifier, request.members);
  }
  for (const [key, record] of graph?.records ?? []) {
    if (originOf(record)?.what === 'builtin' && !builtins.has(key.slice(5))) add(key, undefined);
  }
  const order: Record<Side, number> = { program: 0, device: 1, native: 2 };
  return {
    packages: [...packages.values()].sort((a, b) => order[a.side] - order[b.side] || (a.name < b.name ? -1 : 1)),
    builtins: [...builtins.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Text in columns. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const SIDE_NAMES: Record<Side, string> = { program: 'transformed', device: 'device', native: 'native' };

export function explanationText({ packages, builtins }: Explanation): string {
  const name = (each: PackageExplanation): string =>
    each.version === undefined ? each.name : `${each.name}@${each.version}`;
  return [
    table(
      ['package', 'is', 'files', 'because'],
      packages.map((each) => [name(each), SIDE_NAMES[each.side], String(each.files), each.reason]),
    ),
    ...(builtins.length === 0
      ? []
      : [
          '',
          table(
            ['builtin', 'is', 'because'],
            builtins.map((each) => [each.name, each.class, each.reason]),
          ),
        ]),
  ].join('\n');
}
