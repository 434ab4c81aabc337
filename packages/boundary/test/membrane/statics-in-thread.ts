// Registers all builtins in one order or the other, and reports the paths of all objects.
import { builtinModules } from 'node:module';
import { createRealm } from '@turntable/core';
import { manualHost } from '../../../core/test/manual-host.ts';
import { StaticObjects } from '../../src/membrane/static-objects.ts';
import { LazyGlobals } from '../../src/realm/lazy-globals.ts';
import { isHostBuiltin } from '../../../loader/src/classification/builtins.ts';

const SKIPPED_BUILTINS = new Set([
  'punycode',
  'sys',
  'inspector',
  'inspector/promises',
  'wasi',
  'test',
  'test/reporters',
  'ffi',
]);

const lazyGlobals = new LazyGlobals();
const statics = new StaticObjects(createRealm(manualHost()), lazyGlobals);
const roots = ['web', ...builtinModules.map((name) => name.replace(/^node:/, ''))].filter(
  (name) => !name.startsWith('_') && !SKIPPED_BUILTINS.has(name),
);
if (process.argv[2] === 'backwards') roots.reverse();
const pathsByExport: Record<string, string> = {};
for (const root of roots) {
  statics.registerBuiltin(root);
  const exports = statics.exportsOf(root);
  if (root === 'web') continue;
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(exports)))
    if (typeof value === 'function') {
      const path = statics.pathOf(value) ?? `neutral ${statics.neutralPathOf(value)}`;
      pathsByExport[`${root}.${name}`] = path;
      const prototype: unknown = Object.getOwnPropertyDescriptor(value, 'prototype')?.value;
      if (typeof prototype === 'object' && prototype !== null && isHostBuiltin(root))
        pathsByExport[`${root}.${name}.prototype`] =
          statics.pathOf(prototype) ?? `neutral ${statics.neutralPathOf(prototype)}`;
    }
}
pathsByExport['Response'] = String(statics.pathOf(Response));
pathsByExport['ReadableStream'] = String(statics.pathOf(ReadableStream));
const sorted = Object.entries(pathsByExport).toSorted(([a], [b]) => (a < b ? -1 : 1));
console.log(JSON.stringify(Object.fromEntries(sorted)));
