// Tests when a thread has reached or passed the statement at which it must pause.
import { expect, it } from 'vitest';
import { armTarget, isTargetPassed, isTargetReached } from '../src/replay-process/control-target.ts';

const TARGET = { list: 2, statement: 5 };
const POSITIONS = [
  [1, 9],
  [2, 4],
  [2, 5],
  [2, 6],
  [3, 0],
] as const;

it('a statement is reached at its position and later', () => {
  const reached = (target: Parameters<typeof isTargetReached>[0]): boolean[] =>
    POSITIONS.map(([list, statement]) => isTargetReached(target, list, statement));
  expect(reached(TARGET)).toEqual([false, false, true, true, true]);
  expect(reached('next')).toEqual([true, true, true, true, true]);
  expect(reached(undefined)).toEqual([false, false, false, false, false]);
});

it('only a statement can be passed, by a thread that is at or after it', () => {
  const passed = (target: Parameters<typeof isTargetPassed>[0]): boolean[] =>
    POSITIONS.map(([list, statement]) => isTargetPassed(target, { list, statement }));
  expect(passed(TARGET)).toEqual([false, false, true, true, true]);
  expect(passed('next')).toEqual([false, false, false, false, false]);
  expect(passed(undefined)).toEqual([false, false, false, false, false]);
  expect(isTargetPassed(TARGET, undefined)).toBe(false);
});

it('the clock stops at the target, at the next statement, or not at all', () => {
  const onHit = (): void => undefined;
  const armed = (target: Parameters<typeof armTarget>[1]): unknown[] => {
    const calls: unknown[] = [];
    const clock = {
      stopNext: (...args: unknown[]) => void calls.push('next', ...args),
      stopAt: (...args: unknown[]) => void calls.push('at', ...args),
    };
    armTarget(clock as never, target, onHit);
    armTarget(undefined, target, onHit);
    return calls;
  };
  expect(armed(TARGET)).toEqual(['at', TARGET, onHit]);
  expect(armed('next')).toEqual(['next', onHit]);
  expect(armed(undefined)).toEqual([]);
});
