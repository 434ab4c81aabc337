import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/node-release.mjs';

const patterns = ['{,docs/**/,bench/**/,test/,{packages,apps,editors}/*/}*.md', '.github/**/*.{md,yml}'];
// The documentation site copies pages and installs packages into its folder.
const pages = globSync(patterns, { cwd: root, exclude: ['docs/site/**'] }).toSorted();
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

/** The nearest index of a page: of its own folder, or of a folder above. */
function indexOf(page: string): string {
  for (let folder = dirname(page); ; folder = dirname(folder)) {
    const index = `${folder}/index.md`;
    if (index !== page && existsSync(join(root, index))) return index;
  }
}

test('the nearest documentation index lists every page', () => {
  const listed = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md');
  const missing = listed.filter((page) => {
    const index = indexOf(page);
    return !readFileSync(join(root, index), 'utf8').includes(`](${relative(dirname(index), page)})`);
  });
  expect(missing).toEqual([]);
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
