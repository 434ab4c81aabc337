import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isToolPackage, TOOL_PACKAGES } from '../../packages/loader/src/own-packages.ts';
import { root } from '../../scripts/node-release.mjs';

const dependenciesOf = (folder: string): string[] => {
  const file = join(root, folder, 'package.json');
  if (!existsSync(file)) return [];
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Readonly<Record<string, string>>>>;
  return Object.keys({ ...manifest['dependencies'], ...manifest['optionalDependencies'] });
};

/** Third-party packages installed for the packages that are loaded into a program's process. */
function installedFor(folders: readonly string[]): Set<string> {
  const isOfOthers = (name: string) => !name.startsWith('@turntable/');
  const found = new Set(folders.flatMap(dependenciesOf).filter(isOfOthers));
  for (const name of found)
    for (const each of dependenciesOf(`node_modules/${name}`)) if (!each.startsWith('@types/')) found.add(each);
  return found;
}

const installed = installedFor(['packages/core', 'packages/transform', 'packages/loader', 'packages/program-state']);

test('packages that the loader requires are listed as tools', () => {
  expect([...installed].filter((name) => !isToolPackage(name))).toEqual([]);
});

test('packages listed as tools are required by the loader', () => {
  expect(TOOL_PACKAGES.filter((tool) => ![...installed].some((name) => name.startsWith(tool)))).toEqual([]);
});
