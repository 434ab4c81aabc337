// What a thread loads before its program's first line: each module costs it half a millisecond, in every thread there is.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Says at the end of each thread what it has loaded. */
const NOTE = `import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  import { threadId } from 'node:worker_threads';
  const urls = [];
  registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
  process.on('exit', () => writeSync(1, JSON.stringify([threadId, urls]) + '\\n'));`;

const OPTIONS = [
  '-C',
  'turntable-source',
  '--no-warnings',
  '--import',
  `data:text/javascript,${encodeURIComponent(NOTE)}`,
];

/** Files of ours that are loaded for a program that does nothing but what is said, thread by thread. */
function loadedBy(environment: NodeJS.ProcessEnv, ...program: readonly string[]): string[][] {
  const args = [...OPTIONS, '--import', 'turntable/register', ...program];
  const env = { ...process.env, ...environment };
  const printed = execFileSync(process.execPath, args, { cwd: repository, env, encoding: 'utf8' });
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [number, string[]])
    .toSorted(([one], [other]) => one - other)
    .map(([, urls]) => urls.filter((url) => url.includes('/packages/')));
}

test('a program that is not recorded loads nothing that writes or reads states', () => {
  const [loaded = []] = loadedBy({ TURNTABLE_RECORDINGS: 'off' }, '--input-type=module', '--eval', '');
  expect(loaded.length).toBeGreaterThan(50);
  expect(loaded.filter((url) => /packages\/(?:heap|recording|runtime)\/|program-state|inert/.test(url))).toEqual([]);
});

test('threads with actors that are not recorded load of recordings who asks, by number, and nothing else', () => {
  const threads = loadedBy({ TURNTABLE_RECORDINGS: 'off' }, join(import.meta.dirname, 'fixtures/one-actor.ts'));
  expect(threads.length).toBe(2);
  for (const loaded of threads) {
    expect(loaded.filter((url) => url.includes('/packages/runtime/')).length).toBeGreaterThan(20);
    expect(loaded.flatMap((url) => /packages\/(recording\/.*)/.exec(url)?.[1] ?? [])).toEqual([
      'recording/src/trace-sources.ts',
    ]);
    expect(
      loaded.filter((url) => /replayer\/src\/(?:recorder\/|thread\/taping|restore\/(?:lineage|restorable))/.test(url)),
    ).toEqual([]);
  }
});

test.each(['run', 'record'])('turntable %s loads nothing that reads or replays recordings', (command) => {
  const cli = join(repository, 'packages/turntable/src/cli.ts');
  // The command ends at its check of the file: otherwise the process would become the program's.
  const { stdout, stderr } = spawnSync(process.execPath, [...OPTIONS, cli, command, 'missing.ts'], {
    cwd: repository,
    encoding: 'utf8',
  });
  expect(stderr).toContain('there is no file missing.ts');
  const [, urls] = JSON.parse(stdout) as [number, string[]];
  const packages = new Set(urls.flatMap((url) => /\/packages\/([\w-]+)\//.exec(url)?.[1] ?? []));
  expect([...packages].toSorted()).toEqual(['replayer', 'turntable']);
});
