// Stack frames as clients get them.
import type { ResultOf } from '../../protocol.ts';
import { formatPosition } from '../../position.ts';
import type { PausedStack } from '../../stepping/paused-stack.ts';
import type { FunctionQueries } from './functions.ts';

type Stack = Awaited<ReturnType<PausedStack['at']>>;

export function framesResult(
  { frames, moreAwaiting }: Stack,
  functions: FunctionQueries,
  phases: Parameters<typeof formatPosition>[1],
): ResultOf<'frames'> {
  return {
    frames: frames.map(({ index, function: name, location, lastStatement: at, awaiting }) => ({
      index,
      function: name === '' && location !== undefined ? functions.nameAt(location.file, location) : name,
      location,
      hasLocals: at !== undefined || awaiting !== undefined,
      ...functions.describeFunctionAt(location),
      position: at && formatPosition(at, phases),
      ...(awaiting && { isAwaiting: true, combinator: awaiting.combinator, others: awaiting.others }),
    })),
    moreAwaiting: moreAwaiting > 0 ? moreAwaiting : undefined,
  };
}
