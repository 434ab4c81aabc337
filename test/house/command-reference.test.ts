import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandReference } from '../../scripts/command-reference.ts';
import { root } from '../../scripts/node-release.mjs';

test('docs/guide/commands.md agrees with the tables of the debugger', async () => {
  await expect(commandReference()).toMatchFileSnapshot(join(root, 'docs/guide/commands.md'));
});
