// What `scan` finds out (scan.ts), for files that name nothing but each other: most files of most packages. A regular expression
// leaps from one place of interest to the next, and no tokens are made. It answers `undefined` as soon as it meets anything
// that takes a closer look: another package, a builtin, shared memory, a comment in the middle of an import.

export interface ScannedRequest {
  readonly specifier: string;
  readonly kind: 'import' | 'require' | 'dynamic';
  /** Inside a function: perhaps never loaded. */
  readonly lazy: boolean;
  /** Members used, if that is all that is used of it. */
  readonly members: readonly string[] | undefined;
  readonly line: number;
}

/** Comments, strings, what nests, what may begin a regular expression, and the words that matter. */
const PLACE =
  /\/\/[^\n]*|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|"[^"\\\n]*(?:\\[\s\S][^"\\\n]*)*"?|'[^'\\\n]*(?:\\[\s\S][^'\\\n]*)*'?|=>|[`{}()/]|(?<![\w$])(?:require|import|export|WebAssembly|SharedArrayBuffer)(?![\w$])/g;
const TEMPLATE_PART = /(?:[^\\`$]+|\\[\s\S]|\$(?!\{))*(`|\$\{)?/y;
const REGEXP = /\/(?:[^\\\n/[]|\\.|\[(?:[^\\\n\]]|\\.)*\])+\/[a-z]*/y;
const CALL = /[\w$]+[ \n\t\r]*\([ \n\t\r]*(?:"([^"\\\n]*)"|'([^'\\\n]*)')[ \n\t\r]*[),]/y;
const UNCLEAR_CALL = /[\w$]+[ \n\t\r]*(?:\([ \n\t\r]*["'/`]|\/)/y;
const COMPUTED_CALL = /import[ \n\t\r]*\(/y;
const FROM =
  /(?:import|export)(?:[ \n\t\r]+[\w$]+[ \n\t\r]*,?)?[ \n\t\r]*(?:\*[ \n\t\r]*(?:as[ \n\t\r]+[\w$]+[ \n\t\r]*)?|\{[\w$ \n\t\r,]*\})?[ \n\t\r]*(?<![\w$])from[ \n\t\r]*(?:"([^"\\\n]*)"|'([^'\\\n]*)')/y;
const BARE_IMPORT = /import[ \n\t\r]*(?:"([^"\\\n]*)"|'([^'\\\n]*)')/y;
const NO_REQUEST =
  /import[ \n\t\r]*\.|export[ \n\t\r]+[\w$]|export[ \n\t\r]*\{[\w$ \n\t\r,]*\}[ \n\t\r]*(?!from)[^/ \n\t\r]/y;
/** In front of `(`: what follows `)` is a statement, not an operator or a function's body. */
export const CONTROL_WORDS = 'if|for|while|switch|catch|with';
export const WORDS_BEFORE_EXPRESSION = 'return|typeof|case|in|of|delete|void|throw|new|else|do|instanceof|yield|await';
const CONTROL = new RegExp(String.raw`(?<![\w$.])(?:${CONTROL_WORDS})$`);
const BEFORE_REGEXP = new RegExp(String.raw`(?<![\w$.])(?:${WORDS_BEFORE_EXPRESSION})$`);

/** A token by what may follow it: itself if it is punctuation, else one of these letters. */
const WORD = 'w';
const WORD_OF_CONTROL = 'c';
const WORD_BEFORE_EXPRESSION = 'e';
const ARROW = 'a';
const SPREAD = 's';
const OPERAND = 'o';

export function quickScan(source: string, lineOf: (at: number) => number): ScannedRequest[] | undefined {
  const requests: ScannedRequest[] = [];
  const nesting: ('function' | 'block' | 'template')[] = [];
  const controls: boolean[] = [];
  let closedControl = false;
  let depth = 0;
  /** The last place and what it was. */
  let end = 0;
  let last = '';

  const tokenBefore = (at: number): string => {
    let i = at - 1;
    while (i >= end && isSpace(source.charCodeAt(i))) i--;
    if (i < end) return last;
    const character = source[i] as string;
    if (character === '.') return source[i - 1] === '.' ? SPREAD : character;
    if (!/[\w$]/.test(character)) return character;
    const text = source.slice(Math.max(end, i - 11), i + 1);
    if (BEFORE_REGEXP.test(text)) return WORD_BEFORE_EXPRESSION;
    return CONTROL.test(text) ? WORD_OF_CONTROL : WORD;
  };
  const template = (from: number): number => {
    TEMPLATE_PART.lastIndex = from;
    if (TEMPLATE_PART.exec(source)?.[1] === '${') nesting.push('template');
    return TEMPLATE_PART.lastIndex;
  };
  const literal = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    return found === null ? undefined : (found[1] ?? found[2]);
  };
  const is = (pattern: RegExp, at: number): boolean => {
    pattern.lastIndex = at;
    return pattern.test(source);
  };
  /** Whether the word at a place is understood. */
  const request = (word: string, at: number, before: string): boolean => {
    if (source.charCodeAt(at - 1) > 127 || source.charCodeAt(at + word.length) > 127) return false;
    if (before === '.') return true;
    if (word === 'WebAssembly' || word === 'SharedArrayBuffer') return false;
    const line = (): number => lineOf(at);
    if (word !== 'export') {
      const called = literal(CALL, at);
      if (called !== undefined) {
        if (word === 'require' && !called.startsWith('.')) return false;
        const kind = word === 'require' ? 'require' : 'dynamic';
        const lazy = kind === 'dynamic' || depth > 0 || before === ARROW;
        requests.push({ specifier: called, kind, lazy, members: undefined, line: line() });
        return true;
      }
      if (is(UNCLEAR_CALL, at)) return false;
      if (word === 'require' || is(COMPUTED_CALL, at)) return true;
    }
    if (is(NO_REQUEST, at)) return true;
    const specifier = literal(FROM, at) ?? literal(BARE_IMPORT, at);
    if (specifier === undefined) return depth > 0;
    if (depth > 0 || !specifier.startsWith('.')) return false;
    requests.push({ specifier, kind: 'import', lazy: false, members: undefined, line: line() });
    return true;
  };

  PLACE.lastIndex = source.startsWith('#!') ? Math.max(0, source.indexOf('\n')) : 0;
  for (let place = PLACE.exec(source); place !== null; place = PLACE.exec(source)) {
    const text = place[0];
    const at = place.index;
    const first = text[0] as string;
    let next = at + text.length;
    if (first === '"' || first === "'") {
      // Cut off by the end of its line: whatever this is, it needs a closer look.
      if (text.length < 2 || !text.endsWith(first)) return undefined;
      last = OPERAND;
    } else if (text.startsWith('//') || text.startsWith('/*')) {
      last = tokenBefore(at);
    } else if (first === '`') {
      last = first;
      next = template(next);
    } else if (first === '=') {
      last = ARROW;
    } else if (first === '(') {
      controls.push(tokenBefore(at) === WORD_OF_CONTROL);
      last = first;
    } else if (first === ')') {
      closedControl = controls.pop() ?? false;
      last = first;
    } else if (first === '{') {
      const before = tokenBefore(at);
      const opensFunction = before === ARROW || (before === ')' && !closedControl);
      nesting.push(opensFunction ? 'function' : 'block');
      if (opensFunction) depth++;
      last = first;
    } else if (first === '}') {
      const closes = nesting.pop();
      if (closes === 'function') depth--;
      if (closes === 'template') {
        last = tokenBefore(at);
        next = template(next);
      } else last = first;
    } else if (first === '/') {
      const before = tokenBefore(at);
      if (before.charCodeAt(0) > 127) return undefined;
      const isDivision = before === ')' ? !closedControl : before !== '' && ENDS_OPERAND.includes(before);
      if (isDivision) last = first;
      else {
        if (!is(REGEXP, at)) return undefined;
        next = REGEXP.lastIndex;
        last = OPERAND;
      }
    } else {
      if (!request(text, at, tokenBefore(at))) return undefined;
      last = WORD;
    }
    end = next;
    PLACE.lastIndex = next;
  }
  return requests;
}

const ENDS_OPERAND = [WORD, WORD_OF_CONTROL, OPERAND, ']', '}', '`'].join('');

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13;
}
