/*
 * The build plugins in their tools: a service, bundled with its dependencies, behaves natively and as prebuilt code as
 * it does unbundled. Code that cannot be transformed is reported at its original position.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { rolldown, watch } from 'rolldown';
import { turntable, turntableEsbuild, type BundlerOptions } from 'turntable/bundler';
import { build as viteBuild } from 'vite';
import { describe, expect, it, test } from 'vitest';

interface BuildChoices extends BundlerOptions {
  readonly sourcemap?: boolean;
  readonly minify?: boolean;
}
type Build = (root: string, entry: string, out: string, choices?: BuildChoices) => Promise<string>;

const service = fileURLToPath(new URL('fixtures/service/', import.meta.url));
/** Within the workspace, so that bundled code finds its dependencies. */
const scratch = fileURLToPath(new URL('.cache/', import.meta.url));
const register = import.meta.resolve('turntable/register');

const builds: Readonly<Record<string, Build>> = {
  async rolldown(root, entry, out, { sourcemap = true, minify = false, ...options } = {}) {
    const plugins = [turntable(options)];
    const bundle = await rolldown({ input: join(root, entry), platform: 'node', logLevel: 'silent', plugins });
    const names = { entryFileNames: 'main.mjs', chunkFileNames: '[name].mjs' };
    await bundle.write({ dir: out, format: 'es', sourcemap, minify, ...names });
    return join(out, 'main.mjs');
  },
  async vite(root, entry, out, { sourcemap = true, minify = true, ...options } = {}) {
    const output = { entryFileNames: 'main.mjs', chunkFileNames: '[name].mjs' };
    await viteBuild({
      root,
      configFile: false,
      logLevel: 'silent',
      plugins: [turntable(options)],
      ssr: { noExternal: true },
      build: { ssr: entry, outDir: out, sourcemap, minify, rolldownOptions: { output } },
    });
    return join(out, 'main.mjs');
  },
  async esbuild(root, entry, out, { sourcemap = true, minify = true, ...options } = {}) {
    const plugins = [turntableEsbuild(options)];
    await esbuild.build({ ...esbuildOptions(root, entry, out), splitting: true, minify, sourcemap, plugins });
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
  const environment = {
    ...process.env,
    NODE_OPTIONS: '',
    TURNTABLE_CACHE: 'off',
    TURNTABLE_EXPLAIN_CLASSIFICATION: '1',
  };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...flags, file], { env: environment }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${basename(file)} failed: ${stderr}`, { cause: error }));
      else resolve({ stdout, stderr });
    });
  });
}

const transformed = ['-C', 'turntable-source', '--import', register];

describe.each(Object.entries(builds))('a service bundled by %s', (name, build) => {
  it('behaves the same natively, from prebuilt code, and with source maps', async ({ onTestFinished }) => {
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

  it('reports code that cannot be transformed at its original position', async ({ onTestFinished }) => {
    const out = scratchFolder(onTestFinished);
    writeFileSync(join(out, 'package.json'), '{"type":"module"}');
    writeFileSync(join(out, 'entry.js'), "import { run } from './runs.js';\nconsole.log(run);\n");
    writeFileSync(join(out, 'runs.js'), 'export function run(code) {\n  return eval(code);\n}\n');
    const failure: unknown = await build(out, 'entry.js', join(out, 'dist')).catch((error: unknown) => error);
    expect(failure, name).toBeInstanceOf(Error);
    const { message } = failure as Error;
    expect(message).toMatch(/runs\.js:2:(9|10): .*direct eval cannot be captured/s);
  });

  describe.each([
    ['with source maps', true],
    ['without source maps', false],
  ])('%s', (_, sourcemap) => {
    it('leaves direct eval in a dependency native, and runs', async ({ onTestFinished }) => {
      const root = programWithEval(onTestFinished, {});
      const main = await build(root, 'entry.js', join(root, 'dist'), { sourcemap });
      const { stdout, stderr } = await run(main, transformed);
      expect(stdout).toBe('7\n');
      expect(stderr).toContain('1 prebuilt');
    });

    it("refuses direct eval in the program's own files, at its position", async ({ onTestFinished }) => {
      const root = programWithEval(onTestFinished, { 'own.js': OWN_EVAL });
      const failure: unknown = await build(root, 'entry.js', join(root, 'dist'), { sourcemap }).catch(
        (e: unknown) => e,
      );
      expect(failure, name).toBeInstanceOf(Error);
      expect((failure as Error).message).toMatch(/own\.js:2:(9|10): .*direct eval cannot be captured/s);
    });

    it('follows include and exclude', async ({ onTestFinished }) => {
      const root = programWithEval(onTestFinished, { 'own.js': OWN_EVAL });
      const exclude = [`${root}/own.js`];
      const main = await build(root, 'entry.js', join(root, 'dist'), { sourcemap, exclude });
      expect((await run(main, transformed)).stdout).toBe('7\n');
      const include = ['evaluates'];
      const failure: unknown = await build(root, 'entry.js', join(root, 'again'), {
        sourcemap,
        exclude,
        include,
      }).catch((e: unknown) => e);
      expect((failure as Error).message).toContain('direct eval cannot be captured');
    });
  });
});

const OWN_EVAL = 'export function own(x) {\n  return eval(x);\n}\n';

/** An entry point whose dependency uses direct eval, and a file of the program. */
function programWithEval(onFinished: (clean: () => void) => void, files: Readonly<Record<string, string>>): string {
  const root = scratchFolder(onFinished);
  mkdirSync(join(root, 'node_modules', 'evaluates'), { recursive: true });
  const all = {
    'package.json': '{"type":"module"}',
    'entry.js':
      "import { value } from 'evaluates';\nimport { own } from './own.js';\nconsole.log(value() + own('1'));\n",
    'own.js': 'export function own(x) {\n  return Number(x);\n}\n',
    'node_modules/evaluates/package.json': '{"name":"evaluates","version":"1.0.0","type":"module","main":"index.js"}',
    'node_modules/evaluates/index.js': "export function value() {\n  const six = 6;\n  return eval('six');\n}\n",
    ...files,
  };
  for (const [file, text] of Object.entries(all)) writeFileSync(join(root, file), text);
  return root;
}

const counting = (n: number): string =>
  `export const step = async () => (await null, ${n});\nconsole.log(await step());\n`;

test('a rebuild by esbuild writes prebuilt code for the new text', async ({ onTestFinished }) => {
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

test('rolldown in watch mode writes prebuilt code for the new text', async ({ onTestFinished }) => {
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
  const rebuilt = builtWith('(await null, 2)');
  writeFileSync(entry, counting(2));
  await rebuilt;
  const { stdout, stderr } = await run(join(out, 'main.mjs'), transformed);
  await watcher.close();
  expect(stdout).toBe('2\n');
  expect(stderr).toContain('1 prebuilt');
});

test('refuses a build that writes no files', async () => {
  const entry = { stdin: { contents: '1', resolveDir: service }, write: false, logLevel: 'silent' } as const;
  await expect(esbuild.build({ ...entry, plugins: [turntableEsbuild()] })).rejects.toThrow(
    'esbuild must write its output to files: remove write: false',
  );
});
