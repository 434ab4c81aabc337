/*
 * The contents of a transformed realm as one script for any context: core, the loader's visible additions to the
 * language, and, to capture states, the heap.
 */
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import type * as Core from '@turntable/core';
import type * as Heap from '@turntable/heap';
import type * as FunctionText from '../../packages/loader/src/realm/function-sources.ts';
import { rolldown } from 'rolldown';

export type Core262 = typeof Core & typeof FunctionText;
export type CoreAndHeap = Core262 & typeof Heap;

/** Host classes that the heap knows. No test has instances of them, since its context has no such globals. */
const HOST_GLOBALS = [
  'AbortController',
  'AbortSignal',
  'CustomEvent',
  'DOMException',
  'Event',
  'EventTarget',
  'TextDecoder',
  'TextEncoder',
  'URL',
  'URLSearchParams',
] as const;
const host = HOST_GLOBALS.map((name) => globalThis[name]);

export type Bundle<Core> = (context: vm.Context) => Core;

export async function bundle(contents: 'core'): Promise<Bundle<Core262>>;
export async function bundle(contents: 'core and heap'): Promise<Bundle<CoreAndHeap>>;
export async function bundle(contents: 'core' | 'core and heap'): Promise<Bundle<CoreAndHeap>> {
  const functionText = fileURLToPath(new URL('../../packages/loader/src/realm/function-sources.ts', import.meta.url));
  const parts = ['@turntable/core', functionText, ...(contents === 'core' ? [] : ['@turntable/heap'])];
  const built = await rolldown({
    input: 'realm',
    plugins: [
      {
        name: 'realm',
        resolveId: (id) => (id === 'realm' ? functionText.replace('function-sources.ts', 'realm.js') : null),
        load: (id) =>
          id.endsWith('realm.js') ? parts.map((part) => `export * from ${JSON.stringify(part)};`).join('\n') : null,
      },
    ],
    resolve: { conditionNames: ['turntable-source', 'import', 'default'] },
    logLevel: 'silent',
  });
  const { output } = await built.generate({ format: 'iife', name: 'core' });
  // Inside a function, so that no test finds it among its globals.
  const script = new vm.Script(`((${HOST_GLOBALS.join(', ')}) => { ${output[0].code}\nreturn core; });`, {
    filename: 'core.js',
  });
  return (context) => (script.runInContext(context) as (...args: unknown[]) => CoreAndHeap)(...host);
}
