// The transform as the loader uses it.
import { ABI_VERSION, transform } from '@turntable/transform';
import { readFileSync } from 'node:fs';
import type { Transformer } from './code.ts';
import type { RuntimeTransform } from './loader-realm.ts';
import { installedPackage } from './package-scope.ts';

/** Version of the transform's output: the contract's, and the package's own. */
function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.resolve('@turntable/transform')), 'utf8')) as { version: string };
  return `${ABI_VERSION}/${manifest.version}`;
}

export const transformer: Transformer = {
  version: version(),
  // `eval` and `with` are refused where the user can do something about them; what an installed package does with them stays as it is.
  transform: (source, { path, kind }) => transform(source, { path, kind, lenient: installedPackage(path) !== undefined }),
  lower: (source, path) => transform(source, { path, kind: 'module', lenient: true }).source,
};

export const runtimeTransform: RuntimeTransform = transform;
