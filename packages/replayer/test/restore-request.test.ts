// Tests the restore request that one image of a process passes to the next.
import { describe, expect, it } from 'vitest';
import { isRestoring, takeRestoreRequest, restoreVariables } from '../src/restore/restore-request.ts';
import { withoutEvalFlags } from '../src/restore/process-image.ts';

describe('the restore request', () => {
  it.each([
    { path: '/rec', phase: undefined, code: undefined, root: undefined, epoch: 0, rollbacks: [] },
    { path: '/rec', phase: 0, code: 'recorded', root: '/there', epoch: 0, rollbacks: [] },
    { path: '/rec', phase: 7, code: undefined, root: undefined, epoch: 3, rollbacks: [120, 0] },
  ] as const)('is returned as written and removed from the environment: %o', (request) => {
    const environment: NodeJS.ProcessEnv = { ...restoreVariables(request), HOME: '/home' };
    expect(isRestoring(environment)).toBe(true);
    expect(takeRestoreRequest(environment)).toEqual(request);
    expect(environment).toEqual({ HOME: '/home' });
    expect(isRestoring(environment)).toBe(false);
  });
});

describe('flags of a process', () => {
  it('are passed on, except for --eval and its variants', () => {
    const otherFlags = ['--import', './hooks.mjs', '-C', 'x', '--max-old-space-size=100'];
    for (const each of [['-e', 'start()'], ['--eval=start()'], ['-p', '1'], ['--print', '1'], ['-i']])
      expect(withoutEvalFlags([...otherFlags, ...each])).toEqual(otherFlags);
  });
});
