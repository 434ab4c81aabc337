// Checks the names, comments and texts of the sources, and the prose of Markdown pages, against the words that the
// project has retired (glossary/retired.ts), and prints each use with its line and what to write instead.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { ALLOWED, RETIRED_NAMES, RETIRED_PHRASES, RETIRED_WORDS } from './glossary/retired.ts';
import { root } from './node-release.mjs';

const HELP = `glossary-check [--json] [FILE…]

  Checks file names, identifiers, comments and string literals (titles of tests
  among them) of the workspace, or of FILEs, against scripts/glossary/retired.ts;
  of Markdown pages, the text outside of code.

  Exit code: 0 nothing retired, 1 retired words or phrases, 2 usage error.`;

export interface Finding {
  readonly file: string;
  /** 0 for the name of the file. */
  readonly line: number;
  /** The identifier or file name, or the line of a comment or text. */
  readonly text: string;
  readonly retired: string;
  readonly instead: string;
}

/** Files that people do not write or read: input of tests, expected output, generated files; and the list itself. */
const EXCLUDED =
  /(?:^|\/)(?:fixtures|golden|node_modules|dist|bundled)\/|^test\/programs\/|^test\/conformance\/cases\/|^bench\/(?:prototype|results|history)\/|^scripts\/glossary\//;
const CODE = /^```[\s\S]*?^```|`[^`\n]*`/gm;

/** The words of `parseHTTPMessage`, `MAX_BYTES` or `task-lines`, in lower case. */
export function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{Ll}\d]+/u)
    .filter((word) => word !== '');
}

interface Retired {
  readonly retired: string;
  readonly instead: string;
}

/** The retired part of an identifier or file name. */
export function retiredInName(name: string): Retired | undefined {
  const whole = RETIRED_NAMES.get(name);
  if (whole !== undefined) return { retired: name, instead: whole };
  for (const word of wordsOf(name)) {
    const instead = RETIRED_WORDS.get(word);
    if (instead !== undefined) return { retired: word, instead };
  }
  return undefined;
}

/** The retired phrases of one line of a comment or text. */
export function retiredInLine(line: string): Retired[] {
  return RETIRED_PHRASES.flatMap(([phrase, instead]) =>
    Array.from(line.matchAll(phrase), ([retired]) => ({ retired, instead })),
  );
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
}
interface Identifier extends SyntaxNode {
  readonly name: string;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as SyntaxNode).type === 'string';

/** All nodes of a tree, in source order. */
function* nodesOf(node: SyntaxNode): Generator<SyntaxNode> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* nodesOf(child);
  }
}

/** The string literal, part of a template, or JSX text that a node is. */
function textOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Literal': {
      const { value } = node as SyntaxNode & { readonly value: unknown };
      return typeof value === 'string' ? value : undefined;
    }
    case 'TemplateElement':
      return (node as SyntaxNode & { readonly value: { readonly raw: string } }).value.raw;
    case 'JSXText':
      return (node as SyntaxNode & { readonly value: string }).value;
    default:
      return undefined;
  }
}

/** Everything retired in the prose of a Markdown page. */
function findingsInPage(file: string, page: string): Finding[] {
  const prose = page.replaceAll(CODE, (code) => code.replaceAll(/[^\n]/g, ' '));
  return prose.split('\n').flatMap((line, i) =>
    retiredInLine(line)
      .filter(({ retired }) => !isAllowed(file, retired))
      .map((found) => ({ file, line: i + 1, text: line.trim(), ...found })),
  );
}

function isAllowed(file: string, retired: string): boolean {
  return ALLOWED.some((each) => each.retired === retired && each.files.test(file));
}

/** Everything retired in one file: in its name, identifiers, comments and texts. */
export function findingsIn(file: string, source: string): Finding[] {
  if (file.endsWith('.md')) return findingsInPage(file, source);
  const findings = new Map<string, Finding>();
  const add = (line: number, text: string, { retired, instead }: Retired): void => {
    if (isAllowed(file, retired)) return;
    findings.set(`${line} ${retired}`, { file, line, text, retired, instead });
  };
  const checkName = (line: number, name: string): void => {
    const found = retiredInName(name);
    if (found !== undefined) add(line, name, found);
  };
  const checkText = (firstLine: number, text: string): void => {
    for (const [i, line] of text.split('\n').entries()) {
      for (const found of retiredInLine(line)) add(firstLine + i, line.trim(), found);
    }
  };

  const lineStarts = [0, ...Array.from(source.matchAll(/\n/g), ({ index }) => index + 1)];
  const lineAt = (offset: number): number => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const { program, comments } = parseSync(file, source);
  checkName(0, basename(file).replace(/\..*$/, ''));
  for (const { start, value } of comments) checkText(lineAt(start), value);
  for (const node of nodesOf(program)) {
    if (/^(?:JSX|Private)?Identifier$/.test(node.type)) checkName(lineAt(node.start), (node as Identifier).name);
    const text = textOf(node);
    if (text !== undefined) checkText(lineAt(node.start), text);
  }
  return [...findings.values()];
}

/** Sources and Markdown pages tracked by git, except excluded ones. */
export function checkedFiles(): string[] {
  const patterns = ['*.ts', '*.tsx', '*.mts', '*.mjs', '*.md'];
  const listed = execFileSync('git', ['ls-files', ...patterns], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((file) => file !== '' && !EXCLUDED.test(file));
}

function main(): void {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'boolean' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (values.help === true) return void console.log(HELP);
  const files = positionals.length > 0 ? positionals : checkedFiles();
  const findings = files.flatMap((file) => findingsIn(file, readFileSync(join(root, file), 'utf8')));
  process.exitCode = findings.length > 0 ? 1 : 0;
  if (values.json === true) return void console.log(JSON.stringify(findings));
  for (const { file, line, text, retired, instead } of findings) {
    console.log(
      `${file}${line === 0 ? '' : `:${line}`}: "${retired}" is retired, use ${instead}: ${text.slice(0, 100)}`,
    );
  }
  console.log(`${findings.length} retired words and phrases in ${files.length} files`);
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    console.error(`glossary-check: ${(error as Error).message}\n\n${HELP}`);
    process.exitCode = 2;
  }
}
