// Writes the names of the packages that run alongside a program: the loader must know them, or it would treat their
// code as the program's. `npm run build` runs this; a test compares the file.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node-release.mjs';

const FILE = join(root, 'packages/loader/src/own-package-names.ts');

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Source text with the names of the facade, the replayer, and all their dependencies. */
export function ownPackageNames(): string {
  const manifests = globSync('packages/*/package.json', { cwd: root }).map(
    (file) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest,
  );
  const dependencies = new Map(manifests.map((manifest) => [manifest.name, Object.keys(manifest.dependencies ?? {})]));
  const besideProgram = new Set(['@turntable/replayer']);
  for (const name of besideProgram) {
    for (const dependency of dependencies.get(name) ?? [])
      if (dependencies.has(dependency)) besideProgram.add(dependency);
  }
  return `// Written by scripts/own-package-names.ts.
export const OWN_PACKAGE_NAMES: readonly string[] = [
${['turntable', ...besideProgram]
  .toSorted()
  .map((name) => `  '${name}',\n`)
  .join('')}];
`;
}

if (import.meta.main) writeFileSync(FILE, ownPackageNames());
