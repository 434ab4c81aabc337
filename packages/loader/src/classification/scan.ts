// A fast scan of a file for classification: the modules that it requests, their members that it uses, and whether it
// requests them at load time or only inside a function. It is a tokenizer and not a parser: exact about comments,
// strings, templates and regular expressions, otherwise approximate. A wrong result moves the boundary of a device and
// never changes a program's behaviour.

import { CONTROL_WORDS, quickScan, WORDS_BEFORE_EXPRESSION, type ScannedRequest } from './quick-scan.ts';

export interface SourceScan {
  readonly requests: readonly ScannedRequest[];
  /** Uses of `WebAssembly` or `SharedArrayBuffer`, except feature tests. */
  readonly mentions: readonly { readonly name: string; readonly line: number }[];
}

interface Token {
  readonly kind: 'name' | 'string' | 'punctuator';
  readonly text: string;
  /** Nesting depth of function bodies. */
  readonly depth: number;
  readonly offset: number;
}

const SHARED_MEMORY_NAMES = new Set(['WebAssembly', 'SharedArrayBuffer']);
const CONTROL_KEYWORDS: ReadonlySet<string> = new Set(CONTROL_WORDS.split('|'));
const EXPRESSION_PREFIXES: ReadonlySet<string> = new Set(WORDS_BEFORE_EXPRESSION.split('|'));
const NAME_START = /[\p{ID_Start}$_\\]/u;
const NAME = /(?:[\p{ID_Continue}$\\]|\u200c|\u200d)+/uy;

export function scan(source: string): SourceScan {
  if (!/\b(?:require|import|export|WebAssembly|SharedArrayBuffer)\b/.test(source))
    return { requests: [], mentions: [] };
  const lineOf = createLineFinder(source);
  const quick = quickScan(source, lineOf);
  return quick === undefined ? tokenScan(source, lineOf) : { requests: quick, mentions: [] };
}

