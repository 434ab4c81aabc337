// Which installed packages a program has loaded natively, in which versions: where it goes on they must be what they were, for a state has
// what they export by name only.
import { join } from 'node:path';
import { installedPackage, packageScope } from '@turntable/loader';

export interface PackageHead {
  readonly name: string;
  readonly version: string;
  readonly directory: string;
}

/** They come with the loader; its version is asked for otherwise. */
const OWN_PACKAGE = /^(?:turntable$|@turntable\/)/;

export class LoadedPackages {
  readonly #packages: Map<string, PackageHead> = new Map();
  #checkedFiles = 0;

  /** Of these files, which only become more. */
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

/** Nothing where there is no such package; some have no version. */
export function installedVersion(directory: string): string | undefined {
  const scope = packageScope(join(directory, 'package.json'));
  return scope?.directory === directory ? (scope.version ?? '') : undefined;
}
