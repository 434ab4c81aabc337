// What native ES modules export, as whoever imports them is told before they are loaded.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { VerdictCache } from '../src/code/verdict-cache.ts';
import { nativeExportNames } from '../src/modules/native-export-names.ts';

const room = mkdtempSync(join(tmpdir(), 'turntable-names-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(room, name), text);
  return join(room, name);
};
const nowhere = (): undefined => undefined;
const namesOf = (
  filename: string,
  cache?: Pick<VerdictCache, 'read' | 'write'>,
  resolve = nowhere as () => string | undefined,
  version = '1.2.3',
): string[] => [...nativeExportNames(filename, { cache, version, resolve })].toSorted();

it('are its own, and those of files and builtins of which it exports all, but for their defaults', () => {
  file('below.mjs', "export const deep = 1; export default 2; export * from './all.mjs';");
  const bare = file('bare.mjs', 'export function found() {}');
  const all = file(
    'all.mjs',
    "export class Own {} const a = 1; export { a as 'an odd name' }; export * from './below.mjs'; export * from 'bare'; export * as path from 'path'; export * from 'node:timers/promises';",
  );
  expect(namesOf(all, undefined, () => bare)).toEqual(
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
  expect(namesOf(join(room, 'below.mjs'))).toContain('default');
});

it('are of a file of TypeScript what is left of it', () => {
  const ts = file('typed.ts', 'export interface Gone {} export type Too = 1; export const value: number = 1;');
  expect(namesOf(ts)).toContain('value');
  expect(namesOf(ts)).not.toContain('Gone');
});

it('are read from the cache, as long as the text is the same', () => {
  const cache = new VerdictCache(join(room, 'cache'));
  const written: unknown[] = [];
  const noting = {
    read: cache.read.bind(cache),
    write: (...entry: Parameters<VerdictCache['write']>) => {
      written.push(entry[1]);
      cache.write(...entry);
    },
  };
  const kept = file('kept.mjs', 'export const one = 1;');
  for (let i = 0; i < 3; i++) expect(namesOf(kept, noting)).toEqual(['one']);
  expect(written.length).toBe(1);
  file('kept.mjs', "export const one = 1, two = 2; export * from './below.mjs';");
  for (let i = 0; i < 3; i++) expect(namesOf(kept, noting)).toContain('two');
  // And the two files behind it.
  expect(written.length).toBe(4);
  // One that is as the same text says elsewhere.
  expect(namesOf(file('again.mjs', 'export const one = 1;'), noting)).toEqual(['one']);
  expect(written.length).toBe(4);
  // Another version finds its own.
  expect(namesOf(join(room, 'again.mjs'), noting, nowhere, '1.2.4')).toEqual(['one']);
  expect(written.length).toBe(5);
});
