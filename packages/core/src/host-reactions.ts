// Who waits for an eventual from outside of the program: native code that awaits it (the entry point's shell, devices). What it will do is
// not state; it waits again by itself where the program goes on, or is gone.

import { BoundFunction } from './bound-function.ts';
import { Reaction, type PendingReaction } from './frame.ts';
import { isArray, sourceText } from './intrinsics.ts';
import { brands } from './value-format.ts';
import type { PendingReactions } from './eventual.ts';

/** As the engine's own resolving functions look. */
const NATIVE_FUNCTION_TEXT = 'function () { [native code] }';

export function isHostReaction(reaction: unknown): boolean {
  return reaction instanceof Reaction && isNativeHandler(reaction.onFulfilled) && isNativeHandler(reaction.onRejected);
}

function isNativeHandler(handler: unknown): boolean {
  return (
    typeof handler === 'function' &&
    // Looks the same, and is the program's, or a handle that it has.
    !brands.isProxy(handler) &&
    sourceText(handler as () => unknown) === NATIVE_FUNCTION_TEXT &&
    BoundFunction.parts(handler) === undefined
  );
}

/** Those who wait inside, in the form in which an eventual keeps them. */
export function withoutHostReactions(reactions: PendingReactions): PendingReactions {
  if (!isArray(reactions)) return isHostReaction(reactions) ? undefined : reactions;
  const programReactions: PendingReaction[] = [];
  for (let i = 0; i < reactions.length; i++)
    if (!isHostReaction(reactions[i])) programReactions[programReactions.length] = reactions[i] as PendingReaction;
  return programReactions.length === reactions.length
    ? reactions
    : programReactions.length > 1
      ? programReactions
      : programReactions[0];
}
