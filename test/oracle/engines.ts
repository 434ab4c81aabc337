/*
 * Three ways to compile a program: as it is, with the transform on core's realm, and with the regenerator, an
 * independent compiler of the same constructs.
 */
import { createRequire } from 'node:module';
import vm from 'node:vm';
import { createRealm, ModuleGraph, moduleRealmOf, type ModuleFactory } from '@turntable/core';
import { transform } from '@turntable/transform';
import { type GuestGlobals, GUEST_GLOBAL_NAMES } from './drive.ts';

export type OracleEngine = {
  readonly name: string;
  readonly Promise: PromiseConstructor;
  compile(source: string): (globals: GuestGlobals) => (p: number) => unknown;
};

const wrap = (source: string): string => `(function (${GUEST_GLOBAL_NAMES.join(', ')}) { ${source} return main; })`;

const bind =
  (outer: (...values: unknown[]) => (p: number) => unknown) =>
  (globals: GuestGlobals): ((p: number) => unknown) =>
    outer(...GUEST_GLOBAL_NAMES.map((name) => globals[name]));

export const native: OracleEngine = {
  name: 'native',
  Promise,
  compile: (source) => bind(new vm.Script(wrap(source)).runInThisContext() as never),
};

const realm = createRealm({
  queueMicrotask: (callback) => queueMicrotask(callback),
  nextTick: (callback) => process.nextTick(callback),
});
const graph = new ModuleGraph(moduleRealmOf(realm), {
  load: () => {
    throw new Error('an oracle program imports nothing');
  },
});

export const transformed: OracleEngine = {
  name: 'transformed',
  Promise: realm.Promise as PromiseConstructor,
  compile: (source) => {
    const { code } = transform(wrap(source), { path: 'oracle.js', kind: 'function' });
    const factory = new vm.Script(code).runInThisContext() as ModuleFactory;
    return bind(factory(graph.script('oracle.js'), realm) as never);
  },
};

const require = createRequire(import.meta.url);
type Babel = { transformSync(source: string, options: object): { code: string } | null };
const babel = require('@babel/core') as Babel;
const regeneratorTransform = (require('regenerator-transform') as { default: unknown }).default;
const regeneratorRuntime: unknown = require('regenerator-runtime');

export const regenerator: OracleEngine = {
  name: 'regenerator',
  Promise,
  compile: (source) => {
    const result = babel.transformSync(wrap(source), {
      plugins: [regeneratorTransform],
      configFile: false,
      babelrc: false,
      sourceType: 'script',
    });
    const outer = new vm.Script(
      `(function (regeneratorRuntime) { return ${result?.code ?? ''} })`,
    ).runInThisContext() as (runtime: unknown) => never;
    return bind(outer(regeneratorRuntime));
  },
};
