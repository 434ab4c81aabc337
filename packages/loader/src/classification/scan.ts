// A fast look at a file's text for classification: which modules it names, what it uses of them, and whether at load time or only
// inside a function. A tokenizer, no parser: it is right about comments, strings, templates and regular expressions, and
// otherwise approximate. Being wrong moves the boundary of a device, never a program's behaviour.

import { CONTROL_WORDS, quickScan, WORDS_BEFORE_EXPRESSION, type ScannedRequest } from './quick-scan.ts';

export interface Scan {
  readonly requests: readonly ScannedRequest[];
  /** `WebAssembly` or `SharedArrayBuffer`, used and not merely asked about. */
  readonly mentions: readonly { readonly name: string; readonly line: number }[];
}

interface Token {
  readonly kind: 'name' | 'string' | 'punctuator';
  readonly text: string;
  /** Nesting of function bodies. */
  readonly depth: number;
  readonly at: number;
}

const SHARED_NAMES = new Set(['WebAssembly', 'SharedArrayBuffer']);
const CONTROL: ReadonlySet<string> = new Set(CONTROL_WORDS.split('|'));
const BEFORE_REGEXP: ReadonlySet<string> = new Set(WORDS_BEFORE_EXPRESSION.split('|'));
const NAME_START = /[\p{ID_Start}$_\\]/u;
const NAME = /(?:[\p{ID_Continue}$\\]|\u200c|\u200d)+/uy;

export function scan(source: string): Scan {
  if (!/\b(?:require|import|export|WebAssembly|SharedArrayBuffer)\b/.test(source))
    return { requests: [], mentions: [] };
  const lineOf = lineFinder(source);
  const quick = quickScan(source, lineOf);
  return quick === undefined ? closeScan(source, lineOf) : { requests: quick, mentions: [] };
}

/** The same by looking at every token. */
export function closeScan(source: string, lineOf = lineFinder(source)): Scan {
  const tokens = tokenize(source);
  let known: Uses | undefined;
  const uses = (): Uses => (known ??= memberUses(tokens));
  const requests: ScannedRequest[] = [];
  const mentions: { name: string; line: number }[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind !== 'name') continue;
    const before = tokens[i - 1];
    if (before?.text === '.' || before?.text === '?.') continue;
    if (token.text === 'require') {
      const specifier = stringArgument(tokens, i);
      if (specifier === undefined) continue;
      const lazy = token.depth > 0 || before?.text === '=>';
      requests.push({
        specifier,
        kind: 'require',
        lazy,
        members: specifier.startsWith('.') ? undefined : requireMembers(tokens, i, uses),
        line: lineOf(token.at),
      });
    } else if (token.text === 'import' || token.text === 'export') {
      const request = importAt(tokens, i, uses, lineOf);
      if (request !== undefined) requests.push(request);
    } else if (SHARED_NAMES.has(token.text)) {
      const asked = before?.text === 'typeof' || before?.text === 'instanceof';
      const after = tokens[i + 1]?.text;
      if (!asked && (before?.text === 'new' || after === '.' || after === '[')) {
        mentions.push({ name: token.text, line: lineOf(token.at) });
      }
    }
  }
  return { requests, mentions };
}

function stringArgument(tokens: readonly Token[], callee: number): string | undefined {
  if (tokens[callee + 1]?.text !== '(' || tokens[callee + 1]?.kind !== 'punctuator') return undefined;
  const argument = tokens[callee + 2];
  const end = tokens[callee + 3];
  return argument?.kind === 'string' && (end?.text === ')' || end?.text === ',') ? argument.text : undefined;
}

type Uses = Map<string, Set<string> | 'whole'>;
type AskUses = () => Uses;

/** For every name: the members it is used for, or `whole` if it is ever used as itself. */
function memberUses(tokens: readonly Token[]): Uses {
  const uses: Uses = new Map();
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind !== 'name') continue;
    const before = tokens[i - 1]?.text;
    if (before === '.' || before === '?.') continue;
    const after = tokens[i + 1];
    const known = uses.get(token.text);
    if (known === 'whole') continue;
    // A declaration or the left side of an assignment is not a use.
    if (after?.text === '=' || before === 'as' || before === 'import' || after?.text === 'from') continue;
    const member = tokens[i + 2];
    if ((after?.text === '.' || after?.text === '?.') && member?.kind === 'name') {
      if (known === undefined) uses.set(token.text, new Set([member.text]));
      else known.add(member.text);
    } else {
      uses.set(token.text, 'whole');
    }
  }
  return uses;
}

