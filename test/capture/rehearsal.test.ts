// A cut is rehearsed in slices between jobs, so that the first real cut finds everything compiled.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('a rehearsal captures the state in slices, completes, and does not change the state', () => {
  const at = (name: string): string => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['-C', 'turntable-source', '--import', at('rehearse.mjs'), at('has-closures.cjs')],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  const { slices, ...rest } = JSON.parse(stdout) as { slices: number };
  expect(slices).toBeGreaterThan(5);
  expect(rest).toEqual({ confirmed: 'more', size: true });
});
