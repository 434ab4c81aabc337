// What a thread loads before its program's first line: each module costs it half a millisecond, in every thread there is.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Files of ours that are loaded for a program that does nothing. */
function loadedBy(environment: NodeJS.ProcessEnv): string[] {
  const note = `import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
    process.on('exit', () => process.stdout.write(JSON.stringify(urls)));`;
  const options = [
    '-C',
    'turntable-source',
    '--no-warnings',
    '--import',
    `data:text/javascript,${encodeURIComponent(note)}`,
  ];
  const program = 'data:text/javascript,';
  const args = [...options, '--import', 'turntable/register', '--input-type=module', '--eval', `import '${program}';`];
  const env = { ...process.env, ...environment };
  const printed = execFileSync(process.execPath, args, { cwd: repository, env, encoding: 'utf8' });
  return (JSON.parse(printed) as string[]).filter((url) => url.includes('/packages/'));
}

test('a program that is not recorded loads nothing that writes or reads states', () => {
  const loaded = loadedBy({ TURNTABLE_RECORDINGS: 'off' });
  expect(loaded.length).toBeGreaterThan(50);
  expect(loaded.filter((url) => /packages\/(?:heap|recording|runtime)\/|program-state|inert/.test(url))).toEqual([]);
});
