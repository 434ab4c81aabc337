// Peers that are npm packages lie where `install` has put them, not among the dependencies of this repository.

import { createRequire } from 'node:module';

const require = createRequire(new URL('../.installed/js/package.json', import.meta.url));

/** What the package exports; `T` says what of it is used here. */
export function installed<T>(name: string): T {
  return require(name) as T;
}
