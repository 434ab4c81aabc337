import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CacheOrigin } from '../src/code/cache-directory.ts';
import { CodeCache, decodeEntry, encodeEntry, type CacheEntry } from '../src/code/code-cache.ts';
import { CodeLoader } from '../src/code/code.ts';
import { decodeVerdict, encodeVerdict, VerdictCache } from '../src/code/verdict-cache.ts';
import type { Transformer } from '../src/code/transformer-port.ts';
import { keptTransform } from '../src/code/kept-transform.ts';
import { runtimeTransform, transformer } from '../src/code/transformer.ts';
import type { RuntimeTransform } from '../src/code/runtime-code.ts';
import { program, runNative, runTransformed, type Outcome } from './running.ts';

const text = fc.string({ unit: 'binary' }).map((raw) => raw.toWellFormed());
const entries: fc.Arbitrary<CacheEntry> = fc.record({
  head: text,
  code: text,
  map: text,
  table: text,
  lowered: text,
  compiled: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
});
const origins: fc.Arbitrary<CacheOrigin> = fc.record({ about: text, source: text });
const origin: CacheOrigin = { about: 'module /a.mjs', source: 'a → b' };
const sample: CacheEntry = {
  head: '{}',
  code: 'a → b',
  map: '{"m":1}',
  table: '[]',
  lowered: '',
  compiled: Buffer.from('xyz'),
};

describe('a cache entry', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(origins, entries, (madeOf, entry) => {
        expect({ ...decodeEntry(encodeEntry(madeOf, entry), madeOf) }).toEqual(entry);
      }),
    );
  });

  it('is not found for anything else than it was made of', () => {
    const bytes = encodeEntry(origin, sample);
    fc.assert(
      fc.property(origins, (other) => {
        fc.pre(other.about !== origin.about || other.source !== origin.source);
        expect(decodeEntry(bytes, other)).toBe(undefined);
      }),
    );
    expect(decodeEntry(bytes, { ...origin, source: 'a → c' })).toBe(undefined);
    expect(decodeEntry(bytes, { ...origin, about: '' })).toBe(undefined);
  });

  it('is not found when it was cut short or damaged anywhere', () => {
    const bytes = encodeEntry(origin, sample);
    for (let at = 0; at < bytes.length; at++) {
      expect(decodeEntry(bytes.subarray(0, at), origin)).toBe(undefined);
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ 0x10;
      expect(decodeEntry(damaged, origin)).toBe(undefined);
    }
  });

  it('lives in no directory that cannot be written to, without complaint', ({ onTestFinished }) => {
    const directory = program({ file: '' }, onTestFinished);
    const cache = new CodeCache(join(directory, 'file', 'below-a-file'));
    cache.write(origin, sample);
    expect(cache.read(origin)).toBe(undefined);
  });
});

describe('a verdict in the cache', () => {
  const verdict = { names: ['a → b'], all: [] };

  it('comes back as it was written, for just its origin', ({ onTestFinished }) => {
    const directory = program({}, onTestFinished);
    const cache = new VerdictCache(directory);
    fc.assert(
      fc.property(origins, origins, fc.jsonValue(), (madeOf, other, value) => {
        fc.pre(other.about !== madeOf.about || other.source !== madeOf.source);
        cache.write(madeOf, value);
        const kept: unknown = JSON.parse(JSON.stringify(value));
        expect(cache.read(madeOf)).toEqual(kept);
        expect(decodeVerdict(encodeVerdict(madeOf, value), other)).toBe(undefined);
      }),
      { numRuns: 30 },
    );
  });

  it('is not found when it was cut short or damaged anywhere', () => {
    const bytes = encodeVerdict(origin, verdict);
    expect(decodeVerdict(bytes, origin)).toEqual(verdict);
    for (let at = 0; at < bytes.length; at++) {
      expect(decodeVerdict(bytes.subarray(0, at), origin)).toBe(undefined);
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] as number) ^ 0x10;
      expect(decodeVerdict(damaged, origin)).toBe(undefined);
    }
  });
});

