// Meets all builtins in one order or the other, and tells what everything is called then.
import { builtinModules } from 'node:module';
import { createRealm } from '@turntable/core';
import { manualHost } from '../../../core/test/manual-host.ts';
import { StaticObjects } from '../../src/membrane/statics.ts';
import { LazyGlobals } from '../../src/realm/lazy-globals.ts';
import { isOutside } from '../../../loader/src/classification/builtins.ts';

const LOUD = new Set(['punycode', 'sys', 'inspector', 'inspector/promises', 'wasi', 'test', 'test/reporters', 'ffi']);

const lazyGlobals = new LazyGlobals();
const statics = new StaticObjects(createRealm(manualHost()), lazyGlobals);
const roots = ['web', ...builtinModules.map((name) => name.replace(/^node:/, ''))].filter(
  (name) => !name.startsWith('_') && !LOUD.has(name),
);
if (process.argv[2] === 'backwards') roots.reverse();
const told: Record<string, string> = {};
for (const root of roots) {
  statics.meet(root);
  const exports = statics.exportsOf(root);
  if (root === 'web') continue;
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(exports)))
    if (typeof value === 'function') {
      const path = statics.pathOf(value) ?? `neutral ${statics.neutralPathOf(value)}`;
      told[`${root}.${name}`] = path;
      const prototype: unknown = Object.getOwnPropertyDescriptor(value, 'prototype')?.value;
      if (typeof prototype === 'object' && prototype !== null && isOutside(root))
        told[`${root}.${name}.prototype`] = statics.pathOf(prototype) ?? `neutral ${statics.neutralPathOf(prototype)}`;
    }
}
told['Response'] = String(statics.pathOf(Response));
told['ReadableStream'] = String(statics.pathOf(ReadableStream));
const sorted = Object.entries(told).toSorted(([a], [b]) => (a < b ? -1 : 1));
console.log(JSON.stringify(Object.fromEntries(sorted)));
