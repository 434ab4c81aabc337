// The transform in another process: its results and errors are those of this process, and it alone decides what it
// caches. Requests are passed as text, as between processes.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it, type TestContext } from 'vitest';
import { buildKey } from '../src/code/build-key.ts';
import { CodeCache } from '../src/code/code-cache.ts';
import { localTransformService } from '../src/code/local-transform-service.ts';
import { createRemoteTransformService } from '../src/code/remote-transform-service.ts';
import { createTransformServer } from '../src/code/transform-server.ts';
import type { BuildRequest, TransformService } from '../src/code/transform-service.ts';
import { transformer } from '../src/code/transformer.ts';
import { VerdictDirectory } from '../src/code/verdict-cache.ts';
import { createProgram } from './running.ts';

const scratch = mkdtempSync(join(tmpdir(), 'turntable-transforms-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const remote = createRemoteTransformService(createTransformServer({ cache: false }));
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

const esModule: BuildRequest = { path: '/p/a.mjs', source: 'export const a = () => 1;', kind: 'module', settings: '' };
const typeScript: BuildRequest = {
  path: '/p/a.ts',
  source: 'enum E { a }\nexport class C { constructor(private x: number, y = E.a) {} }',
  kind: undefined,
  settings: transformer.settings('/p/a.ts'),
};
const commonJs: BuildRequest = {
  path: '/p/a.cjs',
  source: 'exports.f = () => 1; exports.g = () => 2;',
  kind: 'commonjs',
  settings: '',
};

describe('a remote transform service', () => {
  it.each<readonly [name: string, run: (service: TransformService) => unknown]>([
    ['an ES module', (service) => service.build(esModule)],
    ['TypeScript of an unknown kind', (service) => service.build(typeScript)],
    ['CommonJS with probes', (service) => service.build({ ...commonJs, debug: true })],
    ['code that restores', (service) => service.build({ ...commonJs, restore: { functions: [1], classes: [] } })],
    ['JavaScript of TypeScript', ({ lower }) => lower(typeScript.source, typeScript.path, typeScript.settings)],
    [
      'code of a running program',
      ({ buildRuntimeCode }) =>
        buildRuntimeCode({
          source: '(function anonymous(a\n) {\nreturn () => a++;\n})',
          options: { path: 'anonymous', kind: 'function', prefix: '$$', id: 'f0', lenient: true },
          debug: true,
        }),
    ],
    ['a console input', ({ toConsoleInput }) => toConsoleInput('let x = 1; a.b = await x', 'read')],
    ['an invalid console input', ({ toConsoleInput }) => toConsoleInput('let', 'read')],
    ['names in an expression', ({ freeNames }) => freeNames('a.b((c) => c + d)')],
    ['an expression with types', ({ toPlainExpression }) => toPlainExpression('a.#b as number', 'read')],
    ['export names', ({ exportsOf }) => exportsOf('/p/a.mjs', 'export default 1; export * from "b"; export { c };')],
  ])('gives the result of a local one: %s', (_, run) => {
    expect(plain(run(remote))).toEqual(plain(run(localTransformService)));
  });

  it.each([
    ['a syntax error', { ...esModule, source: 'a\n  b c' }],
    ['a refused statement', { ...commonJs, source: 'with (a) b;' }],
  ])('throws the error of a local one: %s', (_, request) => {
    const errorOf = (service: TransformService): unknown => {
      try {
        return service.build(request);
      } catch (error) {
        const { name, message, code, path, line, column } = error as Error & Record<string, unknown>;
        return { isSyntaxError: error instanceof SyntaxError, name, message, code, path, line, column };
      }
    };
    expect(errorOf(remote)).toEqual(errorOf(localTransformService));
    expect(errorOf(remote)).toMatchObject({
      isSyntaxError: true,
      path: request.path,
      line: expect.any(Number) as number,
    });
  });
});

describe('a transform server', () => {
  function createServer({ onTestFinished }: TestContext): {
    directory: string;
    cache: CodeCache;
    ask: (request: string) => string;
    service: TransformService;
  } {
    const directory = createProgram({}, onTestFinished);
    const ask = createTransformServer({ cache: directory });
    return { directory, cache: new CodeCache(directory), ask, service: createRemoteTransformService(ask) };
  }
  const keyOf = (request: BuildRequest): ReturnType<typeof buildKey> => buildKey(transformer.version, request);

  it('caches what it has built after the answer, with compiled code', async (context) => {
    const { service, cache } = createServer(context);
    const { code } = service.build(esModule);
    expect(cache.read(keyOf(esModule))).toBe(undefined);
    await setImmediate();
    const cached = cache.read(keyOf(esModule));
    expect(cached?.code).toBe(code);
    expect(cached?.compiled.length).toBeGreaterThan(0);
  });

  it('answers from its cache', async (context) => {
    const { service, cache } = createServer(context);
    service.build(esModule);
    await setImmediate();
    const cached = cache.read(keyOf(esModule));
    cache.write(keyOf(esModule), { ...cached, code: 'from the cache' } as NonNullable<typeof cached>);
    expect(service.build(esModule).code).toBe('from the cache');
  });

  it('caches code under no other key than that of its source', async (context) => {
    const { ask, cache } = createServer(context);
    ask(JSON.stringify({ call: 'build', args: [esModule, keyOf(commonJs)] }));
    ask(JSON.stringify({ call: 'build', args: [{ ...esModule, cacheKey: keyOf(commonJs) }] }));
    await setImmediate();
    expect(cache.read(keyOf(esModule))).toBeDefined();
    expect(cache.read(keyOf(commonJs))).toBe(undefined);
  });

  it.each([
    { ...esModule, kind: 'module debug' },
    { ...esModule, kind: 'module lenient' },
    { ...commonJs, kind: 'commonjs restored []' },
    { ...esModule, debug: 'true lenient' },
    { ...esModule, isLenient: 'true' },
    { ...esModule, path: '/p/a.mjs\n/p/b.mjs' },
  ])('refuses a form that could be taken for another one: %o', async (request) => {
    const directory = mkdtempSync(join(scratch, 'cache-'));
    const ask = createTransformServer({ cache: directory });
    expect(JSON.parse(ask(JSON.stringify({ call: 'build', args: [request] })))).toHaveProperty('failure');
    await setImmediate();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('caches the verdicts of its clients', (context) => {
    const { service, directory } = createServer(context);
    const cacheKey = { context: 'side', source: '' };
    service.cacheVerdict(cacheKey, { reason: null });
    expect(new VerdictDirectory(directory).read(cacheKey)).toEqual({ reason: null });
  });

  it.each([
    '',
    'null',
    '[]',
    '{"call":"build"}',
    '{"call":"build","args":[{}]}',
    '{"call":"build","args":[{"path":1,"source":{},"kind":"x","settings":"{"}]}',
    '{"call":"constructor","args":[]}',
    '{"call":"__proto__","args":[]}',
    '{"call":"writesCache","args":[]}',
    `{"call":"build","args":[${'['.repeat(5000)}]}`,
  ])('answers a malformed request with a failure: %s', (request) => {
    expect(JSON.parse(createTransformServer({ cache: false })(request))).toHaveProperty('failure');
  });
});
