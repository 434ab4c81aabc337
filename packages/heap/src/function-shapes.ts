// Recognises functions that are unchanged since their creation, as most functions of a library are. If the engine can
// compare shapes, this takes a fraction of the time of reading descriptors. The descriptors `arguments` and `caller` of
// a sloppy function alone take longer than everything else, because V8 walks the stack for them.

import { ownKeys, weakSetAdd, weakSetHas } from './intrinsics.ts';
import type { CodeEntries } from './code-entries.ts';
import type { EngineView } from '@turntable/core';

export type FunctionValue = (...args: never[]) => unknown;
type FunctionEntry = CodeEntries['functions'][number];

// Samples for the initial shapes. A function of such a shape has its initial length and name.
const { bare } = { bare(): void {} };
const constructible = function (): void {};
const sloppy = new Function('return function () {};')() as FunctionValue;

/** Properties that only sloppy functions have initially, depending on V8's version. */
export const SLOPPY_FUNCTION_KEYS: readonly string[] = (ownKeys(sloppy) as string[]).filter(
  (key) => key !== 'length' && key !== 'name' && key !== 'prototype',
);

export function initialNameOf({ member, name }: FunctionEntry): string {
  return member?.kind === 'get' || member?.kind === 'set' ? `${member.kind} ${name}` : name;
}

/** Entries known to match the length and name of their function. Reading these makes V8 compile the function. */
const confirmedEntries = new WeakSet<FunctionEntry>();

/** Initial shape of a function, with or without `prototype`; undefined for all others. */
export type FunctionShape = 'bare' | 'constructible' | undefined;

export function functionShapeOf(fn: FunctionValue, sameShape: EngineView['sameShape']): FunctionShape {
  if (sameShape(fn, bare)) return 'bare';
  return sameShape(fn, constructible) || sameShape(fn, sloppy) ? 'constructible' : undefined;
}

/**
 * Returns whether a function has exactly the properties with which it was created.
 * @param hasInitialPrototype whether it still has its initial `prototype`
 */
export function isUnmodifiedFunction(
  fn: FunctionValue,
  entry: FunctionEntry,
  shape: FunctionShape,
  hasInitialPrototype: boolean,
): boolean {
  if (shape === undefined || (shape === 'constructible' && (!hasInitialPrototype || entry.generator))) return false;
  if (weakSetHas(confirmedEntries, entry)) return true;
  if (fn.length !== entry.length || fn.name !== initialNameOf(entry)) return false;
  weakSetAdd(confirmedEntries, entry);
  return true;
}
