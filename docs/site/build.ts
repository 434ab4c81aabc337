// npm run docs [-- --serve]
// Builds the documentation as a static site in .cache/docs; with --serve, also serves it on this computer. VitePress
// resolves imports from the folder of the pages, so the pages are copied into this folder first, with their paths.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const site = import.meta.dirname;
const root = fileURLToPath(new URL('../../', import.meta.url));
const copies = join(site, 'pages');

/** Pages of the site, by their paths in the repository. */
const PAGE_PATTERNS = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'bench/RESULTS.md',
  'bench/history/*.md',
  'docs/*.md',
  'docs/guide/*.md',
  'docs/internals/**/*.md',
  'examples/*/README.md',
  'packages/*/README.md',
];
const pages = new Set(PAGE_PATTERNS.flatMap((pattern) => globSync(pattern, { cwd: root })));
const images = globSync('docs/images/*', { cwd: root });

function copyPages(): void {
  rmSync(copies, { recursive: true, force: true });
  for (const page of pages) {
    const text = readFileSync(join(root, page), 'utf8');
    const target = join(copies, page.replace(/README\.md$/, 'index.md'));
    mkdirSync(dirname(target), { recursive: true });
    const linked = outside(FENCED_CODE, text, (part) => withSiteLinks(part, page));
    writeFileSync(target, outside(CODE, linked, escapeMarkup));
  }
  for (const image of images) {
    mkdirSync(dirname(join(copies, image)), { recursive: true });
    copyFileSync(join(root, image), join(copies, image));
  }
}

const FENCED_CODE = /(^```[\s\S]*?^```)/m;
const CODE = /(^```[\s\S]*?^```|`[^`\n]*`)/m;

/** Changes the parts of a page that do not match. @param code a pattern with one group */
function outside(code: RegExp, text: string, change: (part: string) => string): string {
  return text
    .split(code)
    .map((part, i) => (i % 2 === 1 ? part : change(part)))
    .join('');
}

/** Escapes what Vue would read as expressions, or as elements other than anchors. */
function escapeMarkup(text: string): string {
  return text.replaceAll('{{', '&#123;&#123;').replaceAll(/<(?!\/?a\b)(?=\/?[A-Za-z])/g, '&lt;');
}

/** Replaces links to files that are not pages by their texts, since the site has no copy of them. */
function withSiteLinks(text: string, page: string): string {
  return text.replaceAll(/(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)/g, (link, mark, label, target, anchor = '') => {
    if (/^[a-z]+:/.test(target) || mark === '!') return link as string;
    const path = relative(root, resolve(root, dirname(page), target));
    if (pages.has(path)) return `[${label}](${(target as string).replace(/README\.md$/, 'index.md')}${anchor})`;
    const readme = join(path, 'README.md');
    if (pages.has(readme)) return `[${label}](${target}/index.md${anchor})`;
    return existsSync(join(root, path)) ? (label as string) : (link as string);
  });
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd: site, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(join(site, 'node_modules/vitepress'))) run('npm', ['ci', '--silent']);
copyPages();
const vitepress = [join(site, 'node_modules/vitepress/bin/vitepress.js')];
run(process.execPath, [...vitepress, 'build', '.']);
console.log(`The site is in ${relative(process.cwd(), join(root, '.cache/docs'))}.`);
if (process.argv.includes('--serve')) run(process.execPath, [...vitepress, 'preview', '.', '--host', '127.0.0.1']);
