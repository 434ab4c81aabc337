// Source files: a file that is on disk as it was recorded is reported by its path, any other by the recorded text. A
// file of another checkout means the recorded file with the longest common end of its path.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { DapClient } from '../../../test/dap/dap-client.ts';
import { launchCart } from './scripted-session.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const path = (name: string): string => join(directory, name);
mkdirSync(path('a/lib'), { recursive: true });
mkdirSync(path('b/lib'), { recursive: true });
const TEXTS = new Map([
  [path('a/lib/same.ts'), 'same;\n'],
  [path('a/lib/changed.ts'), 'recorded;\n'],
  [path('a/lib/gone.ts'), 'gone;\n'],
  [path('b/lib/same.ts'), ''],
]);
writeFileSync(path('a/lib/same.ts'), 'same;\n');
writeFileSync(path('a/lib/changed.ts'), 'changed;\n');
writeFileSync(path('b/lib/same.ts'), '');

function launch(): Promise<DapClient> {
  return launchCart({ deps: { sourceFiles: () => [...TEXTS.keys()], findSource: (file) => TEXTS.get(file) } });
}

test('files are listed by path, and with a reference to the recorded text unless they are on disk as recorded', async () => {
  const client = await launch();
  expect((await client.request('loadedSources'))['sources']).toEqual([
    { name: 'same.ts', path: path('a/lib/same.ts') },
    {
      name: 'changed.ts',
      path: path('a/lib/changed.ts'),
      sourceReference: 2,
      origin: 'as recorded; the file has changed since',
    },
    { name: 'gone.ts', path: path('a/lib/gone.ts'), sourceReference: 3, origin: 'as recorded' },
    { name: 'same.ts', path: path('b/lib/same.ts') },
  ]);
});

test.each([
  [{ sourceReference: 2 }, 'recorded;\n'],
  [{ sourceReference: 4 }, ''],
  [{ source: { path: path('a/lib/changed.ts') } }, 'recorded;\n'],
  [{ source: { path: pathToFileURL(path('a/lib/gone.ts')).href }, sourceReference: 0 }, 'gone;\n'],
  [{ source: { path: path('b/lib/same.ts') } }, ''],
  [{ source: { path: '/elsewhere/changed.ts' } }, 'recorded;\n'],
  [{ source: { path: 'C:\\work\\lib\\gone.ts' } }, 'gone;\n'],
  [{ source: { path: '/elsewhere/a/lib/same.ts' } }, 'same;\n'],
  [{ source: { path: '/elsewhere/b/lib/same.ts' } }, ''],
  [{ source: { sourceReference: 3, path: path('a/lib/same.ts') } }, 'gone;\n'],
])('the text of %j is what was recorded', async (args, content) => {
  const client = await launch();
  expect(await client.request('source', args)).toEqual({ content });
});

test.each([
  [{ sourceReference: 5 }],
  [{ source: { path: '/elsewhere/lib/same.ts' } }],
  [{ source: { path: '/elsewhere/lib' } }],
  [{ source: { path: '/elsewhere/none.ts' } }],
  [{ source: { path: '' } }],
  [{ source: { sourceReference: 9, path: path('a/lib/same.ts') } }],
  [{ source: {} }],
  [{}],
])('%j means no file, or several', async (args) => {
  const client = await launch();
  await expect(client.request('source', args)).rejects.toThrow('the recording has no such file');
});

test.each([
  [1, 1, true],
  [2, 2, true],
  [3, 3, false],
])('in a file whose statements are not known, a breakpoint in line %i is set in line %i: %s', async (line, _, ok) => {
  const client = await launch();
  const source = { path: path('a/lib/gone.ts') };
  const { breakpoints } = await client.request('setBreakpoints', { source, breakpoints: [{ line, column: 2 }] });
  expect(breakpoints).toEqual([
    ok
      ? { id: 1, verified: true, line, column: 2 }
      : { id: 1, verified: false, line, column: 2, message: 'the recorded file has 2 lines' },
  ]);
  const { breakpoints: set } = await client.request('turntable/ask', { method: 'breakpoints' });
  expect(set).toHaveLength(ok ? 1 : 0);
  expect(await client.request('breakpointLocations', { source, line })).toEqual({ breakpoints: [] });
});

test('breakpoints of a source are removed when it is set again for a file that is not recorded', async () => {
  const client = await launch();
  const count = async (): Promise<number> => {
    const { breakpoints } = await client.request('turntable/ask', { method: 'breakpoints' });
    return (breakpoints as unknown as unknown[]).length;
  };
  const set = (sourceReference: number): Promise<unknown> =>
    client.request('setBreakpoints', { source: { path: '/x.ts', sourceReference }, breakpoints: [{ line: 1 }] });
  await set(2);
  expect(await count()).toBe(1);
  await set(9);
  expect(await count()).toBe(0);
});
