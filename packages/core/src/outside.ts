// Who waits for an eventual from outside of the program: native code that awaits it (the entry point's shell, devices). What it will do is
// not state; it waits again by itself where the program goes on, or is gone.

import { BoundFunction } from './bound-function.ts';
import { Reaction } from './frame.ts';
import { sourceText } from './intrinsics.ts';

/** As the engine's own resolving functions look. */
const NATIVE = 'function () { [native code] }';

export function isOutside(waiting: unknown): boolean {
  return waiting instanceof Reaction && isNative(waiting.onFulfilled) && isNative(waiting.onRejected);
}

function isNative(handler: unknown): boolean {
  return (
    typeof handler === 'function' &&
    sourceText(handler as () => unknown) === NATIVE &&
    BoundFunction.parts(handler) === undefined
  );
}
