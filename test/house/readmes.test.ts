// Each package, app and editor has a README with the same sections. Its TypeScript examples pass the type checker, run,
// and print the text block that follows them; its paths and names exist.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { root } from '../../scripts/node-release.mjs';

interface Manifest {
  readonly exports?: Readonly<Record<string, unknown>>;
}

interface Launch {
  readonly configurations: readonly (Readonly<Record<string, unknown>> & { readonly request: string })[];
}

interface Extension {
  readonly contributes: {
    readonly commands: readonly { readonly title: string }[];
    readonly debuggers: readonly {
      readonly configurationAttributes: Readonly<Record<string, { readonly properties: object }>>;
    }[];
  };
}

const SECTIONS = ['Example', 'Entry points', 'Guarantee'];
const MAP_SECTION = 'Where to find what';
/** Packages with more files in `src` have a table of them. */
const MAX_FILES_WITHOUT_MAP = 8;
/** Examples that are programs of users, which are recorded. The first recording is the argument of all other examples. */
const RECORDED = ['turntable', 'fastify'];
/** Exports that only their own package loads, as the files of threads. */
const OWN_THREADS = ['/query-thread', '/writer-thread'];
const EXAMPLE = /^```ts\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm;

const folders = globSync('{packages,apps,editors}/*/package.json', { cwd: root })
  .map((path) => path.slice(0, -'/package.json'.length))
  .toSorted();
const readmeOf = (folder: string): string => readFileSync(join(root, folder, 'README.md'), 'utf8');

/** Text of a section, without its heading. */
function sectionOf(readme: string, title: string): string {
  const [, text = ''] = readme.split(`\n## ${title}\n`);
  return text.split(/^## /m, 1)[0] as string;
}

/** Code spans in the first column of a section's tables. */
function firstColumnCode(section: string): string[] {
  const cells = [...section.matchAll(/^\| (.*?) \|/gm)].map(([, cell]) => cell as string);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string));
}

describe.each(folders)('the README of %s', (folder) => {
  const readme = readmeOf(folder);
  const sources = globSync('{src/**/*.{ts,tsx},*.cjs}', { cwd: join(root, folder) });

  test('begins with a title and one sentence, and has all sections in order', () => {
    expect(readme).toMatch(/^# \S.*\n\n[A-Z][^#|]*?\.\n/);
    const titles = [...readme.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(titles.filter((title) => title !== MAP_SECTION)).toEqual(SECTIONS);
    if (sources.length > MAX_FILES_WITHOUT_MAP) expect(titles).toContain(MAP_SECTION);
  });

  test('has an example', () => {
    expect(sectionOf(readme, 'Example')).toMatch(folder.startsWith('packages/') ? EXAMPLE : /^```(sh|json)\n/m);
  });

  test('links to a page of the documentation', () => {
    expect(readme).toMatch(/\]\(\.\.\/\.\.\/docs\/[\w/-]+\.md\)/);
  });

  test('names every entry point of the package', () => {
    const { exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    const paths = Object.keys(exports).map((key) => key.slice(1));
    const text = sectionOf(readme, 'Entry points');
    expect(paths.filter((path) => !OWN_THREADS.includes(path) && !text.includes(`${path}\``))).toEqual([]);
  });

  test('names identifiers that its sources have', () => {
    const text = sources.map((file) => readFileSync(join(root, folder, file), 'utf8')).join('\n');
    const names = firstColumnCode(sectionOf(readme, 'Entry points')).flatMap(
      (span) => /^([A-Za-z_]\w*)(?:\(.*\)|<.*>)?$/.exec(span)?.[1] ?? [],
    );
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
  });

  test('names files and folders that exist', () => {
    const patterns = firstColumnCode(sectionOf(readme, MAP_SECTION)).filter((span) => span !== 'src');
    const directories = [join(root, folder, 'src'), join(root, folder)];
    // A subfolder may stand after its sibling: `messaging/send`, `receive`.
    const parents = patterns.map((pattern) => pattern.slice(0, pattern.lastIndexOf('/') + 1));
    const exists = (pattern: string): boolean =>
      ['', ...parents].some((parent) =>
        directories.some((directory) => globSync(parent + pattern, { cwd: directory }).length > 0),
      );
    expect(patterns.filter((pattern) => !exists(pattern))).toEqual([]);
  });
});

