// What one image of a process tells the next.
import { describe, expect, it } from 'vitest';
import { isContinuing, takeContinuation, variablesOf } from '../src/restore/continuation.ts';
import { withoutEval } from '../src/restore/image.ts';

describe('what a process goes on from', () => {
  it.each([
    { place: '/rec', phase: undefined, code: undefined, root: undefined, epoch: 0, rollbacks: [] },
    { place: '/rec', phase: 0, code: 'recorded', root: '/there', epoch: 0, rollbacks: [] },
    { place: '/rec', phase: 7, code: undefined, root: undefined, epoch: 3, rollbacks: [120, 0] },
  ] as const)('is what it was told, and stays in no environment: %o', (told) => {
    const environment: NodeJS.ProcessEnv = { ...variablesOf(told), HOME: '/home' };
    expect(isContinuing(environment)).toBe(true);
    expect(takeContinuation(environment)).toEqual(told);
    expect(environment).toEqual({ HOME: '/home' });
    expect(isContinuing(environment)).toBe(false);
  });
});

describe('flags of a process', () => {
  it('go along, but for the text that it was started with', () => {
    const others = ['--import', './hooks.mjs', '-C', 'x', '--max-old-space-size=100'];
    for (const each of [['-e', 'start()'], ['--eval=start()'], ['-p', '1'], ['--print', '1'], ['-i']])
      expect(withoutEval([...others, ...each])).toEqual(others);
  });
});
