// Where a program keeps the functions that settle some promises: who could call them. Whatever is looked for is met on the shortest way to it, by properties, entries, private fields, and what
// functions have in their variables. Nothing of the program runs, and no proxy is asked.
import { types } from 'node:util';
import { resolvedBy, type Eventual } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import type { Known } from '../replay/thread/shown-values.ts';
import { partsIn } from './state-parts.ts';

export type Root = readonly [path: string, value: unknown];

/** Objects that are looked at. */
const MOST = 200_000;

/** Of each that was found, the way to it. */
export function resolversIn(
  roots: Iterable<Root>,
  wanted: ReadonlySet<Eventual>,
  known: Known,
  { identify }: Loader['realm'],
): Map<Eventual, string> {
  const found = new Map<Eventual, string>();
  const met = new Set<object>();
  const waiting: Root[] = [...roots];
  for (let at = 0; at < waiting.length && met.size < MOST && found.size < wanted.size; at++) {
    const [path, value] = waiting[at] as Root;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue;
    if (met.has(value) || types.isProxy(value)) continue;
    met.add(value);
    if (typeof value !== 'function') {
      for (const [step, part] of partsIn(value, known)) waiting.push([path + step, part]);
      continue;
    }
    const settled = resolvedBy(value);
    if (settled !== undefined) {
      if (wanted.has(settled) && !found.has(settled)) found.set(settled, path);
      continue;
    }
    const { captures = [] } = identify(value as (...args: never[]) => unknown) ?? {};
    for (const captured of captures) waiting.push([`a variable of ${path}`, variableIn(captured)]);
  }
  return found;
}

/** Where functions share it, it is in a box. */
function variableIn(captured: unknown): unknown {
  if (typeof captured !== 'object' || captured === null || types.isProxy(captured)) return captured;
  const others = Reflect.ownKeys(captured).filter((key) => key !== 'v' && key !== 'name');
  const box = others.length === 0 ? Object.getOwnPropertyDescriptor(captured, 'v') : undefined;
  return box !== undefined && 'value' in box ? box.value : captured;
}
