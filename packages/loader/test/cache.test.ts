import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CacheKey } from '../src/code/cache-directory.ts';
import { CodeCache, decodeEntry, encodeEntry, type CacheEntry } from '../src/code/code-cache.ts';
import { CodeLoader } from '../src/code/code-loader.ts';
import { decodeVerdict, encodeVerdict, VerdictDirectory } from '../src/code/verdict-cache.ts';
import type { Transformer } from '../src/code/transformer-port.ts';
import { cachedTransform } from '../src/code/cached-transform.ts';
import { runtimeTransform, transformer } from '../src/code/transformer.ts';
import type { RuntimeTransform } from '../src/code/runtime-code.ts';
import { createProgram, runNative, runTransformed, type Outcome } from './running.ts';

const unicodeText = fc.string({ unit: 'binary' }).map((raw) => raw.toWellFormed());
const cacheEntries: fc.Arbitrary<CacheEntry> = fc.record({
  head: unicodeText,
  code: unicodeText,
  map: unicodeText,
  table: unicodeText,
  lowered: unicodeText,
  compiled: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
});
const cacheOrigins: fc.Arbitrary<CacheKey> = fc.record({ context: unicodeText, source: unicodeText });
const cacheOrigin: CacheKey = { context: 'module /a.mjs', source: 'a → b' };
const sampleEntry: CacheEntry = {
  head: '{}',
  code: 'a → b',
  map: '{"m":1}',
  table: '[]',
  lowered: '',
  compiled: Buffer.from('xyz'),
};

describe('a cache entry', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(cacheOrigins, cacheEntries, (entryOrigin, entry) => {
        expect({ ...decodeEntry(encodeEntry(entryOrigin, entry), entryOrigin) }).toEqual(entry);
      }),
    );
  });

  it('is only found by its own key', () => {
    const bytes = encodeEntry(cacheOrigin, sampleEntry);
    fc.assert(
      fc.property(cacheOrigins, (otherOrigin) => {
        fc.pre(otherOrigin.context !== cacheOrigin.context || otherOrigin.source !== cacheOrigin.source);
        expect(decodeEntry(bytes, otherOrigin)).toBe(undefined);
      }),
    );
    expect(decodeEntry(bytes, { ...cacheOrigin, source: 'a → c' })).toBe(undefined);
    expect(decodeEntry(bytes, { ...cacheOrigin, context: '' })).toBe(undefined);
  });

  it('is not found when it is truncated or damaged anywhere', () => {
    const bytes = encodeEntry(cacheOrigin, sampleEntry);
    for (let offset = 0; offset < bytes.length; offset++) {
      expect(decodeEntry(bytes.subarray(0, offset), cacheOrigin)).toBe(undefined);
      const damaged = Buffer.from(bytes);
      damaged[offset] = (damaged[offset] as number) ^ 0x10;
      expect(decodeEntry(damaged, cacheOrigin)).toBe(undefined);
    }
  });

  it('is also found in a shared directory, which is not written to', ({ onTestFinished }) => {
    const root = createProgram({}, onTestFinished);
    const directories = ['own', 'shared'].map((name) => join(root, name)) as [string, string];
    const shared = new CodeCache(directories[1]);
    const own = new CodeCache(...directories);
    expect(own.read(cacheOrigin)).toBe(undefined);
    shared.write(cacheOrigin, sampleEntry);
    expect({ ...own.read(cacheOrigin) }).toEqual(sampleEntry);
    own.write(cacheOrigin, { ...sampleEntry, code: 'own' });
    expect([own, shared].map((cache) => cache.read(cacheOrigin)?.code)).toEqual(['own', sampleEntry.code]);
  });

  it('is silently not written to a read-only directory', ({ onTestFinished }) => {
    const directory = createProgram({ file: '' }, onTestFinished);
    const cache = new CodeCache(join(directory, 'file', 'below-a-file'));
    cache.write(cacheOrigin, sampleEntry);
    expect(cache.read(cacheOrigin)).toBe(undefined);
  });
});

