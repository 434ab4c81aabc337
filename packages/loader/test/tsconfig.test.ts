// The settings of a tsconfig.json that affect how a program behaves. test/programs/typescript compares whole projects with
// tsc.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { typeScriptOptions } from '../src/code/tsconfig.ts';
import { type Files, type Outcome, createProgram, runTransformed } from './running.ts';

type RegisterCleanup = (clean: () => void) => void;

const PACKAGE_MANIFEST = '{"name":"program","type":"module"}';

async function runProgram(files: Files, onFinished: RegisterCleanup, environment = {}): Promise<Outcome> {
  const directory = createProgram({ 'package.json': PACKAGE_MANIFEST, ...files }, onFinished);
  return runTransformed(directory, 'main.ts', { environment });
}

/** Prints which kind of fields, decorators and metadata it was compiled with. */
const FIELDS_SOURCE = `class A { x: number; } console.log('x' in new A() ? 'defined' : 'assigned');`;
const DECORATORS_SOURCE = `import 'reflect-metadata'; const seen = (...args: any[]): any => { console.log(typeof args[1]); };
  class A { @seen m(a: string) {} } console.log(Reflect.getMetadataKeys(A.prototype, 'm').length);`;

it('emits native class fields unless the target is older or an option disables them', async ({ onTestFinished }) => {
  const outputs: string[] = [];
  for (const options of [
    '{}',
    '{"target":"es2021"}',
    '{"target":"ES2022"}',
    '{"target":"ESNext","useDefineForClassFields":false}',
  ]) {
    const files = { 'main.ts': FIELDS_SOURCE, 'tsconfig.json': `{"compilerOptions":${options}}` };
    outputs.push((await runProgram(files, onTestFinished)).stdout.trim());
  }
  expect(outputs).toEqual(['defined', 'assigned', 'defined', 'assigned']);
});

it('emits legacy decorators with metadata unless a tsconfig.json disables them', async ({ onTestFinished }) => {
  const solutionConfig = { 'tsconfig.json': '{"files":[],"references":[{"path":"./other"}]}' };
  const plainConfig = { 'tsconfig.json': '{"compilerOptions":{"experimentalDecorators":true}}' };
  expect(typeScriptOptions(join(tmpdir(), 'nowhere', 'main.ts'))).toEqual({});
  expect((await runProgram({ 'main.ts': DECORATORS_SOURCE, ...solutionConfig }, onTestFinished)).stdout).toBe(
    'string\n3\n',
  );
  expect((await runProgram({ 'main.ts': DECORATORS_SOURCE, ...plainConfig }, onTestFinished)).stdout).toBe(
    'string\n0\n',
  );
});

it('reads comments, trailing commas and extended files, also from packages', async ({ onTestFinished }) => {
  const { stdout, stderr } = await runProgram(
    {
      'main.ts': FIELDS_SOURCE,
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

it('uses the nearest tsconfig.json', async ({ onTestFinished }) => {
  const { stdout } = await runProgram(
    {
      'main.ts': "import './inner/fields.ts';",
      'tsconfig.json': '{"compilerOptions":{"target":"es2022"}}',
      'inner/tsconfig.json': '{"compilerOptions":{"target":"es2021"}}',
      'inner/fields.ts': FIELDS_SOURCE,
    },
    onTestFinished,
  );
  expect(stdout).toBe('assigned\n');
});

it('names the file that is invalid', async ({ onTestFinished }) => {
  const expectedErrors: Readonly<Record<string, RegExp>> = {
    '{"extends":"./missing"}':
      /tsconfig\.json:1\n.*\n \^\n\nLoaderError \[TT_TSCONFIG\]: "extends" names "\.\/missing", which does not exist/,
    '{"extends":"./tsconfig.json"}': /"extends" leads back to .*tsconfig\.json/,
    '{"compilerOptions":':
      /tsconfig\.json:1\n.*\n +\^\n\nLoaderError \[TT_TSCONFIG\]: this tsconfig\.json is not valid/,
  };
  for (const [text, message] of Object.entries(expectedErrors)) {
    const { code, stderr } = await runProgram({ 'main.ts': FIELDS_SOURCE, 'tsconfig.json': text }, onTestFinished);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/TT_TSCONFIG/);
  }
});

it('does not use cached code with other options', async ({ onTestFinished }) => {
  const files = { 'package.json': PACKAGE_MANIFEST, 'main.ts': FIELDS_SOURCE, 'tsconfig.json': '{}' };
  const directory = createProgram(files, onTestFinished);
  const environment = { TURNTABLE_CACHE: join(directory, 'cache') };
  expect((await runTransformed(directory, 'main.ts', { environment })).stdout).toBe('defined\n');
  writeFileSync(join(directory, 'tsconfig.json'), '{"compilerOptions":{"target":"es2015"}}');
  expect((await runTransformed(directory, 'main.ts', { environment })).stdout).toBe('assigned\n');
});

it('compiles JSX as configured', async ({ onTestFinished }) => {
  const element = 'console.log(JSON.stringify(<><Tag a={1}>x</Tag></>));';
  const outputOf = async (options: string, text: string): Promise<string> => {
    const runtimeSource = 'export const jsx = (...all) => all; export const jsxs = jsx, Fragment = "fragment";';
    const files = {
      'package.json': PACKAGE_MANIFEST,
      'main.tsx': `const Tag = 'tag'; ${text}`,
      'tsconfig.json': `{"compilerOptions":${options}}`,
      'node_modules/own/package.json': '{"name":"own","type":"module","exports":{"./jsx-runtime":"./jsx-runtime.js"}}',
      'node_modules/own/jsx-runtime.js': runtimeSource,
    };
    const { stdout, stderr } = await runTransformed(createProgram(files, onTestFinished), 'main.tsx');
    expect(stderr).toBe('');
    return stdout.trim();
  };
  const classicSource = `const h = (...all: unknown[]) => all, F = 'F'; ${element}`;
  expect(await outputOf('{"jsx":"react","jsxFactory":"h","jsxFragmentFactory":"F"}', classicSource)).toBe(
    '["F",null,["tag",{"a":1},"x"]]',
  );
  expect(await outputOf('{"jsx":"react-jsx","jsxImportSource":"own"}', element)).toBe(
    '["fragment",{"children":["tag",{"a":1,"children":"x"}]}]',
  );
});
