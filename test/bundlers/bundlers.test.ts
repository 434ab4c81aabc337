/*
 * The build plugins in the tools they are for: one service, bundled by each with its dependencies, must do natively and from the
 * prebuilt code what it does unbundled, and what cannot be transformed is named where it was written.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { rolldown, watch } from 'rolldown';
import { turntable, turntableEsbuild } from 'turntable/bundler';
import { build as viteBuild } from 'vite';
import { describe, expect, it, test } from 'vitest';

type Build = (root: string, entry: string, out: string) => Promise<string>;

const service = fileURLToPath(new URL('fixtures/service/', import.meta.url));
/** Inside the workspace, so that what is bundled finds its dependencies. */
const scratch = fileURLToPath(new URL('.cache/', import.meta.url));
const register = import.meta.resolve('turntable/register');

const builds: Readonly<Record<string, Build>> = {
  async rolldown(root, entry, out) {
    const bundle = await rolldown({ input: join(root, entry), platform: 'node', plugins: [turntable()] });
    const names = { entryFileNames: 'main.mjs', chunkFileNames: '[name].mjs' };
    await bundle.write({ dir: out, format: 'es', sourcemap: true, ...names });
    return join(out, 'main.mjs');
  },
  async vite(root, entry, out) {
    const output = { entryFileNames: 'main.mjs', chunkFileNames: '[name].mjs' };
    await viteBuild({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins: [turntable()],
      ssr: { noExternal: true },
      build: { ssr: entry, outDir: out, sourcemap: true, minify: true, rolldownOptions: { output } },
    });
    return join(out, 'main.mjs');
  },
  async esbuild(root, entry, out) {
    await esbuild.build({ ...esbuildOptions(root, entry, out), splitting: true, minify: true });
    return join(out, 'main.mjs');
  },
};

function esbuildOptions(root: string, entry: string, out: string): esbuild.BuildOptions {
  return {
    absWorkingDir: root,
    entryPoints: { main: entry },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outdir: out,
    outExtension: { '.js': '.mjs' },
    sourcemap: true,
    logLevel: 'silent',
    plugins: [turntableEsbuild()],
  };
}

function scratchFolder(onFinished: (clean: () => void) => void): string {
  mkdirSync(scratch, { recursive: true });
  const folder = mkdtempSync(join(scratch, 'build-'));
  onFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(file: string, flags: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const environment = { ...process.env, NODE_OPTIONS: '', TURNTABLE_CACHE: 'off', TURNTABLE_EXPLAIN: '1' };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...flags, file], { env: environment }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${basename(file)} failed: ${stderr}`, { cause: error }));
      else resolve({ stdout, stderr });
    });
  });
}

const transformed = ['-C', 'turntable-source', '--import', register];

describe.each(Object.entries(builds))('a service bundled by %s', (name, build) => {
  it('does the same natively, from prebuilt code, and with source maps', async ({ onTestFinished }) => {
    const out = scratchFolder(onTestFinished);
    const main = await build(service, 'main.ts', out);
    const native = await run(main, []);
    expect(native.stdout.split('\n').slice(0, 6)).toEqual([
      '{"id":"a","lines":[1,2],"total":3}',
      '{"id":"b","lines":[3],"total":3}',
      '{"id":"c","lines":[],"total":0}',
      'TypeError not an order',
      expect.stringContaining('SyntaxError'),
      'c,b',
    ]);
    const prebuilt = await run(main, transformed);
    expect(prebuilt.stdout).toBe(native.stdout);
    expect(prebuilt.stderr).toMatch(/ 0 transformed, 0 from the cache, [23] prebuilt/);

    const mapped = await run(main, ['--enable-source-maps']);
    expect(mapped.stdout).toMatch(/orders\.ts:26:\d+\)\n$/);
    expect((await run(main, ['--enable-source-maps', ...transformed])).stdout).toBe(mapped.stdout);
  });

  it('names what cannot be transformed where it was written', async ({ onTestFinished }) => {
    const out = scratchFolder(onTestFinished);
    writeFileSync(join(out, 'package.json'), '{"type":"module"}');
    writeFileSync(join(out, 'entry.js'), "import { run } from './runs.js';\nconsole.log(run);\n");
    writeFileSync(join(out, 'runs.js'), 'export function run(code) {\n  return eval(code);\n}\n');
    const failure: unknown = await build(out, 'entry.js', join(out, 'dist')).catch((error: unknown) => error);
    expect(failure, name).toBeInstanceOf(Error);
    const { message } = failure as Error;
    expect(message).toMatch(/runs\.js:2:(9|10): .*direct eval cannot be captured/s);
  });
});

const counting = (n: number): string =>
  `export const step = async () => (await null, ${n});\nconsole.log(await step());\n`;

test('a rebuild by esbuild leaves code for the new text', async ({ onTestFinished }) => {
  const root = scratchFolder(onTestFinished);
  writeFileSync(join(root, 'entry.mjs'), counting(1));
  const out = join(root, 'dist');
  const context = await esbuild.context(esbuildOptions(root, 'entry.mjs', out));
  for (const n of [1, 2]) {
    writeFileSync(join(root, 'entry.mjs'), counting(n));
    await context.rebuild();
    const { stdout, stderr } = await run(join(out, 'main.mjs'), transformed);
    expect(stdout).toBe(`${n}\n`);
    expect(stderr).toContain('1 prebuilt');
  }
  await context.dispose();
});

test('a watching rolldown leaves code for the new text', async ({ onTestFinished }) => {
  const root = scratchFolder(onTestFinished);
  const entry = join(root, 'entry.mjs');
  writeFileSync(entry, counting(1));
  const out = join(root, 'dist');
  const watcher = watch({
    input: entry,
    platform: 'node',
    plugins: [turntable()],
    output: { dir: out, format: 'es', entryFileNames: 'main.mjs' },
  });
  const builtWith = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      watcher.on('event', async (event) => {
        if (event.code === 'ERROR') reject(event.error);
        if (event.code !== 'BUNDLE_END') return;
        await event.result.close();
        if (readFileSync(join(out, 'main.mjs'), 'utf8').includes(text)) resolve();
      });
    });
  await builtWith('(await null, 1)');
  const again = builtWith('(await null, 2)');
  writeFileSync(entry, counting(2));
  await again;
  const { stdout, stderr } = await run(join(out, 'main.mjs'), transformed);
  await watcher.close();
  expect(stdout).toBe('2\n');
  expect(stderr).toContain('1 prebuilt');
});

test('output that goes nowhere is refused', async () => {
  const entry = { stdin: { contents: '1', resolveDir: service }, write: false, logLevel: 'silent' } as const;
  await expect(esbuild.build({ ...entry, plugins: [turntableEsbuild()] })).rejects.toThrow('write no files');
});
