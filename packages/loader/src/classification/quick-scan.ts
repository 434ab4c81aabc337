// A faster `scan` (scan.ts) for files that request only files of their own package, as most files do. A regular
// expression skips to the next relevant word without producing tokens. Returns `undefined` as soon as it finds what
// only the full scan can read: another package, a builtin, shared memory, a comment inside an import.

export interface ScannedRequest {
  readonly specifier: string;
  readonly kind: 'import' | 'require' | 'dynamic';
  /** Whether the request is inside a function or an `import()`, so that the module may never be loaded. */
  readonly isLazy: boolean;
  /** The members of the module that are used; undefined if they are unknown. */
  readonly members: readonly string[] | undefined;
  readonly line: number;
}

/** Comments, strings, brackets, possible starts of regular expressions, and relevant words. */
const TOKEN =
  /\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|=>|[`{}()/]|(?<![\w$])(?:require|import|export|WebAssembly|SharedArrayBuffer)(?![\w$])/g;
const TEMPLATE_PART = /(?:[^\\`$]+|\\[\s\S]|\$(?!\{))*(`|\$\{)?/y;
const REGEXP_LITERAL = /\/(?:[^\\\n/[]|\\.|\[(?:[^\\\n\]]|\\.)*\])+\/[a-z]*/y;
const LITERAL_CALL = /[\w$]+[ \n\t\r]*\([ \n\t\r]*(?:"([^"\\\n]*)"|'([^'\\\n]*)')[ \n\t\r]*[),]/y;
const OTHER_CALL = /[\w$]+[ \n\t\r]*(?:\([ \n\t\r]*["'/`]|\/)/y;
const COMPUTED_CALL = /import[ \n\t\r]*\(/y;
const FROM_CLAUSE =
  /(?:import|export)(?:[ \n\t\r]+[\w$]+[ \n\t\r]*,?)?[ \n\t\r]*(?:\*[ \n\t\r]*(?:as[ \n\t\r]+[\w$]+[ \n\t\r]*)?|\{[\w$ \n\t\r,]*\})?[ \n\t\r]*(?<![\w$])from[ \n\t\r]*(?:"([^"\\\n]*)"|'([^'\\\n]*)')/y;
const BARE_IMPORT = /import[ \n\t\r]*(?:"([^"\\\n]*)"|'([^'\\\n]*)')/y;
const NO_REQUEST =
  /import[ \n\t\r]*\.|export[ \n\t\r]+[\w$]|export[ \n\t\r]*\{[\w$ \n\t\r,]*\}[ \n\t\r]*(?!from)[^/ \n\t\r]/y;
/** Words before a `(` whose `)` is followed by a statement, not by an operator or a function body. */
export const CONTROL_WORDS = 'if|for|while|switch|catch|with';
export const WORDS_BEFORE_EXPRESSION = 'return|typeof|case|in|of|delete|void|throw|new|else|do|instanceof|yield|await';
const ENDS_WITH_CONTROL = new RegExp(String.raw`(?<![\w$.])(?:${CONTROL_WORDS})$`);
const ENDS_BEFORE_EXPRESSION = new RegExp(String.raw`(?<![\w$.])(?:${WORDS_BEFORE_EXPRESSION})$`);

/** Kinds of tokens, which determine what may follow. The kind of a punctuator is the punctuator itself. */
const WORD_TOKEN = 'w';
const CONTROL_TOKEN = 'c';
const PREFIX_TOKEN = 'e';
const ARROW_TOKEN = 'a';
const SPREAD_TOKEN = 's';
const OPERAND_TOKEN = 'o';

