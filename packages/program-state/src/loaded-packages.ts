// The installed packages that a program has loaded natively, with their versions: a state refers to their exports by
// name, so a restore needs the same packages.
import { join } from 'node:path';
import { installedPackage, packageScope } from '@turntable/loader';

export interface PackageHead {
  readonly name: string;
  readonly version: string;
  readonly directory: string;
}

/** Turntable's own packages. The version of the loader is checked separately. */
const OWN_PACKAGE = /^(?:turntable$|@turntable\/)/;

export class LoadedPackages {
  readonly #packages: Map<string, PackageHead> = new Map();
  #checkedFiles = 0;

  /** Returns the packages that contain these files. Between calls the list of files may only grow. */
  packagesOf(files: ReadonlySet<string>): PackageHead[] {
    if (files.size !== this.#checkedFiles)
      for (const file of [...files].slice(this.#checkedFiles)) this.#addPackageOf(file);
    this.#checkedFiles = files.size;
    return [...this.#packages.values()];
  }

  #addPackageOf(file: string): void {
    const { directory, name } = installedPackage(file) ?? { directory: '', name: '' };
    if (name === '' || OWN_PACKAGE.test(name) || this.#packages.has(directory)) return;
    this.#packages.set(directory, { name, version: installedVersion(directory) ?? '', directory });
  }
}

/** The version of an installed package, empty if it has none; undefined if there is no such package. */
export function installedVersion(directory: string): string | undefined {
  const scope = packageScope(join(directory, 'package.json'));
  return scope?.directory === directory ? (scope.version ?? '') : undefined;
}
