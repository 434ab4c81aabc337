// How functions look that nobody has touched since their factory made them, as most of a library's never are: like any other function
// of the engine's. Where the engine tells what has the shape of what, that is seen in a fraction of the time that reading
// descriptors takes; of old functions `arguments` and `caller` alone would take longer than all else, since V8 walks the stack for them.

import { ownKeys } from './intrinsics.ts';
import type { AnyFunction } from './class-members.ts';
import type { CodeEntries } from './code-entries.ts';
import type { EngineView } from '@turntable/core';

type Entry = CodeEntries['functions'][number];

/** Nobody else has these. Length and name of what has a shape of theirs are its text's: to give it others changes its shape. */
const { bare } = { bare(): void {} };
const constructible = function (): void {};
const old = new Function('return function () {};')() as AnyFunction;

/** Properties that an old function is born with and no other is; not in every version of V8. */
export const OLD_KEYS: readonly string[] = (ownKeys(old) as string[]).filter(
  (key) => key !== 'length' && key !== 'name' && key !== 'prototype',
);

export function nameOfEntry({ member, name }: Entry): string {
  return member?.kind === 'get' || member?.kind === 'set' ? `${member.kind} ${name}` : name;
}

/** `prototype`: what the function has as `prototype`, if it was born with it. */
export function isUntouched(
  fn: AnyFunction,
  entry: Entry,
  prototype: object | undefined,
  sameShape: EngineView['sameShape'],
): boolean {
  if (!sameShape(fn, bare)) {
    if (prototype === undefined || entry.generator || (!sameShape(fn, constructible) && !sameShape(fn, old)))
      return false;
  }
  return fn.length === entry.length && fn.name === nameOfEntry(entry);
}
