// npm run pack
// Lays out every package as it is published, under `.cache/pack/node_modules/`: `dist`, pages and the licence only, each door in one
// file, because Node takes a millisecond for every module that a program's start waits for, and without
// the export condition that makes the workspace run from sources. Then looks at each as a stranger would: publint on its
// shape, an import of each door by a Node that knows nothing of this workspace, and a program on all of them. What is published is
// these folders.
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
    // Node shims are part of the program and loaded file by file, as its own files are.
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

/** The specifiers by which a package can be imported. What has side effects starts a process or a thread, and is not imported, but for `register`. */
function doorsOf({ name, exports, sideEffects }: Manifest): string[] {
  const started = new Set(Array.isArray(sideEffects) ? sideEffects : []);
  const isImported = (door: string): boolean =>
    door === '.' || door === './register' || !started.has(`./dist/${door.slice(2)}.js`);
  return Object.keys((exports ?? {}) as Record<string, Json>)
    .filter((door) => !door.endsWith('.json') && isImported(door))
    .map((door) => name + door.slice(1));
}

async function faultsOf(target: string, manifest: Manifest): Promise<string[]> {
  const { messages } = await publint({ pkgDir: target, strict: true });
  const faults = messages.map((message) => formatMessage(message, manifest) ?? message.code);
  const { devices = [] } = (manifest['turntable'] ?? {}) as { devices?: string[] };
  for (const device of devices)
    if (device.startsWith('./dist/') && !existsSync(join(target, device)))
      faults.push(`${device} is to be outside of programs, and no file of its own`);
  for (const specifier of doorsOf(manifest)) {
    const code = `await import(${JSON.stringify(specifier)})`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: stage, encoding: 'utf8' });
    if (run.status !== 0) faults.push(`import of ${specifier} fails:\n${run.stderr}`);
  }
  return faults;
}

/** What the compiler says to a program that imports every door, declarations included. */
function typeFaults(specifiers: readonly string[]): string {
  const imports = specifiers.map((specifier, index) => `export * as door${index} from '${specifier}';\n`);
  writeFileSync(join(stage, 'consumer.mts'), imports.join(''));
  const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, noEmit: true, types: ['node'] };
  writeFileSync(join(stage, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.mts'] }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '--project', stage], { cwd: stage, encoding: 'utf8' }).stdout;
}

/** A program on the packages, against the same natively: whole, and captured on the way to go on in another process. */
function programFaults(): string[] {
  const program = join(stage, 'program.mts');
  const command = join(stage, 'node_modules/turntable/dist/cli.js');
  const state = join(stage, 'program.state');
  copyFileSync(join(root, 'scripts/packed-program.ts'), program);
  // The cache is keyed by published versions: what another build of this one has left there is stale.
  const env = { ...process.env, TURNTABLE_CACHE: 'off' };
  const run = (...args: string[]): string => {
    const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: stage, encoding: 'utf8', env });
    return status === 0 ? stdout : stdout + stderr;
  };
  const native = run(program);
  const transformed = run(command, 'run', program);
  const captured = run(command, 'run', '--capture', state, '--capture-after', '12', program);
  const continued = captured + run(command, 'restore', state);
  const recordings = join(stage, 'recordings');
  const recorded = run(command, 'record', '--recordings', recordings, program);
  // Code that the program's own questions must not be taken for is loaded late, too.
  const replayed = run(command, 'replay', '--json', recordings);
  return [
    ...(transformed === native ? [] : [`a program prints natively\n${native}and transformed\n${transformed}`]),
    ...(continued === native && captured !== native
      ? []
      : [`a program prints natively\n${native}and captured on the way\n${captured}--\n${continued}`]),
    ...(recorded === native ? [] : [`a program prints natively\n${native}and recorded\n${recorded}`]),
    ...(replayed.includes('"verdict":"same"') ? [] : [`a recorded program run again says\n${replayed}`]),
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
  ['types', typeFaults(packages.flatMap(({ manifest }) => doorsOf(manifest)))],
  ['program', programFaults().join('\n')],
] as const;
for (const [check, fault] of finalChecks) {
  console.log(fault === '' ? `good ${check}` : `BAD  ${check}\n${fault}`);
  if (fault !== '') process.exitCode = 1;
}
