// How files of modules are read: their format, their package, their recorded versions, and lines for errors.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { builtinEntry, builtinUseOf, isHostBuiltin, isHostMember } from '../src/classification/builtins.ts';
import { codeHash, createRecordedSource, createRecordedSources, TOOL_OUTPUT } from '../src/code/recorded-sources.ts';
import { readBytesSync, writeBytesSync } from '../src/files.ts';
import { commonJsNames } from '../src/node/commonjs-names.ts';
import { detectFormat, formatOf, isTypeScript } from '../src/node/file-format.ts';
import { installedPackage, packageScope } from '../src/node/package-scope.ts';
import { captureTick, warningEmitter } from '../src/realm/captured-tick.ts';
import { exceptionLine, noteRethrown } from '../src/stacks/exception-line.ts';
import { createProgram, type Files } from './running.ts';

describe('the format of a file', () => {
  it('is that of its extension, or of its package', ({ onTestFinished }) => {
    const directory = createProgram(
      {
        'module/package.json': '{"type":"module"}',
        'commonjs/package.json': '{"type":"commonjs"}',
        'other/package.json': '{"type":"other"}',
        'other/node_modules/a/x.js': '',
        'broken/package.json': '{',
        'list/package.json': '5',
      },
      onTestFinished,
    );
    const format = (name: string): unknown => {
      const found = formatOf(join(directory, name));
      return found === undefined ? undefined : `${found.format}${found.isTypeScript ? ' in TypeScript' : ''}`;
    };
    const formats: Readonly<Record<string, string | undefined>> = {
      'a.mjs': 'module',
      'a.cjs': 'commonjs',
      'a.mts': 'module in TypeScript',
      'a.cts': 'commonjs in TypeScript',
      'a.json': 'json',
      'a.node': 'addon',
      'a.wasm': 'wasm',
      'a.txt': 'other',
      'a.mjs.txt': 'other',
      'module/a.js': 'module',
      'module/a.jsx': 'module',
      'module/a': 'module',
      'module/a.ts': 'module in TypeScript',
      'module/a.tsx': 'module in TypeScript',
      'module/deep/er/a.js': 'module',
      'commonjs/a.js': 'commonjs',
      'commonjs/a.ts': 'commonjs in TypeScript',
      'other/a.js': undefined,
      'other/node_modules/a/x.js': undefined,
      'broken/a.js': undefined,
      'list/a.js': undefined,
      'a.js': undefined,
      'a.ts': undefined,
    };
    expect(Object.fromEntries(Object.keys(formats).map((name) => [name, format(name)]))).toEqual(formats);
    expect(['a.ts', 'a.mts', 'a.cts', 'a.tsx', 'a.js', 'a.d', 'ts'].map(isTypeScript)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ['const a = require("a");', 'commonjs'],
    ['import a from "a";', 'module'],
    ['export const a = 1;', 'module'],
    ['import.meta.url;', 'module'],
    ['import("a");', 'commonjs'],
    ['await 1;', 'module'],
    ['const require = 1;', 'module'],
    ['var require = 1;', 'commonjs'],
    ['const require = 1; await 2;', 'module'],
    ['let module = await 1;', 'module'],
    ['class exports {}', 'module'],
    ['class other {}', 'commonjs'],
    ['const __filename = 1, __dirname = await 2;', 'module'],
    ['const a = 1; const a = 2; await 3;', 'commonjs'],
    ['export syntax error here', 'module'],
    ['await await;', 'commonjs'],
    ['"import is only a word"', 'commonjs'],
    ['return await;', 'commonjs'],
    ['\\u0061wait 1;', 'commonjs'],
  ])('of %j is found by its syntax: %s', (source, format) => {
    expect(detectFormat(source)).toBe(format);
  });
});

describe('the package of a file', () => {
  it('is the nearest manifest, up to node_modules', ({ onTestFinished }) => {
    const files: Files = {
      'package.json': '{"name":"program","version":"1.0.0","type":"module","x":1}',
      'a/b/c.js': '',
      'n/package.json': 'null',
      'node_modules/without/x.js': '',
      'node_modules/with/package.json': '{"name":5,"type":"other"}',
    };
    const directory = createProgram(files, onTestFinished);
    const scope = packageScope(join(directory, 'a/b/c.js'));
    expect(scope).toEqual({
      directory,
      file: join(directory, 'package.json'),
      name: 'program',
      version: '1.0.0',
      type: 'module',
      fields: { name: 'program', version: '1.0.0', type: 'module', x: 1 },
    });
    expect(packageScope(join(directory, 'a/b/d.js'))).toBe(scope);
    expect(packageScope(join(directory, 'n/x.js'))).toBe(scope);
    expect(packageScope(join(directory, 'node_modules/without/x.js'))).toBeUndefined();
    expect(packageScope(join(directory, 'node_modules/without/x.js'))).toBeUndefined();
    expect(packageScope(join(directory, 'node_modules/with/x.js'))).toMatchObject({
      name: undefined,
      version: undefined,
      type: undefined,
    });
  });

  it.each([
    ['/a/node_modules/b/c.js', '/a/node_modules/b', 'b'],
    ['/a/node_modules/@s/b/c/d.js', '/a/node_modules/@s/b', '@s/b'],
    ['/a/node_modules/b/node_modules/c/d.js', '/a/node_modules/b/node_modules/c', 'c'],
    ['C:\\a\\node_modules\\b\\c.js', 'C:\\a\\node_modules\\b', 'b'],
  ])('that is installed as %s has directory and name', (file, directory, name) => {
    expect(installedPackage(file)).toEqual({ directory, name });
  });

  it.each([
    '/a/b.js',
    '/a/node_modules/b.js',
    '/a/node_modules/@s/b.js',
    '/a/node_modules/@s',
    '/node_modules_b/c/d.js',
  ])('is not installed: %s', (file) => {
    expect(installedPackage(file)).toBeUndefined();
  });
});

describe('the names that a CommonJS file exports', () => {
  const namesOf = (files: Files, onTestFinished: (clean: () => void) => void): { names: string[]; read: string[] } => {
    const directory = createProgram(files, onTestFinished);
    const read: string[] = [];
    const names = commonJsNames(files['main.cjs'] as string, join(directory, 'main.cjs'), (filename) => {
      read.push(filename.slice(directory.length + 1));
      if (filename.endsWith('unreadable.cjs')) throw new Error('unreadable');
      return files[filename.slice(directory.length + 1)] as string;
    });
    return { names: [...names].toSorted(), read: read.toSorted() };
  };

  it('include those of re-exported files, each read once', ({ onTestFinished }) => {
    expect(
      namesOf(
        {
          'main.cjs':
            "exports.a = 1; __exportStar(require('./b.cjs'), exports); __exportStar(require('./c.cjs')); __exportStar(require('./b.cjs'));",
          'b.cjs': "exports.b = 2; module.exports.bb = 3; __exportStar(require('./main.cjs'));",
          'c.cjs': "exports.c = 4; __exportStar(require('./d.cjs'));",
          'd.cjs': 'exports.d = 5;',
        },
        onTestFinished,
      ),
    ).toEqual({ names: ['a', 'b', 'bb', 'c', 'd'], read: ['b.cjs', 'c.cjs', 'd.cjs'] });
  });

  it('are those that can be found', ({ onTestFinished }) => {
    const stars = [
      './gone.cjs',
      'node:fs',
      './data.json',
      './module.mjs',
      './unreadable.cjs',
      './broken.cjs',
      './last.cjs',
    ];
    expect(
      namesOf(
        {
          'main.cjs': `exports.a = 1; ${stars.map((name) => `__exportStar(require('${name}'));`).join(' ')}`,
          'data.json': '{}',
          'module.mjs': 'export const no = 1;',
          'unreadable.cjs': '',
          'broken.cjs': 'import a from `',
          'last.cjs': 'exports.last = 1;',
        },
        onTestFinished,
      ),
    ).toEqual({ names: ['a', 'last'], read: ['broken.cjs', 'last.cjs', 'unreadable.cjs'] });
  });
});

describe('recorded sources', () => {
  const [first, second, output, laterOutput] = [
    createRecordedSource('1', 'settings'),
    createRecordedSource('2', 'other settings'),
    createRecordedSource('made', TOOL_OUTPUT),
    createRecordedSource('made later', TOOL_OUTPUT),
  ];
  const sources = createRecordedSources(
    new Map([
      ['a.js', [first, output, second, laterOutput]],
      ['b.js', [output]],
    ]),
  );

  it('are chosen by their hash, or are the last ones', () => {
    expect([
      sources.sourceOf('a.js', first.hash),
      sources.sourceOf('a.js', second.hash),
      sources.sourceOf('a.js', 'none'),
      sources.sourceOf('a.js'),
    ]).toEqual(['1', '2', '2', '2']);
    expect([
      sources.toolOutputOf('a.js', output.hash),
      sources.toolOutputOf('a.js'),
      sources.toolOutputOf('b.js'),
    ]).toEqual(['made', 'made later', 'made']);
    expect([sources.sourceOf('b.js'), sources.sourceOf('c.js'), sources.toolOutputOf('c.js')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([sources.settingsOf('a.js'), sources.settingsOf('b.js'), sources.settingsOf('c.js')]).toEqual([
      'other settings',
      undefined,
      undefined,
    ]);
  });

  it('are known by file and hash', () => {
    expect(['a.js', 'b.js', 'c.js'].map((name) => sources.has(name))).toEqual([true, true, false]);
    expect([
      sources.hasHash('a.js', first.hash),
      sources.hasHash('a.js', output.hash),
      sources.hasHash('c.js', first.hash),
    ]).toEqual([true, false, false]);
  });

  it('have a hash of source and settings', () => {
    const hashes = [codeHash('a', 'b'), codeHash('b', 'a'), codeHash('ab', ''), codeHash('a', 'c'), codeHash('', 'ab')];
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(createRecordedSource('b', 'a')).toEqual({ source: 'b', settings: 'a', hash: hashes[0] });
  });
});

describe('an error that the membrane rethrows', () => {
  it('has the line of the program, with a caret', ({ onTestFinished }) => {
    const directory = createProgram({ 'a.js': "one();\n\tif (x)  throw new Error('a');\nlast(b);" }, onTestFinished);
    const file = join(directory, 'a.js');
    const lineOf = (error: Error, stack: string): string | undefined => {
      noteRethrown(error);
      error.stack = stack;
      return exceptionLine(error);
    };
    const throwText = `:2\n\tif (x)  throw new Error('a');\n\t        ^\n\n`;
    expect(lineOf(new Error('a'), `Error: a\n    at f (${file}:2:16)\n    at g (/none.js:1:1)`)).toBe(
      `${file}${throwText}`,
    );
    const url = pathToFileURL(file).href;
    expect(lineOf(new Error('a'), `Error: a\n    at ${url}:2:16`)).toBe(`${url}${throwText}`);
    expect(lineOf(new Error('a'), `Error: a\n    at async ${file}:3:6`)).toBeUndefined();
    expect(lineOf(new Error('a'), `Error: a\n    at ${file}:3:6`)).toBe(`${file}:3\nlast(b);\n     ^\n\n`);
    expect(lineOf(new Error('a'), `Error: a\n    at node:internal/x:3:6`)).toBeUndefined();
    expect(lineOf(new Error('a'), `Error: a\n    at ${file}:9:1`)).toBeUndefined();
    expect(lineOf(new Error('a'), `Error: a\n    at /does/not/exist.js:1:1`)).toBeUndefined();
  });

  it('is only the last one', ({ onTestFinished }) => {
    const file = join(createProgram({ 'a.js': 'x' }, onTestFinished), 'a.js');
    const [one, other] = [new Error('one'), new Error('other')];
    for (const error of [one, other]) error.stack = `Error\n    at ${file}:1:1`;
    noteRethrown(one);
    expect([exceptionLine(other), exceptionLine(one)]).toEqual([undefined, `${file}:1\nx\n^\n\n`]);
    noteRethrown('no error');
    expect(exceptionLine(one)).toBeDefined();
    noteRethrown(other);
    expect([exceptionLine(one), exceptionLine('no error')]).toEqual([undefined, undefined]);
  });
});

describe('a builtin', () => {
  it('has a class by the strongest of its members', () => {
    const entry = { class: 'device', reason: '', members: { pure: 'pure', leaf: 'leaf', device: 'device' } } as never;
    expect(
      [
        undefined,
        [],
        ['pure'],
        ['leaf'],
        ['pure', 'leaf'],
        ['leaf', 'pure'],
        ['device', 'pure'],
        ['pure', 'other'],
        ['toString'],
      ].map((members) => builtinUseOf(entry, members)),
    ).toEqual(['device', 'device', 'pure', 'leaf', 'leaf', 'leaf', 'device', 'device', 'device']);
    expect(builtinUseOf({ class: 'pure', reason: '' } as never, ['any'])).toBe('pure');
  });

  it('is known with and without its prefix', () => {
    expect(builtinEntry('node:fs')).toBe(builtinEntry('fs'));
    expect([builtinEntry('toString'), builtinEntry('fs/none'), builtinEntry('node:')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has members on both sides of the membrane', () => {
    expect(['fs', 'net', 'path', 'async_hooks', 'vm', 'buffer', 'unknown', 'util'].map(isHostBuiltin)).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
      true,
      false,
    ]);
    const sides: readonly (readonly [builtin: string, member: string, isHost: boolean])[] = [
      ['fs', 'readFile', true],
      ['net', 'connect', true],
      ['net', 'isIP', false],
      ['buffer', 'Blob', true],
      ['buffer', 'Buffer', false],
      ['stream', 'Readable', true],
      ['vm', 'runInContext', false],
      ['zlib', 'gzip', true],
      ['zlib', 'gzipSync', false],
      ['tty', 'isatty', true],
      ['path', 'join', false],
      ['unknown', 'any', true],
    ];
    for (const [builtin, member, isHost] of sides)
      expect(isHostMember(builtin, member), `${builtin}.${member}`).toBe(isHost);
  });
});

it('a tick is captured without being queued', async () => {
  const { nextTick } = process;
  const callback = (): void => {
    throw new Error('called');
  };
  expect(captureTick(() => process.nextTick(callback, 1))).toEqual([callback, 1]);
  expect(
    captureTick(() => {
      process.nextTick(callback, 1);
      process.nextTick(callback, 2);
    }),
  ).toEqual([callback, 1]);
  expect(captureTick(() => undefined)).toBeUndefined();
  expect(() =>
    captureTick(() => {
      throw new RangeError('x');
    }),
  ).toThrow('x');
  expect(process.nextTick).toBe(nextTick);
  expect(warningEmitter()).toBeTypeOf('function');
  expect(warningEmitter()).toBe(warningEmitter());
  await new Promise((resolve) => process.nextTick(resolve));
});

it('bytes are written and read whole', ({ onTestFinished }) => {
  const file = join(createProgram({}, onTestFinished), 'a', 'b');
  mkdirSync(dirname(file));
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
  writeBytesSync(file, bytes);
  expect(new Uint8Array(readBytesSync(file))).toEqual(bytes);
  writeBytesSync(file, bytes.subarray(0, 3));
  expect([...readBytesSync(file)]).toEqual([0, 1, 2]);
  writeFileSync(file, '');
  expect(readBytesSync(file).length).toBe(0);
  expect(() => readBytesSync(join(file, 'none'))).toThrow('ENOTDIR');
});