export function quickScan(source: string, lineOf: (offset: number) => number): ScannedRequest[] | undefined {
  const requests: ScannedRequest[] = [];
  const nesting: ('function' | 'block' | 'template')[] = [];
  const parentheses: boolean[] = [];
  let hasClosedControl = false;
  let depth = 0;
  /** The end offset and the kind of the last token. */
  let lastEnd = 0;
  let lastToken = '';

  const tokenBefore = (offset: number): string => {
    let i = offset - 1;
    while (i >= lastEnd && isSpace(source.charCodeAt(i))) i--;
    if (i < lastEnd) return lastToken;
    const character = source[i] as string;
    if (character === '.') return source[i - 1] === '.' ? SPREAD_TOKEN : character;
    if (!/[\w$]/.test(character)) return character;
    const text = source.slice(Math.max(lastEnd, i - 11), i + 1);
    if (ENDS_BEFORE_EXPRESSION.test(text)) return PREFIX_TOKEN;
    return ENDS_WITH_CONTROL.test(text) ? CONTROL_TOKEN : WORD_TOKEN;
  };
  const skipTemplate = (from: number): number => {
    TEMPLATE_PART.lastIndex = from;
    if (TEMPLATE_PART.exec(source)?.[1] === '${') nesting.push('template');
    return TEMPLATE_PART.lastIndex;
  };
  const matchLiteral = (pattern: RegExp, offset: number): string | undefined => {
    pattern.lastIndex = offset;
    const match = pattern.exec(source);
    return match === null ? undefined : (match[1] ?? match[2]);
  };
  const matchesAt = (pattern: RegExp, offset: number): boolean => {
    pattern.lastIndex = offset;
    return pattern.test(source);
  };
  /** Reads the request at a word. Returns false if only the full scan can read it. */
  const readRequest = (word: string, offset: number, before: string): boolean => {
    if (source.charCodeAt(offset - 1) > 127 || source.charCodeAt(offset + word.length) > 127) return false;
    if (before === '.') return true;
    if (word === 'WebAssembly' || word === 'SharedArrayBuffer') return false;
    const line = (): number => lineOf(offset);
    if (word !== 'export') {
      const callSpecifier = matchLiteral(LITERAL_CALL, offset);
      if (callSpecifier !== undefined) {
        if (word === 'require' && !callSpecifier.startsWith('.')) return false;
        const kind = word === 'require' ? 'require' : 'dynamic';
        const isLazy = kind === 'dynamic' || depth > 0 || before === ARROW_TOKEN;
        requests.push({ specifier: callSpecifier, kind, isLazy, members: undefined, line: line() });
        return true;
      }
      if (matchesAt(OTHER_CALL, offset)) return false;
      if (word === 'require' || matchesAt(COMPUTED_CALL, offset)) return true;
    }
    if (matchesAt(NO_REQUEST, offset)) return true;
    const specifier = matchLiteral(FROM_CLAUSE, offset) ?? matchLiteral(BARE_IMPORT, offset);
    if (specifier === undefined) return depth > 0;
    if (depth > 0 || !specifier.startsWith('.')) return false;
    requests.push({ specifier, kind: 'import', isLazy: false, members: undefined, line: line() });
    return true;
  };

  TOKEN.lastIndex = source.startsWith('#!') ? Math.max(0, source.indexOf('\n')) : 0;
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) {
    const text = match[0];
    const offset = match.index;
    const firstCharacter = text[0] as string;
    let nextOffset = offset + text.length;
    if (firstCharacter === '"' || firstCharacter === "'") {
      // An unterminated string needs the full scan.
      if (text.length < 2 || !text.endsWith(firstCharacter)) return undefined;
      lastToken = OPERAND_TOKEN;
    } else if (text.startsWith('//') || text.startsWith('/*')) {
      lastToken = tokenBefore(offset);
    } else if (firstCharacter === '`') {
      lastToken = firstCharacter;
      nextOffset = skipTemplate(nextOffset);
    } else if (firstCharacter === '=') {
      lastToken = ARROW_TOKEN;
    } else if (firstCharacter === '(') {
      parentheses.push(tokenBefore(offset) === CONTROL_TOKEN);
      lastToken = firstCharacter;
    } else if (firstCharacter === ')') {
      hasClosedControl = parentheses.pop() ?? false;
      lastToken = firstCharacter;
    } else if (firstCharacter === '{') {
      const before = tokenBefore(offset);
      const isFunctionBody = before === ARROW_TOKEN || (before === ')' && !hasClosedControl);
      nesting.push(isFunctionBody ? 'function' : 'block');
      if (isFunctionBody) depth++;
      lastToken = firstCharacter;
    } else if (firstCharacter === '}') {
      const closedNesting = nesting.pop();
      if (closedNesting === 'function') depth--;
      if (closedNesting === 'template') {
        lastToken = tokenBefore(offset);
        nextOffset = skipTemplate(nextOffset);
      } else lastToken = firstCharacter;
    } else if (firstCharacter === '/') {
      const before = tokenBefore(offset);
      if (before.charCodeAt(0) > 127) return undefined;
      const isDivision = before === ')' ? !hasClosedControl : before !== '' && OPERAND_ENDINGS.includes(before);
      if (isDivision) lastToken = firstCharacter;
      else {
        if (!matchesAt(REGEXP_LITERAL, offset)) return undefined;
        nextOffset = REGEXP_LITERAL.lastIndex;
        lastToken = OPERAND_TOKEN;
      }
    } else {
      if (!readRequest(text, offset, tokenBefore(offset))) return undefined;
      lastToken = WORD_TOKEN;
    }
    lastEnd = nextOffset;
    TOKEN.lastIndex = nextOffset;
  }
  return requests;
}

const OPERAND_ENDINGS = [WORD_TOKEN, CONTROL_TOKEN, OPERAND_TOKEN, ']', '}', '`'].join('');

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13;
}
