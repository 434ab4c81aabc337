// What a run of tests says of each of them, from the lines that TAP has for it: names with those of the tests around them, and what came of it. Programs print among
// these lines what they like, which is no part of it.

export interface ParsedTest {
  /** Those around it before it, with ` > ` between. */
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'todo';
}

/** How far each nesting is indented. */
const INDENT = 4;
const LINE = /^( *)(?:# Subtest: (.*)|(ok|not ok) \d+ - (.*))$/;

export function parseTap(text: string): ParsedTest[] {
  const parents: string[] = [];
  const found: ParsedTest[] = [];
  for (const line of text.split('\n')) {
    const [, indent, subtest, result, description = ''] = LINE.exec(line) ?? [];
    if (indent === undefined || indent.length % INDENT !== 0) continue;
    const depth = indent.length / INDENT;
    parents.length = Math.min(parents.length, depth);
    if (subtest !== undefined) {
      parents[depth] = subtest;
      continue;
    }
    const [, name = '', directive] = /^(.*?)(?: # (SKIP|TODO)\b.*)?$/.exec(description) ?? [];
    found.push({ name: [...parents, name].join(' > '), outcome: outcomeOf(result === 'ok', directive) });
  }
  return found;
}

function outcomeOf(isOk: boolean, directive: string | undefined): ParsedTest['outcome'] {
  if (directive === 'SKIP') return 'skipped';
  if (directive === 'TODO') return 'todo';
  return isOk ? 'passed' : 'failed';
}
