// Finds where a program holds the resolving functions of given promises: the shortest path through properties, entries,
// private fields and captured variables. No code of the program and no proxy trap runs.
import { types } from 'node:util';
import { eventualResolvedBy, type Eventual } from '@turntable/core';
import type { Loader } from '../thread/loader.ts';
import type { ObjectDetails } from '../replay/thread/value-inspector.ts';
import { partsOf } from './state-parts.ts';

export type NamedRoot = readonly [path: string, value: unknown];

const MAX_SEARCHED_OBJECTS = 200_000;

/** Path to a resolving function by promise; promises without one are left out. */
export function findResolvers(
  roots: Iterable<NamedRoot>,
  wantedPromises: ReadonlySet<Eventual>,
  details: ObjectDetails,
  { identify }: Loader['realm'],
): Map<Eventual, string> {
  const found = new Map<Eventual, string>();
  const visited = new Set<object>();
  const queue: NamedRoot[] = [...roots];
  for (
    let index = 0;
    index < queue.length && visited.size < MAX_SEARCHED_OBJECTS && found.size < wantedPromises.size;
    index++
  ) {
    const [path, value] = queue[index] as NamedRoot;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue;
    if (visited.has(value) || types.isProxy(value)) continue;
    visited.add(value);
    if (typeof value !== 'function') {
      for (const [step, part] of partsOf(value, details)) queue.push([path + step, part]);
      continue;
    }
    const resolvedPromise = eventualResolvedBy(value);
    if (resolvedPromise !== undefined) {
      if (wantedPromises.has(resolvedPromise) && !found.has(resolvedPromise)) found.set(resolvedPromise, path);
      continue;
    }
    const { captures = [] } = identify(value as (...args: never[]) => unknown) ?? {};
    for (const captured of captures) queue.push([`a variable of ${path}`, unboxVariable(captured)]);
  }
  return found;
}

/** Value of a captured variable. A reassigned variable that functions share is in a box. */
function unboxVariable(captured: unknown): unknown {
  if (typeof captured !== 'object' || captured === null || types.isProxy(captured)) return captured;
  const otherKeys = Reflect.ownKeys(captured).filter((key) => key !== 'v' && key !== 'name');
  const box = otherKeys.length === 0 ? Object.getOwnPropertyDescriptor(captured, 'v') : undefined;
  return box !== undefined && 'value' in box ? box.value : captured;
}
