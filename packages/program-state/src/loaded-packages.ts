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
const OURS = /^(?:turntable$|@turntable\/)/;

export class LoadedPackages {
  readonly #found: Map<string, PackageHead> = new Map();
  #looked = 0;

  /** Of these files, which only become more. */
  of(files: ReadonlySet<string>): PackageHead[] {
    if (files.size !== this.#looked) for (const file of [...files].slice(this.#looked)) this.#meet(file);
    this.#looked = files.size;
    return [...this.#found.values()];
  }

  #meet(file: string): void {
    const { directory, name } = installedPackage(file) ?? { directory: '', name: '' };
    if (name === '' || OURS.test(name) || this.#found.has(directory)) return;
    this.#found.set(directory, { name, version: versionIn(directory) ?? '', directory });
  }
}

/** Nothing where there is no such package; some have no version. */
export function versionIn(directory: string): string | undefined {
  const scope = packageScope(join(directory, 'package.json'));
  return scope?.directory === directory ? (scope.version ?? '') : undefined;
}