describe('code that gives states back', () => {
  const source = 'exports.f = () => 1; exports.g = () => 2; exports.h = () => 3;';

  it('is transformed for what no state has asked for yet, and kept when there is time', ({ onTestFinished }) => {
    const directory = program({ 'a.cjs': source }, onTestFinished);
    const filename = join(directory, 'a.cjs');
    const asked: (readonly number[] | undefined)[] = [];
    const counting: Transformer = {
      ...transformer,
      transform: (text, options) => {
        asked.push(options.restore?.functions);
        return transformer.transform(text, options);
      },
    };
    const restored = (...functions: number[]): void => {
      const code = new CodeLoader(counting, new CodeCache(join(directory, 'cache')));
      code.loadRestoring({ filename, source, kind: 'commonjs', instance: 0 }, filename, { functions, classes: [] });
      while (code.keepSome());
    };
    restored(1);
    restored(1);
    restored(0, 1);
    restored(0);
    restored(2);
    restored(2, 0);
    expect(asked).toEqual([[1], [0, 1], [0, 1, 2]]);
  });
});

describe('code of texts that a program has made', () => {
  it('is transformed once for states that lead to them, and each time for the program', ({ onTestFinished }) => {
    const directory = program({}, onTestFinished);
    let count = 0;
    const counting: RuntimeTransform = (source, options) => {
      count++;
      return runtimeTransform(source, options);
    };
    const text = '(function anonymous(a\n) {\nreturn () => a;\n})';
    const options = { path: 'anonymous', kind: 'function', prefix: '$$', id: 'f0', lenient: true } as const;
    const made = (restore?: { functions: number[]; classes: number[] }): unknown => {
      const transform = keptTransform(counting, '1', join(directory, 'cache'));
      const { code, table, source } = transform(text, restore === undefined ? options : { ...options, restore });
      return { code, table: JSON.parse(JSON.stringify(table)) as unknown, source };
    };
    const restore = { functions: [1], classes: [] };
    const first = made(restore);
    expect(made(restore)).toEqual(first);
    expect(count).toBe(1);
    expect(made({ functions: [0], classes: [] })).not.toEqual(first);
    expect(count).toBe(2);
    made();
    made();
    expect(count).toBe(4);
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

  async function runs(
    onFinished: (clean: () => void) => void,
  ): Promise<{ directory: string; cache: string; expected: Outcome; run: () => Promise<Outcome> }> {
    const directory = program(files, onFinished);
    const cache = join(directory, 'cache');
    const run = (): Promise<Outcome> =>
      runTransformed(directory, 'main.mjs', { environment: { TURNTABLE_CACHE: cache } });
    return { directory, cache, expected: await runNative(directory, 'main.mjs'), run };
  }

  it('runs from what an earlier run has left, and leaves no temporary files', async ({ onTestFinished }) => {
    const { cache, expected, run } = await runs(onTestFinished);
    expect(await run()).toEqual(expected);
    const written = cachedFiles(cache);
    expect(written.length).toBe(2);
    const before = written.map((file) => statSync(file).mtimeMs);
    expect(await run()).toEqual(expected);
    expect(cachedFiles(cache)).toEqual(written);
    expect(readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ttc\./.test(name))).toEqual(
      [],
    );
    expect(written.map((file) => statSync(file).mtimeMs)).toEqual(before);
  });

  it('rebuilds corrupt entries', async ({ onTestFinished }) => {
    const { cache, expected, run } = await runs(onTestFinished);
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
    const { directory, run } = await runs(onTestFinished);
    await run();
    writeFileSync(join(directory, 'twice.mjs'), 'export const twice = (n) => n * 3;');
    expect((await run()).stdout).toBe('12 (n) => n * 3\n');
  });

  it('may be started many times at once', async ({ onTestFinished }) => {
    const { expected, run } = await runs(onTestFinished);
    expect(await Promise.all([run(), run(), run()])).toEqual([expected, expected, expected]);
  });

  it('works where nothing can be written', async ({ onTestFinished }) => {
    const { cache, expected, run } = await runs(onTestFinished);
    mkdirSync(cache);
    chmodSync(cache, 0o500);
    expect(await run()).toEqual(expected);
    chmodSync(cache, 0o700);
  });

  it('does not even load the transform when nothing is left to be transformed', async ({ onTestFinished }) => {
    const directory = program(
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
