// Recorded texts are parsed in the sandbox, also for a process that does not run them.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeLocationsOf } from '@turntable/loader';
import { afterAll, expect, test, vi } from 'vitest';
import { openRecordedCode, type RecordedCode } from '../../src/transform-service/recorded-code.ts';
import { MANIFEST } from '../../../recording/test/packed.ts';

vi.setConfig({ testTimeout: 60_000 });

const directory = mkdtempSync(join(tmpdir(), 'turntable-recorded-code-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const SOURCE = 'class Cart {\n  add(item) {\n    this.last = item;\n  }\n}\nfunction pay() {\n  return 1;\n}\n';

function open(isTrusted: boolean, codeCache?: string): RecordedCode {
  return openRecordedCode({ directory, manifest: MANIFEST }, isTrusted ? undefined : { codeCache });
}

test('functions and statements are those that this process finds', () => {
  using confined = open(false);
  using trusted = open(true);
  const found = [confined, trusted].map(({ transforms }) => [
    transforms.functionsOf('/p/a.mjs', SOURCE),
    probeLocationsOf('/p/a.mjs', SOURCE, '', transforms),
  ]);
  expect(found[0]).toEqual(found[1]);
  expect(found[0]?.flat()).toContainEqual(expect.objectContaining({ name: 'add', owner: 'Cart' }));
});

test('a prepared transform answers as one that the first request starts', () => {
  using code = open(false);
  code.prepare();
  expect(code.transforms.functionsOf('/p/a.mjs', SOURCE).map(({ name }) => name)).toEqual(['add', 'pay']);
  code.prepare();
  expect(code.transforms.freeNames('a + b')).toEqual(['a', 'b']);
});

test('a text that crashes the parser is an error, and later texts are parsed', () => {
  using code = open(false);
  expect(() => code.transforms.functionsOf('/p/a.mjs', '('.repeat(200_000))).toThrow(
    /^code could not be transformed, because the transform service ended: (?:SIGSEGV|exit code 139)/,
  );
  expect(code.transforms.functionsOf('/p/a.mjs', SOURCE).map(({ name }) => name)).toEqual(['add', 'pay']);
});

test('statements are cached for later sessions', async () => {
  const cache = mkdtempSync(join(directory, 'cache-'));
  using code = open(false, cache);
  probeLocationsOf('/p/a.mjs', SOURCE, '', code.transforms);
  await vi.waitUntil(
    () => readdirSync(cache, { recursive: true, encoding: 'utf8' }).some((name) => name.endsWith('.ttc')),
    {
      timeout: 30_000,
    },
  );
});
