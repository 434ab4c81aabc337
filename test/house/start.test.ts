// Modules that a thread loads before the program starts: each costs half a millisecond, in every thread.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Prints the loaded modules at the end of each thread. */
const MODULE_LOGGER = `import { registerHooks } from 'node:module';
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
  `data:text/javascript,${encodeURIComponent(MODULE_LOGGER)}`,
];

/** Package files loaded for a program, by thread. */
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

test('a program without a recording loads no modules for states', () => {
  const [loaded = []] = loadedBy({ TURNTABLE_RECORDINGS: 'off' }, '--input-type=module', '--eval', '');
  expect(loaded.length).toBeGreaterThan(50);
  expect(loaded.filter((url) => /packages\/(?:heap|recording|runtime)\/|program-state|inert/.test(url))).toEqual([]);
});

test('actor threads without a recording load only the trace sources of the recording package', () => {
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

/** Package files loaded by a command that fails at once. */
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

test.each(['run', 'record'])('turntable %s loads no modules that read or replay recordings', (command) => {
  // The command fails at its check of the file; otherwise the process would become the program's.
  const loaded = loadedForError('there is no file missing.ts', command, 'missing.ts');
  expect(loaded.filter((file) => !/^(?:replayer|turntable)\//.test(file))).toEqual(['loader/src/durability.ts']);
});

test('turntable replay loads no modules of the time machine server', () => {
  const loaded = loadedForError('there is no directory', 'replay', 'missing');
  expect(loaded).toContain('replayer/src/replay.ts');
  expect(loaded.filter((file) => /^time-machine\/src\/(?:index|stepping|run-index|server)/.test(file))).toEqual([]);
});
