// Peers that are npm packages are resolved from the folder of `install`, not from the dependencies of this repository.

import { createRequire } from 'node:module';

const require = createRequire(new URL('../.installed/js/package.json', import.meta.url));

/** Exports of the package; `T` declares those used here. */
export function installed<T>(name: string): T {
  return require(name) as T;
}
