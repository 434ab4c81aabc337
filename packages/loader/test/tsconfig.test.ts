// What of a tsconfig.json decides how a program behaves. test/programs/typescript compares whole projects with tsc.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { typeScriptOptions } from '../src/code/tsconfig.ts';
import { type Files, type Outcome, program, runTransformed } from './running.ts';

type Finished = (clean: () => void) => void;

const PACKAGE = '{"name":"program","type":"module"}';

async function run(files: Files, onFinished: Finished, environment = {}): Promise<Outcome> {
  const directory = program({ 'package.json': PACKAGE, ...files }, onFinished);
  return runTransformed(directory, 'main.ts', { environment });
}

/** Says which kind of fields, decorators and metadata it was compiled with. */
const FIELDS = `class A { x: number; } console.log('x' in new A() ? 'defined' : 'assigned');`;
const DECORATED = `import 'reflect-metadata'; const seen = (...args: any[]): any => { console.log(typeof args[1]); };
  class A { @seen m(a: string) {} } console.log(Reflect.getMetadataKeys(A.prototype, 'm').length);`;

it('fields are those of the language unless the target is older or the option says so', async ({ onTestFinished }) => {
  const found: string[] = [];
  for (const options of [
    '{}',
    '{"target":"es2021"}',
    '{"target":"ES2022"}',
    '{"target":"ESNext","useDefineForClassFields":false}',
  ]) {
    const files = { 'main.ts': FIELDS, 'tsconfig.json': `{"compilerOptions":${options}}` };
    found.push((await run(files, onTestFinished)).stdout.trim());
  }
  expect(found).toEqual(['defined', 'assigned', 'defined', 'assigned']);
});

it('decorators are legacy ones with metadata where no tsconfig.json says otherwise', async ({ onTestFinished }) => {
  const solution = { 'tsconfig.json': '{"files":[],"references":[{"path":"./other"}]}' };
  const plain = { 'tsconfig.json': '{"compilerOptions":{"experimentalDecorators":true}}' };
  expect(typeScriptOptions(join(tmpdir(), 'nowhere', 'main.ts'))).toEqual({});
  expect((await run({ 'main.ts': DECORATED, ...solution }, onTestFinished)).stdout).toBe('string\n3\n');
  expect((await run({ 'main.ts': DECORATED, ...plain }, onTestFinished)).stdout).toBe('string\n0\n');
});

it('reads comments, trailing commas and what is extended, from packages too', async ({ onTestFinished }) => {
  const { stdout, stderr } = await run(
    {
      'main.ts': FIELDS,
      'tsconfig.json':
        '\uFEFF{ // "a comment"\n "extends": ["base", "./more"], /* another, */ "compilerOptions": { "baseUrl": "http://x", }, }',
      'more.json': '{"extends":"@scope/base/strict.json"}',
      'node_modules/base/package.json': '{"name":"base","tsconfig":"own.json"}',
      'node_modules/base/own.json': '{"compilerOptions":{"target":"es2022"}}',
      'node_modules/@scope/base/strict.json': '{"compilerOptions":{"target":"es2020"}}',
    },
    onTestFinished,
  );
  expect(stderr).toBe('');
  expect(stdout).toBe('assigned\n');
});

it('the nearest one counts', async ({ onTestFinished }) => {
  const { stdout } = await run(
    {
      'main.ts': "import './inner/fields.ts';",
      'tsconfig.json': '{"compilerOptions":{"target":"es2022"}}',
      'inner/tsconfig.json': '{"compilerOptions":{"target":"es2021"}}',
      'inner/fields.ts': FIELDS,
    },
    onTestFinished,
  );
  expect(stdout).toBe('assigned\n');
});

it('names the file that cannot be read', async ({ onTestFinished }) => {
  const broken: Readonly<Record<string, RegExp>> = {
    '{"extends":"./missing"}':
      /tsconfig\.json:1\n.*\n \^\n\nLoaderError \[TT_TSCONFIG\]: "extends" names "\.\/missing", which is not there/,
    '{"extends":"./tsconfig.json"}': /"extends" leads back to .*tsconfig\.json/,
    '{"compilerOptions":':
      /tsconfig\.json:1\n.*\n +\^\n\nLoaderError \[TT_TSCONFIG\]: this tsconfig\.json is not valid/,
  };
  for (const [text, message] of Object.entries(broken)) {
    const { code, stderr } = await run({ 'main.ts': FIELDS, 'tsconfig.json': text }, onTestFinished);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/TT_TSCONFIG/);
  }
});

it('code in the cache is not used under other options', async ({ onTestFinished }) => {
  const files = { 'package.json': PACKAGE, 'main.ts': FIELDS, 'tsconfig.json': '{}' };
  const directory = program(files, onTestFinished);
  const environment = { TURNTABLE_CACHE: join(directory, 'cache') };
  expect((await runTransformed(directory, 'main.ts', { environment })).stdout).toBe('defined\n');
  writeFileSync(join(directory, 'tsconfig.json'), '{"compilerOptions":{"target":"es2015"}}');
  expect((await runTransformed(directory, 'main.ts', { environment })).stdout).toBe('assigned\n');
});

it('makes of JSX what is asked for', async ({ onTestFinished }) => {
  const element = 'console.log(JSON.stringify(<><Tag a={1}>x</Tag></>));';
  const compiled = async (options: string, text: string): Promise<string> => {
    const runtime = 'export const jsx = (...all) => all; export const jsxs = jsx, Fragment = "fragment";';
    const files = {
      'package.json': PACKAGE,
      'main.tsx': `const Tag = 'tag'; ${text}`,
      'tsconfig.json': `{"compilerOptions":${options}}`,
      'node_modules/own/package.json': '{"name":"own","type":"module","exports":{"./jsx-runtime":"./jsx-runtime.js"}}',
      'node_modules/own/jsx-runtime.js': runtime,
    };
    const { stdout, stderr } = await runTransformed(program(files, onTestFinished), 'main.tsx');
    expect(stderr).toBe('');
    return stdout.trim();
  };
  const classic = `const h = (...all: unknown[]) => all, F = 'F'; ${element}`;
  expect(await compiled('{"jsx":"react","jsxFactory":"h","jsxFragmentFactory":"F"}', classic)).toBe(
    '["F",null,["tag",{"a":1},"x"]]',
  );
  expect(await compiled('{"jsx":"react-jsx","jsxImportSource":"own"}', element)).toBe(
    '["fragment",{"children":["tag",{"a":1,"children":"x"}]}]',
  );
});
