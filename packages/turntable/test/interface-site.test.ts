import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { interfaceSite, pageAddress } from '../src/debug/interface-site.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('the site has the built files, and its root is index.html', () => {
  const builtDirectory = join(directory, 'built');
  mkdirSync(builtDirectory);
  for (const name of ['index.html', 'main.js', 'notes.txt']) writeFileSync(join(builtDirectory, name), name);
  const site = interfaceSite(pathToFileURL(`${builtDirectory}/`));
  expect([...site].map(([path, { type, body }]) => [path, type, Buffer.from(body).toString()]).toSorted()).toEqual([
    ['/', 'text/html; charset=utf-8', 'index.html'],
    ['/index.html', 'text/html; charset=utf-8', 'index.html'],
    ['/main.js', 'text/javascript; charset=utf-8', 'main.js'],
  ]);
});

test('a missing build is reported with the command that builds it', () => {
  const emptyDirectory = pathToFileURL(join(directory, 'nothing/'));
  expect(() => interfaceSite(emptyDirectory)).toThrow('run npm run build:interface');
  expect(() => interfaceSite(emptyDirectory)).toThrow(expect.objectContaining({ code: 'TT_NO_INTERFACE' }));
});

test('the secret is in the fragment of the address, which browsers do not send', () => {
  expect(pageAddress('ws://127.0.0.1:4711/0123abc')).toBe('http://127.0.0.1:4711/#0123abc');
});
