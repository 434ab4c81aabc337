// Temporary directories are deleted however the process ends, except by SIGKILL.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { FLAGS } from '../../../scripts/tested-form.ts';

const MODULE = fileURLToPath(new URL('../src/paths/recording-directory.ts', import.meta.url));

test('a signal ends a process with several temporary directories, and deletes them', async () => {
  const text = `import { TemporaryDirectory } from ${JSON.stringify(MODULE)};
const directories = [new TemporaryDirectory(), new TemporaryDirectory()];
console.log(directories.map(({ path }) => path).join());
setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, [...FLAGS, '--input-type=module-typescript', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const paths = String(printed).trim().split(',');
  expect(paths.map((path) => existsSync(path))).toEqual([true, true]);
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
  expect(paths.map((path) => existsSync(path))).toEqual([false, false]);
});
