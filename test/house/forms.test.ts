// Each form of the packages in this workspace records, replays and debugs a program. `npm run pack` checks the
// published form.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/node-release.mjs';
import { roundTripFaults } from '../../scripts/round-trip.ts';

test.each([
  ['source', 'src/cli.ts'],
  ['bundled', 'bundled/cli.js'],
])('the %s form records, replays and debugs a program', (form, cli) => {
  const command = ['-C', `turntable-${form}`, join(root, 'packages/turntable', cli)];
  expect(roundTripFaults({ command, directory: join(root, 'test/house') })).toEqual([]);
});
