// npm run pack
// Lays out every package as it is published, under `.cache/pack/node_modules/`: only `dist`, pages and the licence,
// without the export conditions of the workspace. Each entry point is one file, because Node takes a millisecond for
// every module that the start of a program waits for. Then checks each package from the outside: publint on its shape,
// an import of each entry point by a Node without access to this workspace, and a program on all of them. These folders
// are published.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { root } from './node-release.mjs';
import { roundTripFaults } from './round-trip.ts';
import { entriesOf, withoutOwnConditions, writeBundle, type Json, type Manifest } from './package-bundle.ts';

const stage = join(root, '.cache/pack');

async function stagePackage(folder: string, manifest: Manifest): Promise<string> {
  const target = join(stage, 'node_modules', manifest.name);
  mkdirSync(target, { recursive: true });
  cpSync(join(folder, 'dist'), join(target, 'dist'), {
    recursive: true,
    // Node shims are part of the program and are loaded file by file.
    filter: (path) => !/\.tsbuildinfo$|\.js(?:\.map)?$/.test(path) || /\/node-shims\/[^/]+\.js(?:\.map)?$/.test(path),
  });
  const input = entriesOf(manifest, 'dist').map((file) => join(folder, file));
  await writeBundle({ input, directory: join(target, 'dist'), sourcemap: true });
  const pages = join(folder, 'interface');
  if (existsSync(pages)) cpSync(pages, join(target, 'interface'), { recursive: true });
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  copyFileSync(join(folder, 'README.md'), join(target, 'README.md'));
  writeFileSync(join(target, 'package.json'), JSON.stringify(withoutOwnConditions(manifest), null, 2) + '\n');
  return target;
}

/** Import specifiers of a package, except modules that start a process or a thread; `register` is included. */
function entryPointsOf({ name, exports, sideEffects }: Manifest): string[] {
  const started = new Set(Array.isArray(sideEffects) ? sideEffects : []);
  const isImported = (entryPoint: string): boolean =>
    entryPoint === '.' || entryPoint === './register' || !started.has(`./dist/${entryPoint.slice(2)}.js`);
  return Object.keys((exports ?? {}) as Record<string, Json>)
    .filter((entryPoint) => !entryPoint.endsWith('.json') && isImported(entryPoint))
    .map((entryPoint) => name + entryPoint.slice(1));
}

async function faultsOf(target: string, manifest: Manifest): Promise<string[]> {
  const { messages } = await publint({ pkgDir: target, strict: true });
  const faults = messages.map((message) => formatMessage(message, manifest) ?? message.code);
  const { devices = [] } = (manifest['turntable'] ?? {}) as { devices?: string[] };
  for (const device of devices)
    if (device.startsWith('./dist/') && !existsSync(join(target, device)))
      faults.push(`${device} must be a separate file on the host side`);
  for (const specifier of entryPointsOf(manifest)) {
    const code = `await import(${JSON.stringify(specifier)})`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: stage, encoding: 'utf8' });
    if (run.status !== 0) faults.push(`import of ${specifier} fails:\n${run.stderr}`);
  }
  return faults;
}

/** Errors of the compiler for a program that imports every entry point, declarations included. */
function typeFaults(specifiers: readonly string[]): string {
  const imports = specifiers.map((specifier, index) => `export * as entry${index} from '${specifier}';\n`);
  writeFileSync(join(stage, 'consumer.mts'), imports.join(''));
  const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] };
  writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.mts'] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '--project', stage], { cwd: stage, encoding: 'utf8' }).stdout;
}

/** Compares a program on the packages with a native run: run whole, captured and resumed, recorded, and replayed. */
function programFaults(): string[] {
  const program = join(stage, 'program.mts');
  const command = join(stage, 'node_modules/turntable/dist/cli.js');
  const state = join(stage, 'program.state');
  copyFileSync(join(root, 'scripts/packed-program.ts'), program);
  // The cache is keyed by published versions and may hold code of another build of this version.
  const env = { ...process.env, TURNTABLE_CACHE: 'off' };
  const run = (...args: string[]): string => {
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: stage, encoding: 'utf8', env });
    return status === 0 ? stdout : stdout + stderr;
  };
  const native = run(program);
  const transformed = run(command, 'run', program);
  const captured = run(command, 'run', '--capture', state, '--capture-after', '12', program);
  const continued = captured + run(command, 'restore', '--trusted', state);
  const recordings = join(stage, 'recordings');
  const recorded = run(command, 'record', '--recordings', recordings, program);
  // The replay must not mistake lazily loaded code of the packages for requests of the program.
  const replayed = run(command, 'replay', '--json', recordings);
  return [
    ...(transformed === native ? [] : [`a program prints natively\n${native}and transformed\n${transformed}`]),
    ...(continued === native && captured !== native
      ? []
      : [`a program prints natively\n${native}and captured on the way\n${captured}--\n${continued}`]),
    ...(recorded === native ? [] : [`a program prints natively\n${native}and recorded\n${recorded}`]),
    ...(replayed.includes('"verdict":"same"') ? [] : [`the replay of a recorded program prints\n${replayed}`]),
    ...roundTripFaults({ command: [command], directory: stage }),
  ];
}

rmSync(stage, { recursive: true, force: true });
const packages: { target: string; manifest: Manifest }[] = [];
for (const name of readdirSync(join(root, 'packages'))) {
  const folder = join(root, 'packages', name);
  if (!existsSync(join(folder, 'package.json'))) continue;
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  if (manifest['private'] !== true) packages.push({ target: await stagePackage(folder, manifest), manifest });
}
for (const { target, manifest } of packages) {
  const faults = await faultsOf(target, manifest);
  console.log(`${faults.length === 0 ? 'good' : 'BAD '} ${manifest.name}`);
  for (const fault of faults) console.log(`     ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
const finalChecks = [
  ['types', typeFaults(packages.flatMap(({ manifest }) => entryPointsOf(manifest)))],
  ['program', programFaults().join('\n')],
] as const;
for (const [check, fault] of finalChecks) {
  console.log(fault === '' ? `good ${check}` : `BAD  ${check}\n${fault}`);
  if (fault !== '') process.exitCode = 1;
}
