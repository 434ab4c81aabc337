// A second copy of core in a thread fails to load with a clear error: in a dependency of a program, in a device, and when it
// was loaded before Turntable.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { FLAGS, REGISTER } from '../../../scripts/tested-form.ts';
import { createProgram, runTransformed, runWith } from './running.ts';

const coreSources = fileURLToPath(new URL('../../core/src', import.meta.url));
const cleanups: (() => void)[] = [];

/** A program with a dependency that has its own core, and that tolerates the error. */
function createProgramWithCore(): string {
  const directory = createProgram(
    {
      'main.mjs': `try { await import('dep'); } catch (error) { console.log(error.code, error.message); }
        console.log(Object.getOwnPropertySymbols(globalThis).some((each) => String(each).includes('turntable')), await (async () => 'continues')());`,
      'threads.mjs': `import { Worker } from 'node:worker_threads'; import { once } from 'node:events';
        const ended = async (text, options) => { await once(new Worker(text, { eval: true, ...options }), 'exit'); };
        await ended("console.log('with Turntable')"); await ended("import('./core/index.ts').then(() => console.log('without'))", { execArgv: [] });`,
      'core/package.json': '{"type":"module"}',
      'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0","type":"module","exports":"./index.js"}',
      'node_modules/dep/index.js': "export { Frame } from '../../core/index.ts';",
    },
    (clean) => cleanups.push(clean),
  );
  cpSync(coreSources, join(directory, 'core'), { recursive: true });
  return directory;
}

let directory: string;
beforeAll(() => {
  directory = createProgramWithCore();
  return () => {
    for (const clean of cleanups) clean();
  };
});

const CORE_FILE = String.raw`\S+/(?:single-copy|index)\.[jt]s`;
const SECOND_COPY_MESSAGE = new RegExp(
  String.raw`TT_SECOND_COPY @turntable/core \S+ \((${CORE_FILE})\) is already loaded, and @turntable/core \S+ \((${CORE_FILE})\) is a second copy: .*npm ls turntable `,
);

test('a dependency with another core gets an error with both paths, and the program continues', async () => {
  const { stdout } = await runTransformed(directory, 'main.mjs');
  const [, first, second] = SECOND_COPY_MESSAGE.exec(stdout) ?? [];
  expect(second).toBe(join(directory, 'core/single-copy.ts'));
  expect(first).not.toContain(directory);
  expect(stdout).toMatch(/\nfalse continues\n$/);
});

test('a device with another core gets the same error', async () => {
  const { stdout } = await runTransformed(directory, 'main.mjs', { environment: { TURNTABLE_EXCLUDE: 'dep,/core/' } });
  expect(stdout).toMatch(SECOND_COPY_MESSAGE);
});

test('Turntable gets the error when another core was loaded first', async () => {
  const otherCoreUrl = pathToFileURL(join(directory, 'core/index.ts')).href;
  const args = [...FLAGS, '--import', otherCoreUrl, '--import', REGISTER, 'main.mjs'];
  const { stderr, code } = await runWith(directory, args, {});
  expect(code).toBe(1);
  expect(stderr).toContain('@turntable/core');
  expect(stderr).toContain("code: 'TT_SECOND_COPY'");
});

test('each thread has its own core, from any copy', async () => {
  const { stdout, stderr } = await runTransformed(directory, 'threads.mjs');
  expect({ stdout, stderr }).toEqual({ stdout: 'with Turntable\nwithout\n', stderr: '' });
});
