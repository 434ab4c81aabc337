// npm run soak:acmeair -- [--count 100]: records the seeded bug once and replays it repeatedly.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordSeededBug, replaySeededBug } from './seeded-bug.ts';

const { values } = parseArgs({ options: { count: { type: 'string', default: '100' } } });
const count = Number(values.count);
const recordings = mkdtempSync(join(tmpdir(), 'turntable-acmeair-'));
await recordSeededBug(recordings);
const problems = replaySeededBug(recordings, count, (times) => {
  if (process.stdout.isTTY) process.stdout.write(`\r${times} of ${count}`);
});
for (const each of problems) console.error(each.slice(0, 2000));
if (problems.length === 0) {
  rmSync(recordings, { recursive: true });
  console.log(
    `\rthe seeded bug of Acme Air: recorded once, replayed ${count} times, same update lost in the same turns, all states equal`,
  );
} else {
  console.error(`the recording is in ${recordings}`);
  process.exitCode = 1;
}
