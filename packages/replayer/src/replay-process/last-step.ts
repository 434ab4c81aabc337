// What an expression leads to, and from where: `order.items[2].price` is the property `price` of `order.items[2]`. Only names and what follows them step by step; what is
// anything else leads nowhere that could be written.

export type LastStep =
  | { readonly is: 'variable'; readonly name: string }
  | { readonly is: 'property' | 'private'; readonly of: string; readonly name: string }
  /** What is between the brackets is an expression itself. */
  | { readonly is: 'element' | 'entry'; readonly of: string; readonly key: string };

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy;
const SPACE = /\s*/y;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

interface Step {
  readonly at: number;
  readonly name: string | undefined;
  /** What stands between brackets or parentheses. */
  readonly inside: string | undefined;
  readonly isCall: boolean;
}

/** Nothing, if it is no such expression. */
export function lastStepOf(written: string): LastStep | undefined {
  const text = written.trim();
  const first = behindFirst(text);
  if (first === undefined) return undefined;
  const steps: Step[] = [];
  for (let at = first; at < text.length;) {
    const found = stepAt(text, skip(text, at));
    if (found === undefined) return undefined;
    steps.push(found.step);
    at = skip(text, found.end);
  }
  const last = steps.at(-1);
  if (last === undefined) return isName(text) ? { is: 'variable', name: text } : undefined;
  if (last.isCall) {
    const method = steps.at(-2);
    const isAsking = method?.name === 'get' || method?.name === 'has';
    if (!isAsking || last.inside === undefined || last.inside === '') return undefined;
    return { is: 'entry', of: text.slice(0, method.at).trim(), key: last.inside };
  }
  const of = text.slice(0, last.at).trim();
  if (last.name === undefined) return last.inside ? { is: 'element', of, key: last.inside } : undefined;
  return last.name.startsWith('#')
    ? { is: 'private', of, name: last.name.slice(1) }
    : { is: 'property', of, name: last.name };
}

function isName(text: string): boolean {
  return nameAt(text, 0) === text.length;
}

/** Where what it begins with ends: a name, or something in parentheses. */
function behindFirst(text: string): number | undefined {
  return text.startsWith('(') ? behindBracket(text, 0) : nameAt(text, 0);
}

function stepAt(text: string, at: number): { readonly step: Step; readonly end: number } | undefined {
  const isOptional = text.startsWith('?.', at);
  const from = isOptional ? skip(text, at + 2) : at;
  const opening = text.charAt(from);
  if (opening === '[' || opening === '(') {
    const end = behindBracket(text, from);
    if (end === undefined) return undefined;
    const inside = text.slice(from + 1, end - 1).trim();
    return { step: { at, name: undefined, inside, isCall: opening === '(' }, end };
  }
  if (!isOptional && opening !== '.') return undefined;
  const begin = isOptional ? from : skip(text, from + 1);
  const end = nameAt(text, begin + (text.charAt(begin) === '#' ? 1 : 0));
  if (end === undefined) return undefined;
  return { step: { at, name: text.slice(begin, end), inside: undefined, isCall: false }, end };
}

function nameAt(text: string, at: number): number | undefined {
  NAME.lastIndex = at;
  return NAME.test(text) ? NAME.lastIndex : undefined;
}

function skip(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** Behind the bracket that closes this one; strings in between are passed by. */
function behindBracket(text: string, at: number): number | undefined {
  const open: string[] = [];
  for (let i = at; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"' || char === "'" || char === '`') {
      i = behindText(text, i) - 1;
      continue;
    }
    const closing = CLOSING[char];
    if (closing !== undefined) open.push(closing);
    else if (char === open.at(-1)) {
      open.pop();
      if (open.length === 0) return i + 1;
    }
  }
  return undefined;
}

function behindText(text: string, at: number): number {
  const quote = text.charAt(at);
  for (let i = at + 1; i < text.length; i++) {
    if (text.charAt(i) === '\\') i++;
    else if (text.charAt(i) === quote) return i + 1;
  }
  return text.length;
}