describe('the examples of packages', () => {
  // Below the root, where names of packages can be resolved, and not in node_modules, where Node strips no types.
  mkdirSync(join(root, '.cache'), { recursive: true });
  const directory = mkdtempSync(join(root, '.cache/readmes-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const recordingsOf = (name: string): string => join(directory, 'recordings', name);

  const examples = folders.flatMap((folder) =>
    [...readmeOf(folder).matchAll(EXAMPLE)].map(([, code = '', output = ''], index) => {
      const name = folder.slice(folder.indexOf('/') + 1);
      return { name, file: `${name}-${index}.ts`, code, output };
    }),
  );
  const exampleOf = (name: string): (typeof examples)[number] => examples.find((each) => each.name === name)!;

  function run(...args: readonly string[]): { readonly status: number | null; readonly output: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: directory,
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '', NO_COLOR: '1' },
    });
    return { status, output: stdout + stderr };
  }

  const runExample = (file: string, ...args: string[]): ReturnType<typeof run> => run(...FLAGS, file, ...args);

  function record(name: string): ReturnType<typeof run> {
    return runExample(CLI, 'record', '--recordings', recordingsOf(name), exampleOf(name).file);
  }

  let firstRecording: ReturnType<typeof run>;
  beforeAll(() => {
    for (const { file, code } of examples) writeFileSync(join(directory, file), code);
    firstRecording = record('turntable');
  });

  test('are all found: each TypeScript block is followed by its output', () => {
    const counts = folders.map((folder) => [folder, readmeOf(folder).match(/^```ts$/gm)?.length ?? 0]);
    const found = folders.map((folder) => [folder, examples.filter(({ name }) => folder.endsWith(`/${name}`)).length]);
    expect(found).toEqual(counts);
  });

  test('pass the type checker', () => {
    const settings = { composite: false, noEmit: true, declaration: false, rewriteRelativeImportExtensions: false };
    const project = { extends: join(root, 'tsconfig.base.json'), compilerOptions: settings, include: ['*.ts'] };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(project));
    const tsc = join(fileURLToPath(import.meta.resolve('typescript/package.json')), '../bin/tsc');
    expect(run(tsc, '--pretty', 'false', '-p', directory)).toEqual({ status: 0, output: '' });
  });

  test.each(examples.map(({ name, file, output }) => [name, file, output] as const))(
    '%s: prints the text of its README',
    (name, file, output) => {
      const isFirst = name === RECORDED[0];
      const result = isFirst
        ? firstRecording
        : RECORDED.includes(name)
          ? record(name)
          : runExample(file, recordingsOf(RECORDED[0]!));
      expect(result).toEqual({ status: 0, output });
      if (RECORDED.includes(name)) expect(existsSync(recordingsOf(name))).toBe(true);
    },
  );
});

test("the configurations in the extension's README use its attributes, and its commands are listed", () => {
  const readme = readmeOf('editors/vscode');
  const [, json = ''] = /^```json\n([\s\S]*?)^```$/m.exec(readme) ?? [];
  const { configurations } = JSON.parse(json) as Launch;
  const { contributes } = JSON.parse(readFileSync(join(root, 'editors/vscode/package.json'), 'utf8')) as Extension;
  const attributes = contributes.debuggers[0]!.configurationAttributes;
  for (const { type: _type, name: _name, request, ...others } of configurations)
    expect(Object.keys(attributes[request]!.properties)).toEqual(expect.arrayContaining(Object.keys(others)));
  for (const { title } of contributes.commands) expect(sectionOf(readme, 'Entry points')).toContain(title);
});
