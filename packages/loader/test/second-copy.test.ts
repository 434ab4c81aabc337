// A second core in a thread says so and does not load: where a dependency of a program brings its own, where a device does, and where it was there first.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { FLAGS, REGISTER } from '../../../scripts/tested.ts';
import { program, runTransformed, runWith } from './running.ts';

const cores = fileURLToPath(new URL('../../core/src', import.meta.url));
const scratch: (() => void)[] = [];

/** With a dependency that has a core of its own; the program may do without. */
function withItsOwn(): string {
  const directory = program(
    {
      'main.mjs': `try { await import('dep'); } catch (error) { console.log(error.code, error.message); }
        console.log(Object.getOwnPropertySymbols(globalThis).some((each) => String(each).includes('turntable')), await (async () => 'goes on')());`,
      'threads.mjs': `import { Worker } from 'node:worker_threads'; import { once } from 'node:events';
        const ended = async (text, options) => { await once(new Worker(text, { eval: true, ...options }), 'exit'); };
        await ended("console.log('with Turntable')"); await ended("import('./core/index.ts').then(() => console.log('without'))", { execArgv: [] });`,
      'core/package.json': '{"type":"module"}',
      'node_modules/dep/package.json': '{"name":"dep","version":"1.0.0","type":"module","exports":"./index.js"}',
      'node_modules/dep/index.js': "export { Frame } from '../../core/index.ts';",
    },
    (clean) => scratch.push(clean),
  );
  cpSync(cores, join(directory, 'core'), { recursive: true });
  return directory;
}

let directory: string;
beforeAll(() => {
  directory = withItsOwn();
  return () => {
    for (const clean of scratch) clean();
  };
});

const place = String.raw`\S+/(?:only-copy|index)\.[jt]s`;
const told = new RegExp(
  String.raw`TT_SECOND_COPY @turntable/core \S+ \((${place})\) is loaded already, and now @turntable/core \S+ \((${place})\): .*npm ls turntable `,
);

test('a dependency that brings another core is told so with both places, and the program goes on', async () => {
  const { stdout } = await runTransformed(directory, 'main.mjs');
  const [, first, second] = told.exec(stdout) ?? [];
  expect(second).toBe(join(directory, 'core/only-copy.ts'));
  expect(first).not.toContain(directory);
  expect(stdout).toMatch(/\nfalse goes on\n$/);
});

test('so is a device that brings one', async () => {
  const { stdout } = await runTransformed(directory, 'main.mjs', { environment: { TURNTABLE_EXCLUDE: 'dep,/core/' } });
  expect(stdout).toMatch(told);
});

test('and Turntable itself, where there is another one before it', async () => {
  const before = pathToFileURL(join(directory, 'core/index.ts')).href;
  const args = [...FLAGS, '--import', before, '--import', REGISTER, 'main.mjs'];
  const { stderr, code } = await runWith(directory, args, {});
  expect(code).toBe(1);
  expect(stderr).toContain('@turntable/core');
  expect(stderr).toContain("code: 'TT_SECOND_COPY'");
});

test('each thread has one of its own, whichever it is', async () => {
  const { stdout, stderr } = await runTransformed(directory, 'threads.mjs');
  expect({ stdout, stderr }).toEqual({ stdout: 'with Turntable\nwithout\n', stderr: '' });
});