/** The full scan, over all tokens. */
export function tokenScan(source: string, lineOf = createLineFinder(source)): SourceScan {
  const tokens = tokenize(source);
  let cachedUses: NameUses | undefined;
  const usesOf = (): NameUses => (cachedUses ??= collectUses(tokens));
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
      const isLazy = token.depth > 0 || before?.text === '=>';
      requests.push({
        specifier,
        kind: 'require',
        isLazy,
        members: specifier.startsWith('.') ? undefined : requireMembers(tokens, i, usesOf),
        line: lineOf(token.offset),
      });
    } else if (token.text === 'import' || token.text === 'export') {
      const request = readImport(tokens, i, usesOf, lineOf);
      if (request !== undefined) requests.push(request);
    } else if (SHARED_MEMORY_NAMES.has(token.text)) {
      const isTypeCheck = before?.text === 'typeof' || before?.text === 'instanceof';
      const after = tokens[i + 1]?.text;
      if (!isTypeCheck && (before?.text === 'new' || after === '.' || after === '[')) {
        mentions.push({ name: token.text, line: lineOf(token.offset) });
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

type NameUses = Map<string, Set<string> | 'whole'>;
type NameUsesGetter = () => NameUses;

/** For every name, the members read from it, or `whole` if it is used in another way. */
function collectUses(tokens: readonly Token[]): NameUses {
  const uses: NameUses = new Map();
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (token.kind !== 'name') continue;
    const before = tokens[i - 1]?.text;
    if (before === '.' || before === '?.') continue;
    const after = tokens[i + 1];
    const knownUse = uses.get(token.text);
    if (knownUse === 'whole') continue;
    // A declaration or the left side of an assignment is not a use.
    if (after?.text === '=' || before === 'as' || before === 'import' || after?.text === 'from') continue;
    const member = tokens[i + 2];
    if ((after?.text === '.' || after?.text === '?.') && member?.kind === 'name') {
      if (knownUse === undefined) uses.set(token.text, new Set([member.text]));
      else knownUse.add(member.text);
    } else {
      uses.set(token.text, 'whole');
    }
  }
  return uses;
}

function usedMembersOf(usesOf: NameUsesGetter, name: string): readonly string[] | undefined {
  const used = usesOf().get(name);
  if (used === 'whole') return undefined;
  return used === undefined ? [] : [...used];
}

/** The members used through `require('x').member`, `const { a, b } = require('x')` or `const x = require('x')`. */
function requireMembers(tokens: readonly Token[], at: number, usesOf: NameUsesGetter): readonly string[] | undefined {
  const after = tokens[at + 4];
  if (after?.text === '.' && tokens[at + 5]?.kind === 'name') return [(tokens[at + 5] as Token).text];
  if (tokens[at - 1]?.text !== '=') return undefined;
  const target = tokens[at - 2];
  if (target?.kind === 'name') {
    const beforeTarget = tokens[at - 3]?.text;
    return beforeTarget === '.' || beforeTarget === '?.' ? undefined : usedMembersOf(usesOf, target.text);
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

function readImport(
  tokens: readonly Token[],
  at: number,
  usesOf: NameUsesGetter,
  lineOf: (at: number) => number,
): ScannedRequest | undefined {
  const token = tokens[at] as Token;
  const line = lineOf(token.offset);
  const next = tokens[at + 1];
  if (token.text === 'import' && next?.text === '(') {
    const specifier = stringArgument(tokens, at);
    return specifier === undefined ? undefined : { specifier, kind: 'dynamic', isLazy: true, members: undefined, line };
  }
  if (token.text === 'import' && next?.kind === 'string') {
    return { specifier: next.text, kind: 'import', isLazy: false, members: undefined, line };
  }
  if (token.depth > 0 || next === undefined || next.text === '.') return undefined;
  if (token.text === 'export' && next.text !== '{' && next.text !== '*') return undefined;
  let members: string[] | undefined = [];
  let wholeName: string | undefined;
  for (let i = at + 1; i < tokens.length && i < at + 4000; i++) {
    const current = tokens[i] as Token;
    if (current.text === ';' || current.text === '=' || current.text === '(') return undefined;
    if (current.text === '*') members = undefined;
    const previous = tokens[i - 1]?.text;
    if (current.kind === 'name' && members !== undefined) {
      if (previous === '{' || previous === ',') members.push(current.text);
      else if (i === at + 1 && current.text !== 'type') {
        wholeName = current.text;
      }
    }
    if (current.text === 'from' && tokens[i + 1]?.kind === 'string') {
      const specifier = (tokens[i + 1] as Token).text;
      // For `import * as x` the members of `x` count.
      const namespaceName = tokens[at + 1]?.text === '*' && tokens[at + 2]?.text === 'as' ? tokens[at + 3] : undefined;
      if (namespaceName !== undefined && token.text === 'import') wholeName = namespaceName.text;
      if (specifier.startsWith('.') || wholeName === undefined)
        return { specifier, kind: 'import', isLazy: false, members, line };
      // The namespace of `import x, * as y` may be used for anything.
      const isUnknown = members === undefined && namespaceName === undefined;
      const used = isUnknown ? undefined : usedMembersOf(usesOf, wholeName);
      return {
        specifier,
        kind: 'import',
        isLazy: false,
        members: used === undefined ? undefined : [...(members ?? []), ...used],
        line,
      };
    }
    if (current.text === '}' && tokens[i + 1]?.text !== 'from') return undefined;
  }
  return undefined;
}

function createLineFinder(source: string): (at: number) => number {
  let line = 1;
  let lineStart = 0;
  return (at) => {
    if (at < lineStart) {
      line = 1;
      lineStart = 0;
    }
    for (let next = source.indexOf('\n', lineStart); next !== -1 && next < at; next = source.indexOf('\n', lineStart)) {
      line++;
      lineStart = next + 1;
    }
    return line;
  };
}

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  /** The token before each open parenthesis, and the kind of each open brace. */
  const parenthesisOpeners: (Token | undefined)[] = [];
  const braceKinds: ('function' | 'block' | 'template')[] = [];
  let beforeClosedParenthesis: Token | undefined;
  let depth = 0;
  let at = source.startsWith('#!') ? source.indexOf('\n') : 0;
  if (at < 0) return tokens;

  const addToken = (kind: Token['kind'], text: string, start: number): void =>
    void tokens.push({ kind, text, depth, offset: start });

  /** Skips template text up to its end or the next `${`. */
  const skipTemplate = (from: number): number => {
    for (let i = from; i < source.length; i++) {
      const c = source[i];
      if (c === '\\') i++;
      else if (c === '`') return i + 1;
      else if (c === '$' && source[i + 1] === '{') {
        braceKinds.push('template');
        return i + 2;
      }
    }
    return source.length;
  };

  while (at < source.length) {
    const character = source[at] as string;
    const start = at;
    if (character === ' ' || character === '\n' || character === '\t' || character === '\r') {
      at++;
    } else if (character === '/' && source[at + 1] === '/') {
      const end = source.indexOf('\n', at);
      at = end === -1 ? source.length : end;
    } else if (character === '/' && source[at + 1] === '*') {
      const end = source.indexOf('*/', at + 2);
      at = end === -1 ? source.length : end + 2;
    } else if (character === '"' || character === "'") {
      for (at++; at < source.length && source[at] !== character && source[at] !== '\n'; at++)
        if (source[at] === '\\') at++;
      addToken('string', source.slice(start + 1, at), start);
      at++;
    } else if (character === '`') {
      at = skipTemplate(at + 1);
      addToken('punctuator', '`', start);
    } else if (character === '/' && canStartRegExp(tokens.at(-1), beforeClosedParenthesis)) {
      at = regExpEnd(source, at);
      addToken('punctuator', '/re/', start);
    } else if (isNameCharacter(source.charCodeAt(at), false) || NAME_START.test(character)) {
      while (isNameCharacter(source.charCodeAt(at), true)) at++;
      if (source.charCodeAt(at) > 127) {
        NAME.lastIndex = at;
        at += NAME.exec(source)?.[0].length ?? (at === start ? 1 : 0);
      }
      // A backslash in a name, or in text that was misread.
      if (at === start) at++;
      addToken('name', source.slice(start, at), start);
    } else if (character >= '0' && character <= '9') {
      while (source[at] === '.' || isNameCharacter(source.charCodeAt(at), true)) at++;
      addToken('punctuator', '0', start);
    } else {
      let text = character;
      if (character === '=' && source[at + 1] === '>') text = '=>';
      else if (character === '=' && source[at + 1] === '=') text = source[at + 2] === '=' ? '===' : '==';
      else if (character === '?' && source[at + 1] === '.') text = '?.';
      else if (character === '.' && source.startsWith('...', at)) text = '...';
      at += text.length;
      if (text === '(') {
        parenthesisOpeners.push(tokens.at(-1));
      } else if (text === ')') {
        beforeClosedParenthesis = parenthesisOpeners.pop();
      } else if (text === '{') {
        const before = tokens.at(-1);
        const isFunctionBody =
          before?.text === '=>' || (before?.text === ')' && !CONTROL_KEYWORDS.has(beforeClosedParenthesis?.text ?? ''));
        braceKinds.push(isFunctionBody ? 'function' : 'block');
        addToken('punctuator', text, start);
        if (isFunctionBody) depth++;
        continue;
      } else if (text === '}') {
        const closedBrace = braceKinds.pop();
        if (closedBrace === 'function') depth--;
        if (closedBrace === 'template') {
          at = skipTemplate(at);
          continue;
        }
      }
      addToken('punctuator', text, start);
    }
  }
  return tokens;
}

/** Whether a character is an ASCII letter, `$`, `_` or, inside a name, a digit. */
function isNameCharacter(code: number, isContinuation: boolean): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    code === 95 ||
    code === 36 ||
    (isContinuation && code >= 48 && code <= 57)
  );
}

function canStartRegExp(before: Token | undefined, beforeClosedParenthesis: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === 'string') return false;
  if (before.kind === 'name') return EXPRESSION_PREFIXES.has(before.text);
  if (before.text === ')') return CONTROL_KEYWORDS.has(beforeClosedParenthesis?.text ?? '');
  return !(
    before.text === ']' ||
    before.text === '}' ||
    before.text === '0' ||
    before.text === '`' ||
    before.text === '/re/'
  );
}

function regExpEnd(source: string, start: number): number {
  let isInClass = false;
  for (let i = start + 1; i < source.length; i++) {
    const c = source[i];
    if (c === '\\') i++;
    else if (c === '\n') return i;
    else if (c === '[') isInClass = true;
    else if (c === ']') isInClass = false;
    else if (c === '/' && !isInClass) {
      i++;
      while (/[a-z]/.test(source[i] ?? '')) i++;
      return i;
    }
  }
  return source.length;
}
