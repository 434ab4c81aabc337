// Text of a suspended function in a stack.
import type { ResultOf } from '../protocol.ts';

type Frame = ResultOf<'frames'>['frames'][number];

/** Title of an awaiting frame: `await in serve`, `await Promise.all in serve`. @param name as shown in other frames */
export function awaitTitle({ combinator }: Pick<Frame, 'combinator'>, name: string): string {
  return `await ${combinator === undefined ? '' : `Promise.${combinator} `}in ${name}`;
}

/** Text that follows an awaiting frame if other functions await the same promise; otherwise empty. */
export function otherWaitersText({ others = 0 }: Pick<Frame, 'others'>): string {
  if (others === 0) return '';
  return `, and ${others} ${others === 1 ? 'other' : 'others'}`;
}

/** Text that ends a stack whose remaining awaiting frames are left out. */
export function moreAwaitingText(count: number): string {
  return `… and ${count} more`;
}