describe('a verdict in the cache', () => {
  const verdict = { names: ['a → b'], all: [] };

  it('is read as it was written, only by its own key', ({ onTestFinished }) => {
    const directory = createProgram({}, onTestFinished);
    const cache = new VerdictDirectory(directory);
    fc.assert(
      fc.property(cacheOrigins, cacheOrigins, fc.jsonValue(), (entryOrigin, otherOrigin, value) => {
        fc.pre(otherOrigin.context !== entryOrigin.context || otherOrigin.source !== entryOrigin.source);
        cache.write(entryOrigin, value);
        const serialized: unknown = JSON.parse(JSON.stringify(value));
        expect(cache.read(entryOrigin)).toEqual(serialized);
        expect(decodeVerdict(encodeVerdict(entryOrigin, value), otherOrigin)).toBe(undefined);
      }),
      { numRuns: 30 },
    );
  });

  it('is not found when it is truncated or damaged anywhere', () => {
    const bytes = encodeVerdict(cacheOrigin, verdict);
    expect(decodeVerdict(bytes, cacheOrigin)).toEqual(verdict);
    for (let offset = 0; offset < bytes.length; offset++) {
      expect(decodeVerdict(bytes.subarray(0, offset), cacheOrigin)).toBe(undefined);
      const damaged = Buffer.from(bytes);
      damaged[offset] = (damaged[offset] as number) ^ 0x10;
      expect(decodeVerdict(damaged, cacheOrigin)).toBe(undefined);
    }
  });
});

describe('code that restores states', () => {
  const source = 'exports.f = () => 1; exports.g = () => 2; exports.h = () => 3;';

  it('is transformed on first use and cached when the thread is idle', ({ onTestFinished }) => {
    const directory = createProgram({ 'a.cjs': source }, onTestFinished);
    const filename = join(directory, 'a.cjs');
    const requestedFunctions: (readonly number[] | undefined)[] = [];
    const countingTransform: Transformer = {
      ...transformer,
      build: (request) => {
        requestedFunctions.push(request.restore?.functions);
        return transformer.build(request);
      },
    };
    const loadRestoring = (...functions: number[]): void => {
      const code = new CodeLoader(countingTransform, new CodeCache(join(directory, 'cache')));
      code.loadForRestore({ filename, source, kind: 'commonjs', instance: 0 }, filename, { functions, classes: [] });
      while (code.writeCacheSlice());
    };
    loadRestoring(1);
    loadRestoring(1);
    loadRestoring(0, 1);
    loadRestoring(0);
    loadRestoring(2);
    loadRestoring(2, 0);
    expect(requestedFunctions).toEqual([[1], [0, 1], [0, 1, 2]]);
  });
});

describe('code that a program compiles at run time', () => {
  const text = '(function anonymous(a\n) {\nreturn () => a;\n})';
  const options = { path: 'anonymous', kind: 'function', prefix: '$$', id: 'f0', lenient: true } as const;
  let count = 0;
  const countingTransform: RuntimeTransform = (source, options) => {
    count++;
    return runtimeTransform(source, options);
  };

  beforeEach(() => {
    count = 0;
  });

  it('is transformed once for states that refer to it, and each time for the program', ({ onTestFinished }) => {
    const directory = createProgram({}, onTestFinished);
    const cacheOptions = { version: '1', directory: join(directory, 'cache'), maxNewSources: 0, isReadOnly: false };
    const transformWith = (restore?: { functions: number[]; classes: number[] }): unknown => {
      const transform = cachedTransform(countingTransform, cacheOptions);
      const { code, table, source } = transform(text, restore === undefined ? options : { ...options, restore });
      return { code, table: JSON.parse(JSON.stringify(table)) as unknown, source };
    };
    const restore = { functions: [1], classes: [] };
    const firstResult = transformWith(restore);
    expect(transformWith(restore)).toEqual(firstResult);
    expect(count).toBe(1);
    expect(transformWith({ functions: [0], classes: [] })).not.toEqual(firstResult);
    expect(count).toBe(2);
    transformWith();
    transformWith();
    expect(count).toBe(4);
  });

  it('is cached for the program up to the limit', ({ onTestFinished }) => {
    const directory = join(createProgram({}, onTestFinished), 'cache');
    for (let run = 0; run < 2; run++) {
      const transform = cachedTransform(countingTransform, {
        version: '1',
        directory,
        maxNewSources: 2,
        isReadOnly: false,
      });
      for (const id of ['f0', 'f1', 'f2']) transform(text, { ...options, id });
    }
    expect(count).toBe(4);
  });

  it('is not written to a cache that the transform writes', ({ onTestFinished }) => {
    const directory = join(createProgram({}, onTestFinished), 'cache');
    const readOnly = { version: '1', directory, maxNewSources: 2, isReadOnly: true };
    cachedTransform(countingTransform, readOnly)(text, options);
    expect(existsSync(directory)).toBe(false);
    cachedTransform(countingTransform, { ...readOnly, isReadOnly: false })(text, options);
    cachedTransform(countingTransform, readOnly)(text, options);
    expect(count).toBe(2);
  });
});

function cachedFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ttc'))
    .map((name) => join(directory, name));
}

describe('a program with a cache', () => {
  const files = {
    'main.mjs':
      "import { twice } from './twice.mjs'; console.log(await twice(4), twice.toString()); if (process.argv[2]) throw new Error('x');",
    'twice.mjs': 'export async function twice(n) { await null; return n * 2; }',
  };

  async function prepareRuns(
    onFinished: (clean: () => void) => void,
  ): Promise<{ directory: string; cache: string; expected: Outcome; run: () => Promise<Outcome> }> {
    const directory = createProgram(files, onFinished);
    const cache = join(directory, 'cache');
    const run = (): Promise<Outcome> =>
      runTransformed(directory, 'main.mjs', { environment: { TURNTABLE_CACHE: cache } });
    return { directory, cache, expected: await runNative(directory, 'main.mjs'), run };
  }

  it('runs from the cache of an earlier run and leaves no temporary files', async ({ onTestFinished }) => {
    const { cache, expected, run } = await prepareRuns(onTestFinished);
    expect(await run()).toEqual(expected);
    const cacheFiles = cachedFiles(cache);
    expect(cacheFiles.length).toBe(2);
    const writeTimes = cacheFiles.map((file) => statSync(file).mtimeMs);
    expect(await run()).toEqual(expected);
    expect(cachedFiles(cache)).toEqual(cacheFiles);
    expect(readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ttc\./.test(name))).toEqual(
      [],
    );
    expect(cacheFiles.map((file) => statSync(file).mtimeMs)).toEqual(writeTimes);
  });

  it('rebuilds corrupt entries', async ({ onTestFinished }) => {
    const { cache, expected, run } = await prepareRuns(onTestFinished);
    await run();
    for (const [i, file] of cachedFiles(cache).entries())
      writeFileSync(file, i === 0 ? 'garbage' : readFileSync(file).subarray(0, 100));
    expect(await run()).toEqual(expected);
    for (const file of cachedFiles(cache)) {
      const bytes = readFileSync(file);
      expect(crc32(bytes.subarray(8))).toBe(bytes.readUInt32LE(4));
    }
  });

  it('notices that a source has changed', async ({ onTestFinished }) => {
    const { directory, run } = await prepareRuns(onTestFinished);
    await run();
    writeFileSync(join(directory, 'twice.mjs'), 'export const twice = (n) => n * 3;');
    expect((await run()).stdout).toBe('12 (n) => n * 3\n');
  });

  it('can be started many times at once', async ({ onTestFinished }) => {
    const { expected, run } = await prepareRuns(onTestFinished);
    expect(await Promise.all([run(), run(), run()])).toEqual([expected, expected, expected]);
  });

  it('works where the cache is read-only', async ({ onTestFinished }) => {
    const { cache, expected, run } = await prepareRuns(onTestFinished);
    mkdirSync(cache);
    chmodSync(cache, 0o500);
    expect(await run()).toEqual(expected);
    chmodSync(cache, 0o700);
  });

  it('does not load the transform when all code is cached', async ({ onTestFinished }) => {
    const directory = createProgram(
      {
        'main.cjs':
          'console.log(process.report.getReport().sharedObjects.some((file) => /oxc|parser/.test(file)), Object.keys(require.cache).length);',
      },
      onTestFinished,
    );
    const run = (): Promise<Outcome> =>
      runTransformed(directory, 'main.cjs', { environment: { TURNTABLE_CACHE: join(directory, 'cache') } });
    expect((await run()).stdout).toBe('true 1\n');
    expect((await run()).stdout).toBe('false 1\n');
  });
});