function membersOf(uses: AskUses, name: string): readonly string[] | undefined {
  const used = uses().get(name);
  if (used === 'whole') return undefined;
  return used === undefined ? [] : [...used];
}

/** `require('x').member`, `const { a, b } = require('x')`, `const x = require('x')`. */
function requireMembers(tokens: readonly Token[], at: number, uses: AskUses): readonly string[] | undefined {
  const after = tokens[at + 4];
  if (after?.text === '.' && tokens[at + 5]?.kind === 'name') return [(tokens[at + 5] as Token).text];
  if (tokens[at - 1]?.text !== '=') return undefined;
  const target = tokens[at - 2];
  if (target?.kind === 'name') {
    const declared = tokens[at - 3]?.text;
    return declared === '.' || declared === '?.' ? undefined : membersOf(uses, target.text);
  }
  if (target?.text !== '}') return undefined;
  const members: string[] = [];
  for (let i = at - 3; i > 0; i--) {
    const token = tokens[i] as Token;
    if (token.text === '{') return members;
    if (token.kind === 'name' && (tokens[i - 1]?.text === ',' || tokens[i - 1]?.text === '{'))
      members.unshift(token.text);
    if (token.text === '...' || token.text === '}') return undefined;
  }
  return undefined;
}

function importAt(
  tokens: readonly Token[],
  at: number,
  uses: AskUses,
  lineOf: (at: number) => number,
): ScannedRequest | undefined {
  const token = tokens[at] as Token;
  const line = lineOf(token.at);
  const next = tokens[at + 1];
  if (token.text === 'import' && next?.text === '(') {
    const specifier = stringArgument(tokens, at);
    return specifier === undefined ? undefined : { specifier, kind: 'dynamic', lazy: true, members: undefined, line };
  }
  if (token.text === 'import' && next?.kind === 'string') {
    return { specifier: next.text, kind: 'import', lazy: false, members: undefined, line };
  }
  if (token.depth > 0 || next === undefined || next.text === '.') return undefined;
  if (token.text === 'export' && next.text !== '{' && next.text !== '*') return undefined;
  let members: string[] | undefined = [];
  let whole: string | undefined;
  for (let i = at + 1; i < tokens.length && i < at + 4000; i++) {
    const part = tokens[i] as Token;
    if (part.text === ';' || part.text === '=' || part.text === '(') return undefined;
    if (part.text === '*') members = undefined;
    const previous = tokens[i - 1]?.text;
    if (part.kind === 'name' && members !== undefined) {
      if (previous === '{' || previous === ',') members.push(part.text);
      else if (i === at + 1 && part.text !== 'type') {
        whole = part.text;
      }
    }
    if (part.text === 'from' && tokens[i + 1]?.kind === 'string') {
      const specifier = (tokens[i + 1] as Token).text;
      // `import * as x`: its members are what is used of it.
      const star = tokens[at + 1]?.text === '*' && tokens[at + 2]?.text === 'as' ? tokens[at + 3] : undefined;
      if (star !== undefined && token.text === 'import') whole = star.text;
      if (specifier.startsWith('.') || whole === undefined)
        return { specifier, kind: 'import', lazy: false, members, line };
      const used = membersOf(uses, whole);
      return {
        specifier,
        kind: 'import',
        lazy: false,
        members: used === undefined ? undefined : [...(members ?? []), ...used],
        line,
      };
    }
    if (part.text === '}' && tokens[i + 1]?.text !== 'from') return undefined;
  }
  return undefined;
}

