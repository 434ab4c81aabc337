// Directories of Turntable's own packages. In a workspace they are not under `node_modules`.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { existsSync } from './files.ts';
import { OWN_PACKAGE_NAMES } from './own-package-names.ts';

const LOADER_PACKAGE = '@turntable/loader';

/** Folders with code: of sources, of bundles that this workspace's tests use, and of published files. */
const CODE_FOLDERS = ['src', 'bundled', 'dist'] as const;

type OwnPackage = readonly [name: string, directory: string];

let cachedPackages: readonly OwnPackage[] | undefined;

/** Names and directories of Turntable's installed packages. */
export function ownPackages(): readonly OwnPackage[] {
  return (cachedPackages ??= findPackages());
}

function findPackages(): OwnPackage[] {
  const found: OwnPackage[] = [];
  for (const name of OWN_PACKAGE_NAMES) {
    try {
      found.push([
        name,
        packageDirectory(fileURLToPath(name === LOADER_PACKAGE ? import.meta.url : import.meta.resolve(name))),
      ]);
    } catch (error) {
      // The package is not installed, unless it only has no main entry point, which must not count as missing.
      if ((error as { code?: string }).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') throw error;
    }
  }
  return found;
}

/** Dependencies of Turntable's packages, by name or scope. */
export const TOOL_PACKAGES: readonly string[] = ['@jridgewell/', '@oxc-', 'cjs-module-lexer', 'oxc-'];

/**
 * Whether a package is a dependency of Turntable. Its modules that are loaded before the program are not part of the
 * program.
 */
export function isToolPackage(name: string): boolean {
  return TOOL_PACKAGES.some((prefixOrName) =>
    /[-/]$/.test(prefixOrName) ? name.startsWith(prefixOrName) : name === prefixOrName,
  );
}

/**
 * Existing directories with code that is never transformed. Stack traces and the membrane search this list, so it must
 * be short.
 */
export function ownDirectories(): string[] {
  return ownPackages().flatMap(([, directory]) =>
    CODE_FOLDERS.map((folder) => join(directory, folder)).filter((folder) => existsSync(folder)),
  );
}

/** The nearest directory above a file that has a package.json. */
export function packageDirectory(file: string): string {
  let directory = dirname(file);
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  return directory;
}
