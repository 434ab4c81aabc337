// What a run of tests says of each of them, from the lines that TAP has for it: names with those of the tests around them, and what came of it. Programs print among
// these lines what they like, which is no part of it.

export interface Told {
  /** Those around it before it, with ` > ` between. */
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'todo';
}

/** How far each nesting is indented. */
const INDENT = 4;
const LINE = /^( *)(?:# Subtest: (.*)|(ok|not ok) \d+ - (.*))$/;

export function testsIn(text: string): Told[] {
  const around: string[] = [];
  const found: Told[] = [];
  for (const line of text.split('\n')) {
    const [, indent, opened, result, described = ''] = LINE.exec(line) ?? [];
    if (indent === undefined || indent.length % INDENT !== 0) continue;
    const depth = indent.length / INDENT;
    around.length = Math.min(around.length, depth);
    if (opened !== undefined) {
      around[depth] = opened;
      continue;
    }
    const [, name = '', directive] = /^(.*?)(?: # (SKIP|TODO)\b.*)?$/.exec(described) ?? [];
    found.push({ name: [...around, name].join(' > '), outcome: outcomeOf(result === 'ok', directive) });
  }
  return found;
}

function outcomeOf(isOk: boolean, directive: string | undefined): Told['outcome'] {
  if (directive === 'SKIP') return 'skipped';
  if (directive === 'TODO') return 'todo';
  return isOk ? 'passed' : 'failed';
}
