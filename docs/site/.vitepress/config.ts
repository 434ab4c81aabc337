// Configuration of the documentation site. ../build.ts copies the pages of the repository to ../pages.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type DefaultTheme } from 'vitepress';

const pages = fileURLToPath(new URL('../pages', import.meta.url));

/** Languages of code blocks that show bytes. */
const HEX_LANGUAGES = ['hex', 'hex-trace', 'hex-snapshot', 'hex-packed'];

/** Order of the guide in the sidebar; other pages follow by title. */
const GUIDE_ORDER = ['getting-started', 'record', 'replay', 'debug', 'window', 'editors', 'devtools', 'production'];

function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(pages, page), 'utf8'))?.[1]?.replaceAll('`', '') ?? page;
}

function itemsIn(pattern: string, order: readonly string[] = []): DefaultTheme.SidebarItem[] {
  const rankOf = (page: string): number => {
    const rank = order.indexOf(page.split('/').at(-1)?.replace(/\.md$/, '') ?? '');
    return rank === -1 ? order.length : rank;
  };
  return globSync(pattern, { cwd: pages })
    .map((page) => ({
      text: titleOf(page),
      link: `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`,
      rank: rankOf(page),
    }))
    .toSorted((a, b) => a.rank - b.rank || a.text.localeCompare(b.text))
    .map(({ text, link }) => ({ text, link }));
}

export default defineConfig({
  title: 'Turntable',
  description: 'Records Node.js programs, replays them exactly and steps backwards through them',
  srcDir: 'pages',
  outDir: '../../.cache/docs',
  cacheDir: '../../.cache/docs-build',
  cleanUrls: true,
  lastUpdated: false,
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  // The label of a code block is too pale by default.
  head: [['style', {}, ':root { --vp-code-lang-color: var(--vp-c-text-2) }']],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languages: ['log'],
    languageAlias: Object.fromEntries(HEX_LANGUAGES.map((name) => [name, 'log'])),
  },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/docs/guide/getting-started' },
      { text: 'Architecture', link: '/ARCHITECTURE' },
      { text: 'Results', link: '/bench/RESULTS' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: [
      { text: 'Guide', items: itemsIn('docs/guide/*.md', GUIDE_ORDER) },
      { text: 'Reference', items: itemsIn('docs/*.md') },
      { text: 'Examples', items: itemsIn('examples/*/*.md'), collapsed: true },
      { text: 'Internals', items: itemsIn('docs/internals/*.md'), collapsed: true },
      { text: 'Decisions', items: itemsIn('docs/internals/decisions/*.md'), collapsed: true },
      { text: 'Packages', items: itemsIn('packages/*/*.md'), collapsed: true },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
  },
});
