// Source maps of TypeScript files, as clients get them, read by Node's own decoder.
import { SourceMap } from 'node:module';
import { expect, test } from 'vitest';
import { debugCart } from './scripted-session.ts';

const LINES = [
  'interface Line { readonly ñame: string }',
  '',
  "  const total = lines.map(({ count }) => count).join('…'); // of all",
  `const long = "${'x '.repeat(600)}"; done();`,
];
const TYPESCRIPT = ['/p/a.ts', '/p/a.tsx', '/p/a.mts', '/p/a.cts'];
const OTHERS = ['/p/a.js', '/p/a.mjs', '/p/ts', 'node:fs', '/p/a.ts.js'];

/** The source maps of files with the text of `LINES`, by their URLs. */
async function mapsOf(files: readonly string[]): Promise<Map<string, SourceMap | undefined>> {
  const client = await debugCart({ deps: { sourceFiles: () => files, findSource: () => LINES.join('\n') } });
  const scripts = client.log.received
    .filter(({ method }) => method === 'Debugger.scriptParsed')
    .map(({ params }) => params as { readonly url: string; readonly sourceMapURL?: string });
  return new Map(
    scripts.slice(1).map(({ url, sourceMapURL: map }) => [url, map === undefined ? undefined : decode(map)]),
  );
}

function decode(url: string): SourceMap {
  const text = Buffer.from(url.split('base64,')[1] ?? '', 'base64').toString();
  return new SourceMap(JSON.parse(text) as ConstructorParameters<typeof SourceMap>[0]);
}

test('each word and each other character of a TypeScript file is mapped to itself', async () => {
  const url = 'file:///p/a.ts';
  const map = (await mapsOf(['/p/a.ts'])).get(url);
  expect(map?.payload).toMatchObject({ sources: [url], sourcesContent: [LINES.join('\n')] });
  let count = 0;
  for (const [line, text] of LINES.entries())
    for (const { index } of text.matchAll(/[\wñ]+|[^\s\wñ]/g)) {
      count++;
      expect(map?.findEntry(line, index)).toMatchObject({
        generatedLine: line,
        generatedColumn: index,
        originalSource: url,
        originalLine: line,
        originalColumn: index,
      });
    }
  expect(count).toBeGreaterThan(600);
});

test('only TypeScript files have maps: DevTools shows others in their language', async () => {
  const maps = [...(await mapsOf([...TYPESCRIPT, ...OTHERS])).values()];
  expect(maps.map((each) => each !== undefined)).toEqual([...TYPESCRIPT.map(() => true), ...OTHERS.map(() => false)]);
});
