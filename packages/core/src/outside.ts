// Who waits for an eventual from outside of the program: native code that awaits it (the entry point's shell, devices). What it will do is
// not state; it waits again by itself where the program goes on, or is gone.

import { BoundFunction } from './bound-function.ts';
import { Reaction, type Waiting } from './frame.ts';
import { isArray, sourceText } from './intrinsics.ts';
import { brands } from './show.ts';
import type { Waitings } from './eventual.ts';

/** As the engine's own resolving functions look. */
const NATIVE = 'function () { [native code] }';

export function isOutside(waiting: unknown): boolean {
  return waiting instanceof Reaction && isNative(waiting.onFulfilled) && isNative(waiting.onRejected);
}

function isNative(handler: unknown): boolean {
  return (
    typeof handler === 'function' &&
    // Looks the same, and is the program's, or a handle that it has.
    !brands.isProxy(handler) &&
    sourceText(handler as () => unknown) === NATIVE &&
    BoundFunction.parts(handler) === undefined
  );
}

/** Those who wait inside, in the form in which an eventual keeps them. */
export function insideOf(waiting: Waitings): Waitings {
  if (!isArray(waiting)) return isOutside(waiting) ? undefined : waiting;
  const inside: Waiting[] = [];
  for (let i = 0; i < waiting.length; i++) if (!isOutside(waiting[i])) inside[inside.length] = waiting[i] as Waiting;
  return inside.length === waiting.length ? waiting : inside.length > 1 ? inside : inside[0];
}
