// Reactions of host code that awaits an eventual (the entry point's shell, devices). They are not state: after a
// restore, the host code either waits again by itself, or does not exist.

import { BoundFunction } from './bound-function.ts';
import { Reaction, type PendingReaction } from './frame.ts';
import { isArray, sourceText } from './intrinsics.ts';
import { brands } from './value-format.ts';
import type { PendingReactions } from './eventual.ts';

/** Text of the engine's own resolving functions. */
const NATIVE_FUNCTION_TEXT = 'function () { [native code] }';

export function isHostReaction(reaction: unknown): boolean {
  return reaction instanceof Reaction && isNativeHandler(reaction.onFulfilled) && isNativeHandler(reaction.onRejected);
}

function isNativeHandler(handler: unknown): boolean {
  return (
    typeof handler === 'function' &&
    // Proxies and bound functions have the same text, but belong to the program.
    !brands.isProxy(handler) &&
    sourceText(handler as () => unknown) === NATIVE_FUNCTION_TEXT &&
    BoundFunction.parts(handler) === undefined
  );
}

/** The reactions of the program, in the form in which an eventual keeps them. */
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
