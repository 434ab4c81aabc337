// The export names of native ES modules, found before the modules are loaded.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { VerdictDirectory } from '../src/code/verdict-cache.ts';
import { nativeExportNames } from '../src/modules/native-export-names.ts';

const scratchDirectory = mkdtempSync(join(tmpdir(), 'turntable-names-'));
afterAll(() => rmSync(scratchDirectory, { recursive: true, force: true }));
const writeModule = (name: string, text: string): string => {
  writeFileSync(join(scratchDirectory, name), text);
  return join(scratchDirectory, name);
};
const resolveNothing = (): undefined => undefined;
const exportNamesOf = (
  filename: string,
  cache?: Pick<VerdictDirectory, 'read' | 'write'>,
  resolve = resolveNothing as () => string | undefined,
  version = '1.2.3',
): string[] => [...nativeExportNames(filename, { cache, version, resolve })].toSorted();

it('include those of files and builtins in `export *`, except their defaults', () => {
  writeModule('below.mjs', "export const deep = 1; export default 2; export * from './all.mjs';");
  const bareFile = writeModule('bare.mjs', 'export function found() {}');
  const allFile = writeModule(
    'all.mjs',
    "export class Own {} const a = 1; export { a as 'an odd name' }; export * from './below.mjs'; export * from 'bare'; export * as path from 'path'; export * from 'node:timers/promises';",
  );
  expect(exportNamesOf(allFile, undefined, () => bareFile)).toEqual(
    [
      'Own',
      'an odd name',
      'deep',
      'found',
      'path',
      'scheduler',
      'setImmediate',
      'setInterval',
      'setTimeout',
    ].toSorted(),
  );
  expect(exportNamesOf(join(scratchDirectory, 'below.mjs'))).toContain('default');
});

it('exclude types of a TypeScript file', () => {
  const typedFile = writeModule(
    'typed.ts',
    'export interface Gone {} export type Too = 1; export const value: number = 1;',
  );
  expect(exportNamesOf(typedFile)).toContain('value');
  expect(exportNamesOf(typedFile)).not.toContain('Gone');
});

it('are read from the cache while the file is unchanged', () => {
  const cache = new VerdictDirectory(join(scratchDirectory, 'cache'));
  const written: unknown[] = [];
  const recordingCache = {
    read: cache.read.bind(cache),
    write: (...entry: Parameters<VerdictDirectory['write']>) => {
      written.push(entry[1]);
      cache.write(...entry);
    },
  };
  const keptFile = writeModule('kept.mjs', 'export const one = 1;');
  for (let i = 0; i < 3; i++) expect(exportNamesOf(keptFile, recordingCache)).toEqual(['one']);
  expect(written.length).toBe(1);
  writeModule('kept.mjs', "export const one = 1, two = 2; export * from './below.mjs';");
  for (let i = 0; i < 3; i++) expect(exportNamesOf(keptFile, recordingCache)).toContain('two');
  // The file and the two files in its `export *`.
  expect(written.length).toBe(4);
  // The same text in another file has the same cache key.
  expect(exportNamesOf(writeModule('again.mjs', 'export const one = 1;'), recordingCache)).toEqual(['one']);
  expect(written.length).toBe(4);
  // Another version does not use the entry.
  expect(exportNamesOf(join(scratchDirectory, 'again.mjs'), recordingCache, resolveNothing, '1.2.4')).toEqual(['one']);
  expect(written.length).toBe(5);
});
