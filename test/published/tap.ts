// Parses TAP output: names of tests, prefixed with their parents, and outcomes. Other output in between is ignored.

export interface ParsedTest {
  /** Names of parents and test, separated by ` > `. */
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'todo';
}

/** Indentation of each level. */
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
