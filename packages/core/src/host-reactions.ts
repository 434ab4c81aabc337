// Reactions of host code that awaits an eventual, such as the entry point's shell or a device. They are not part of the
// captured state: after a restore, the host code either waits again by itself, or no longer exists.

import { BoundFunction } from './bound-function.ts';
import { Reaction, type PendingReaction } from './frame.ts';
import { isArray, sourceText } from './intrinsics.ts';
import { brands } from './value-format.ts';
import type { PendingReactions } from './eventual.ts';

/** Source text of the engine's resolving functions. A handler of host code has this text. */
const NATIVE_FUNCTION_TEXT = 'function () { [native code] }';

export function isHostReaction(reaction: unknown): boolean {
  return reaction instanceof Reaction && isNativeHandler(reaction.onFulfilled) && isNativeHandler(reaction.onRejected);
}

function isNativeHandler(handler: unknown): boolean {
  return (
    typeof handler === 'function' &&
    // Proxies and bound functions have the same source text, but may belong to the program.
    !brands.isProxy(handler) &&
    sourceText(handler as () => unknown) === NATIVE_FUNCTION_TEXT &&
    BoundFunction.parts(handler) === undefined
  );
}

/** The program's reactions, in the form in which an eventual keeps them. */
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
