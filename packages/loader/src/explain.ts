// The classification, printable: which packages and builtins are on which side, and why.
import { builtinEntry, type BuiltinClass } from './builtins.ts';
import { installedPackage, packageScope } from './package-scope.ts';
import type { Origin, Program } from './program.ts';
import type { Side, Sides } from './sides.ts';

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
}

export interface Explanation {
  readonly packages: readonly PackageExplanation[];
  readonly builtins: readonly BuiltinExplanation[];
}

export function explain(program: Program | undefined, sides: Sides): Explanation {
  const packages = new Map<string, { -readonly [Key in keyof PackageExplanation]: PackageExplanation[Key] }>();
  for (const [file, verdict] of sides.verdicts) {
    const installed = installedPackage(file);
    const scope = packageScope(file);
    const name = installed?.name ?? scope?.name ?? '(program)';
    const key = `${installed?.directory ?? scope?.directory ?? ''} ${verdict.side}`;
    const known = packages.get(key);
    if (known === undefined) packages.set(key, { name, version: scope?.version, side: verdict.side, reason: verdict.reason, files: 1 });
    else known.files++;
  }
  const builtins = new Map<string, BuiltinExplanation>();
  const add = (specifier: string): void => {
    const name = specifier.replace(/^node:/, '');
    const entry = builtinEntry(name);
    builtins.set(name, { name, class: entry?.class ?? 'unknown', reason: entry?.why ?? 'not known to this version' });
  };
  for (const [key, record] of program?.graph.records ?? []) if ((record.origin as Origin).what === 'builtin') add(key);
  for (const file of sides.scannedFiles()) {
    for (const request of sides.scan(file)?.requests ?? []) if (builtinEntry(request.specifier) !== undefined) add(request.specifier);
  }
  const order: Record<Side, number> = { program: 0, device: 1, native: 2 };
  return {
    packages: [...packages.values()].sort((a, b) => order[a.side] - order[b.side] || (a.name < b.name ? -1 : 1)),
    builtins: [...builtins.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
