// Writes the names of the packages that run beside a program, from `packages/*`: the loader must know each, or their code counts as the program's.
// `npm run build` runs it; a test compares.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node-release.mjs';

const FILE = join(root, 'packages/loader/src/own-package-names.ts');

interface Manifest {
  readonly name: string;
  /** A package that declares devices is part of the program. */
  readonly turntable?: unknown;
}

export function ownPackageNames(): string {
  const manifests = globSync('packages/*/package.json', { cwd: root }).map(
    (file) => JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest,
  );
  const names = manifests.flatMap(({ name, turntable }) => (turntable === undefined ? [name] : [])).toSorted();
  return `// Written by scripts/own-package-names.ts.
export const OWN_PACKAGE_NAMES: readonly string[] = [
${names.map((name) => `  '${name}',\n`).join('')}];
`;
}

if (import.meta.main) writeFileSync(FILE, ownPackageNames());
