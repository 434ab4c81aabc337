// Where Turntable's own packages are: in a workspace they are not under `node_modules`.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { existsSync } from './files.ts';

const OTHERS = [
  '@turntable/core',
  '@turntable/heap',
  '@turntable/recording',
  '@turntable/runtime',
  '@turntable/transform',
  'turntable',
];

/** Sources, what is made of them for the tests of this workspace, and what is published. */
const FOLDERS = ['src', 'bundled', 'dist'] as const;

type OwnPackage = readonly [name: string, directory: string];

let known: readonly OwnPackage[] | undefined;

/** Names and directories of those that are there. */
export function ownPackages(): readonly OwnPackage[] {
  return (known ??= findPackages());
}

function findPackages(): OwnPackage[] {
  const found: OwnPackage[] = [['@turntable/loader', packageDirectory(fileURLToPath(import.meta.url))]];
  for (const name of OTHERS) {
    try {
      found.push([name, packageDirectory(fileURLToPath(import.meta.resolve(name)))]);
    } catch {
      // Nothing of it can be in the way.
    }
  }
  return found;
}

/** Where their code is: never transformed. */
export function ownDirectories(): string[] {
  return ownPackages().flatMap(([, directory]) => FOLDERS.map((folder) => join(directory, folder)));
}

function packageDirectory(file: string): string {
  let directory = dirname(file);
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  return directory;
}
