import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../loader/test/running.ts';
import { turntable, turntableEsbuild } from '../src/bundler.ts';

const FILES = {
  'main.mjs':
    "import { later } from './later.mjs'; console.log(await later(20), later.toString().includes('return n + 1')); const { other } = await import('./other.mjs'); console.log(other());",
  'later.mjs': 'export async function later(n) { await null; return n + 1; }',
  'other.mjs': 'export const other = () => "other chunk";',
};
const REGISTER = new URL('../src/register.ts', import.meta.url).href;

function run(file: string, flags: readonly string[] = []): { stdout: string; stderr: string } {
  const environment = {
    ...process.env,
    TURNTABLE_CACHE: 'off',
    TURNTABLE_EXPLAIN_CLASSIFICATION: '1',
    NODE_OPTIONS: '',
  };
  return spawnSync(process.execPath, [...flags, file], { encoding: 'utf8', env: environment });
}

describe('the plugin for Rollup, Rolldown and Vite', () => {
  it('prebuilds chunks, which the loader uses unless they were changed', async ({ onTestFinished }) => {
    const directory = createProgram(FILES, onTestFinished);
    const bundle = await rolldown({ input: join(directory, 'main.mjs'), platform: 'node', plugins: [turntable()] });
    const { output } = await bundle.write({
      dir: join(directory, 'out'),
      format: 'es',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name].mjs',
    });
    const chunks = output
      .filter(({ type }) => type === 'chunk')
      .map(({ fileName }) => join(directory, 'out', fileName));
    expect(chunks.length).toBe(2);
    for (const chunk of chunks) expect(existsSync(`${chunk}.ttc`)).toBe(true);

    const main = join(directory, 'out', 'main.mjs');
    const flags = ['-C', 'turntable-source', '--import', REGISTER];
    const native = run(main);
    const transformed = run(main, flags);
    expect(transformed.stdout).toBe(native.stdout);
    expect(native.stdout).toBe('21 true\nother chunk\n');
    expect(transformed.stderr).toContain('0 transformed, 0 from the cache, 2 prebuilt');

    writeFileSync(main, `${readFileSync(main, 'utf8')}\nconsole.log('edited');`);
    const edited = run(main, flags);
    expect(edited.stdout).toBe(`${native.stdout}edited\n`);
    expect(edited.stderr).toContain('1 transformed, 0 from the cache, 1 prebuilt');
  });

  it('rejects output formats that Node cannot load', () => {
    expect(() => turntable().writeBundle.call(undefined, { format: 'iife', dir: '.' }, {})).toThrow(
      'format "iife" cannot be loaded by Node',
    );
  });
});

describe('the plugin for esbuild', () => {
  it('transforms the outputs of a build in the same way', ({ onTestFinished }) => {
    const directory = createProgram({ 'out.cjs': 'exports.x = async () => 1; console.log("ran");' }, onTestFinished);
    const ends: ((result: { metafile: { outputs: Record<string, object> } }) => void)[] = [];
    const initialOptions: { metafile?: boolean; absWorkingDir: string; format: string } = {
      absWorkingDir: directory,
      format: 'cjs',
    };
    turntableEsbuild().setup({ initialOptions, onEnd: (callback) => ends.push(callback) });
    expect(initialOptions.metafile).toBe(true);
    for (const end of ends) end({ metafile: { outputs: { 'out.cjs': {}, 'out.css': {} } } });
    expect(run(join(directory, 'out.cjs'), ['-C', 'turntable-source', '--import', REGISTER])).toMatchObject({
      stdout: 'ran\n',
    });
    expect(existsSync(join(directory, 'out.css.ttc'))).toBe(false);
    expect(run(join(directory, 'out.cjs'), ['-C', 'turntable-source', '--import', REGISTER]).stderr).toContain(
      '1 prebuilt',
    );
  });
});
