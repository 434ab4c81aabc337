// How functions look that nobody has touched since their factory made them, as most of a library's never are: like any other function
// of the engine's. Where the engine tells what has the shape of what, that is seen in a fraction of the time that reading
// descriptors takes; of old functions `arguments` and `caller` alone would take longer than all else, since V8 walks the stack for them.

import { ownKeys, weakSetAdd, weakSetHas } from './intrinsics.ts';
import type { CodeEntries } from './code-entries.ts';
import type { EngineView } from '@turntable/core';

export type FunctionValue = (...args: never[]) => unknown;
type FunctionEntry = CodeEntries['functions'][number];

/** Nobody else has these. Length and name of what has a shape of theirs are its text's: to give it others changes its shape. */
const { bare } = { bare(): void {} };
const constructible = function (): void {};
const sloppy = new Function('return function () {};')() as FunctionValue;

/** Properties that an old function is born with and no other is; not in every version of V8. */
export const SLOPPY_FUNCTION_KEYS: readonly string[] = (ownKeys(sloppy) as string[]).filter(
  (key) => key !== 'length' && key !== 'name' && key !== 'prototype',
);

export function initialNameOf({ member, name }: FunctionEntry): string {
  return member?.kind === 'get' || member?.kind === 'set' ? `${member.kind} ${name}` : name;
}

/** Functions whose length and name are what the transform has said. To ask each again would take long, and have V8 compile many. */
const confirmedEntries = new WeakSet<FunctionEntry>();

/** Of a shape that functions are born with: whether there is a `prototype`. Nothing for all others. */
export type FunctionShape = 'bare' | 'constructible' | undefined;

export function functionShapeOf(fn: FunctionValue, sameShape: EngineView['sameShape']): FunctionShape {
  if (sameShape(fn, bare)) return 'bare';
  return sameShape(fn, constructible) || sameShape(fn, sloppy) ? 'constructible' : undefined;
}

/** `hasOwn`: its `prototype` is the one it was born with. */
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