function lineFinder(source: string): (at: number) => number {
  let line = 1;
  let from = 0;
  return (at) => {
    if (at < from) {
      line = 1;
      from = 0;
    }
    for (let next = source.indexOf('\n', from); next !== -1 && next < at; next = source.indexOf('\n', from)) {
      line++;
      from = next + 1;
    }
    return line;
  };
}

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  /** What stood before each open parenthesis, and what each open brace is. */
  const parens: (Token | undefined)[] = [];
  const braces: ('function' | 'block' | 'template')[] = [];
  let closedBefore: Token | undefined;
  let depth = 0;
  let at = source.startsWith('#!') ? source.indexOf('\n') : 0;
  if (at < 0) return tokens;

  const push = (kind: Token['kind'], text: string, start: number): void =>
    void tokens.push({ kind, text, depth, at: start });

  /** Reads template text up to its end or the next `${`. */
  const template = (from: number): number => {
    for (let i = from; i < source.length; i++) {
      const c = source[i];
      if (c === '\\') i++;
      else if (c === '`') return i + 1;
      else if (c === '$' && source[i + 1] === '{') {
        braces.push('template');
        return i + 2;
      }
    }
    return source.length;
  };

  while (at < source.length) {
    const c = source[at] as string;
    const start = at;
    if (c === ' ' || c === '\n' || c === '\t' || c === '\r') {
      at++;
    } else if (c === '/' && source[at + 1] === '/') {
      const end = source.indexOf('\n', at);
      at = end === -1 ? source.length : end;
    } else if (c === '/' && source[at + 1] === '*') {
      const end = source.indexOf('*/', at + 2);
      at = end === -1 ? source.length : end + 2;
    } else if (c === '"' || c === "'") {
      for (at++; at < source.length && source[at] !== c && source[at] !== '\n'; at++) if (source[at] === '\\') at++;
      push('string', source.slice(start + 1, at), start);
      at++;
    } else if (c === '`') {
      at = template(at + 1);
      push('punctuator', '`', start);
    } else if (c === '/' && regexpAllowed(tokens.at(-1), closedBefore)) {
      at = endOfRegExp(source, at);
      push('punctuator', '/re/', start);
    } else if (isNameCode(source.charCodeAt(at), false) || NAME_START.test(c)) {
      while (isNameCode(source.charCodeAt(at), true)) at++;
      if (source.charCodeAt(at) > 127) {
        NAME.lastIndex = at;
        at += NAME.exec(source)?.[0].length ?? (at === start ? 1 : 0);
      }
      // A backslash in a name, or in a text that was misread.
      if (at === start) at++;
      push('name', source.slice(start, at), start);
    } else if (c >= '0' && c <= '9') {
      while (source[at] === '.' || isNameCode(source.charCodeAt(at), true)) at++;
      push('punctuator', '0', start);
    } else {
      let text = c;
      if (c === '=' && source[at + 1] === '>') text = '=>';
      else if (c === '=' && source[at + 1] === '=') text = source[at + 2] === '=' ? '===' : '==';
      else if (c === '?' && source[at + 1] === '.') text = '?.';
      else if (c === '.' && source.startsWith('...', at)) text = '...';
      at += text.length;
      if (text === '(') {
        parens.push(tokens.at(-1));
      } else if (text === ')') {
        closedBefore = parens.pop();
      } else if (text === '{') {
        const before = tokens.at(-1);
        const opensFunction = before?.text === '=>' || (before?.text === ')' && !CONTROL.has(closedBefore?.text ?? ''));
        braces.push(opensFunction ? 'function' : 'block');
        push('punctuator', text, start);
        if (opensFunction) depth++;
        continue;
      } else if (text === '}') {
        const closes = braces.pop();
        if (closes === 'function') depth--;
        if (closes === 'template') {
          at = template(at);
          continue;
        }
      }
      push('punctuator', text, start);
    }
  }
  return tokens;
}

/** ASCII letters, `$`, `_` and, inside a name, digits. */
function isNameCode(code: number, inside: boolean): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    code === 36 ||
    (inside && code >= 48 && code <= 57)
  );
}

function regexpAllowed(before: Token | undefined, closedBefore: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === 'string') return false;
  if (before.kind === 'name') return BEFORE_REGEXP.has(before.text);
  if (before.text === ')') return CONTROL.has(closedBefore?.text ?? '');
  return !(
    before.text === ']' ||
    before.text === '}' ||
    before.text === '0' ||
    before.text === '`' ||
    before.text === '/re/'
  );
}

function endOfRegExp(source: string, start: number): number {
  let inClass = false;
  for (let i = start + 1; i < source.length; i++) {
    const c = source[i];
    if (c === '\\') i++;
    else if (c === '\n') return i;
    else if (c === '[') inClass = true;
    else if (c === ']') inClass = false;
    else if (c === '/' && !inClass) {
      i++;
      while (/[a-z]/.test(source[i] ?? '')) i++;
      return i;
    }
  }
  return source.length;
}
