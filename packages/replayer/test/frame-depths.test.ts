// Tests that the depth of each statement is the number of frames on the stack, whether or not they are counted.
import util from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameDepths } from '../src/replay-process/frame-depths.ts';

/** A call: its function, and what it does in order. `suspended` functions have the number -1. */
interface Call {
  readonly fn: number;
  readonly steps: readonly (Call | 'statement')[];
}

const calls: fc.Arbitrary<Call> = fc.letrec<{ call: Call }>((tie) => ({
  call: fc.record({
    fn: fc.integer({ min: -1, max: 3 }),
    steps: fc.array(fc.oneof({ maxDepth: 4 }, fc.constant('statement' as const), tie('call')), { maxLength: 4 }),
  }),
})).call;

/** Enters nested functions, so that the stack is as deep as wanted. */
function runAt<T>(extraFrames: number, run: () => T): T {
  if (extraFrames <= 0) return run();
  const result = runAt(extraFrames - 1, run);
  return result;
}

/** Differences between the depths of statements and the counted ones. */
function wrongDepths(call: Call, extraFrames: number): string[] {
  const depths = new FrameDepths();
  const wrong: string[] = [];
  const beginStatement = (fn: number, isFirst: boolean): void => {
    const counted = util.getCallSites(200).length;
    const found = depths.depthOfNext(fn, isFirst);
    offsets.add(found - counted);
    if (counted === 200 && found !== 200) wrong.push(`${fn} is at ${found}, not at 200`);
  };
  const offsets = new Set<number>();
  const enter = ({ fn, steps }: Call): void => {
    beginStatement(fn, true);
    for (const step of steps)
      if (step === 'statement') beginStatement(fn, false);
      else enter(step);
    beginStatement(fn, false);
  };
  runAt(extraFrames, () => enter(call));
  if (extraFrames === 0 && offsets.size > 1) wrong.push(`offsets ${[...offsets].join(', ')}`);
  return wrong;
}

it('is the same for all statements of a call, in random calls', () => {
  fc.assert(
    fc.property(calls, (call) => {
      expect(wrongDepths(call, 0)).toEqual([]);
    }),
  );
});

it('is the limit for all deeper statements', () => {
  fc.assert(
    fc.property(calls, (call) => {
      expect(wrongDepths(call, 240)).toEqual([]);
    }),
  );
});
