// What a recorded program can reach without crossing the membrane. A replay executes these functions, so each of them
// must only compute, act on this process, or be recorded as an input. A function that is new in the list must be looked
// at: guard it (packages/boundary/src/membrane/scattered-host.ts), or accept it with `vitest --update=all`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FLAGS } from '../../../../scripts/tested-form.ts';

const REGISTER = new URL('reachable/register.ts', import.meta.url);
const WALK = new URL('reachable/walk.mjs', import.meta.url);
const [NODE_MAJOR] = process.versions.node.split('.');

test('the program reaches no other functions of Node than these', async () => {
  const { stdout, stderr } = spawnSync(process.execPath, [...FLAGS, '--import', REGISTER.href, fileURLToPath(WALK)], {
    encoding: 'utf8',
  });
  expect(stderr.replace(/^.*\[TT_NOT_RECORDED\].*a context of node:vm.*\n/, '')).toBe('');
  await expect(stdout).toMatchFileSnapshot(`reachable/node-${NODE_MAJOR}.txt`);
});
