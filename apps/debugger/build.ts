// npm run build:interface
// Bundles the debugger's interface into packages/turntable/interface, from where `turntable debug --browser` serves it and with which it is published: four files, without anything that the page's policy forbids. And the shell of
// the desktop, with the same interface, into `dist` here: what pages get of it is one file of CommonJS, since sandboxed ones load no other.
import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { root } from '../../scripts/node-release.mjs';

const SOURCE = join(import.meta.dirname, 'src');
const INTERFACE_DIRECTORY = join(root, 'packages/turntable/interface');

/** Of the notes of threads a window has the names of kinds only. What writes them is left out, once it is known that to import a builtin does nothing. */
const withoutNode: Plugin = {
  name: 'without-node',
  setup({ onResolve }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

rmSync(INTERFACE_DIRECTORY, { recursive: true, force: true });
mkdirSync(INTERFACE_DIRECTORY, { recursive: true });
await build({
  entryPoints: { main: join(SOURCE, 'main.tsx') },
  outdir: INTERFACE_DIRECTORY,
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome114', 'firefox128', 'safari17'],
  conditions: ['turntable-source'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'eof',
  plugins: [withoutNode],
  logLevel: 'warning',
});
for (const name of ['index.html', 'icon.svg']) copyFileSync(join(SOURCE, name), join(INTERFACE_DIRECTORY, name));

const DIST = join(import.meta.dirname, 'dist');
rmSync(DIST, { recursive: true, force: true });
await build({
  entryPoints: { main: join(SOURCE, 'shell/main.ts'), preload: join(SOURCE, 'shell/preload.ts') },
  outdir: DIST,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node18',
  external: ['electron'],
  conditions: ['turntable-source'],
  logLevel: 'warning',
});
cpSync(INTERFACE_DIRECTORY, join(DIST, 'interface'), { recursive: true });
