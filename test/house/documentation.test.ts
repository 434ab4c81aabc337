import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/node-release.mjs';

const patterns = ['{,docs/**/,bench/**/,test/,{packages,apps,editors}/*/}*.md', '.github/**/*.{md,yml}'];
const pages = globSync(patterns, { cwd: root }).toSorted();
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  test('links to files that exist', () => {
    const prose = text.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, '');
    const targets = [...prose.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] as string);
    expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
  });

  test('names only npm scripts that exist', () => {
    // A name in capitals is a placeholder (`npm run bench:NAME`), and so is an expression (`npm run test:${{ … }}`).
    const names = [...text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map((match) => match[1] as string);
    const known = (name: string) =>
      name in scripts ||
      (/[A-Z]|:$/.test(name) && Object.keys(scripts).some((each) => each.startsWith(name.replace(/[A-Z]+$/, ''))));
    expect(names.filter((name) => !known(name))).toEqual([]);
  });
});

test('the documentation index lists every page', () => {
  const index = readFileSync(join(root, 'docs/index.md'), 'utf8');
  const missing = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md');
  expect(missing.filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
});
