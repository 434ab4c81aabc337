import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test("the realm's Promise passes the Promises/A+ suite", { timeout: 120_000 }, () => {
  const fixture = fileURLToPath(new URL('fixtures/promises-aplus.mjs', import.meta.url));
  const run = spawnSync(process.execPath, ['-C', 'turntable-source', '--unhandled-rejections=none', fixture], {
    encoding: 'utf8',
  });
  expect(run.stdout).toMatch(/8\d\d passing/);
  expect(run.stdout).not.toMatch(/failing/);
  expect(run.status).toBe(0);
});
