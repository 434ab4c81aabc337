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

/** Files of packages that a command loads which ends with an error at once. */
function loadedForError(error: string, ...args: readonly string[]): string[] {
  const cli = join(repository, 'packages/turntable/src/cli.ts');
  const { stdout, stderr } = spawnSync(process.execPath, [...OPTIONS, cli, ...args], {
    cwd: repository,
    encoding: 'utf8',
  });
  expect(stderr).toContain(error);
  const [, urls] = JSON.parse(stdout) as [number, string[]];
  return urls.flatMap((url) => /\/packages\/(.*)/.exec(url)?.[1] ?? []);
}

test.each(['run', 'record'])('turntable %s loads nothing that reads or replays recordings', (command) => {
  // The command ends at its check of the file: otherwise the process would become the program's.
  const loaded = loadedForError('there is no file missing.ts', command, 'missing.ts');
  expect([...new Set(loaded.map((file) => file.split('/')[0]))].toSorted()).toEqual(['replayer', 'turntable']);
});

test('turntable replay loads no engine', () => {
  const loaded = loadedForError('there is no directory', 'replay', 'missing');
  expect(loaded).toContain('replayer/src/replay.ts');
  expect(loaded.filter((file) => /^time-machine\/src\/(?:index|stepping|run-index|server)/.test(file))).toEqual([]);
});
