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

describe('CHANGELOG.md', () => {
  const lines = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split('\n');
  const entries = lines.slice(lines.findIndex((line) => line.startsWith('## '))).filter((line) => line !== '');

  test('has one line of at most 120 characters for each entry', () => {
    const wrong = entries.filter((line) => !/^#{2,3} /.test(line) && !(/^- \S/.test(line) && line.length <= 120));
    expect(wrong).toEqual([]);
  });

  test('groups entries as Keep a Changelog does', () => {
    const headings = entries.filter((line) => line.startsWith('### ')).map((line) => line.slice('### '.length));
    const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
    expect(headings.filter((heading) => !known.includes(heading))).toEqual([]);
  });
});
