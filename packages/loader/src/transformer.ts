// The transform as the loader uses it.
import { ABI_VERSION, transform } from '@turntable/transform';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Transformer } from './code.ts';
import type { RuntimeTransform } from './loader-realm.ts';
import { installedPackage } from './package-scope.ts';

/** Version of the transform's output: the contract's, the package's own, and of a package in the workspace its sources'. */
function version(): string {
  const door = new URL(import.meta.resolve('@turntable/transform'));
  const manifest = JSON.parse(readFileSync(new URL('../package.json', door), 'utf8')) as { version: string };
  const sources = door.pathname.endsWith('.ts') ? newestFileIn(new URL('.', door)) : '';
  return [ABI_VERSION, manifest.version, sources].join('/');
}

function newestFileIn(directory: URL): string {
  const times = readdirSync(directory).map((name) => statSync(new URL(name, directory)).mtimeMs);
  return String(Math.max(...times));
}

export const transformer: Transformer = {
  version: version(),
  // `eval` and `with` are refused where the user can do something about them; what an installed package does with them stays as it is.
  transform: (source, { path, kind }) =>
    transform(source, { path, kind, lenient: installedPackage(path) !== undefined }),
  lower: (source, path) => transform(source, { path, kind: 'module', lenient: true }).source,
};

export const runtimeTransform: RuntimeTransform = transform;
