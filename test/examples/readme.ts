// Commands and outputs that the README of an example shows.

export interface Step {
  /** Lines of a `sh` block. */
  readonly commands: readonly string[];
  /** Lines of the output blocks that follow; empty if there are none. */
  readonly output: readonly string[];
}

/** The `sh` blocks of a README in order, each with the blocks without a language that follow it. */
export function readSteps(readme: string): Step[] {
  const steps: { commands: string[]; output: string[] }[] = [];
  for (const [, language, text = ''] of readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const lines = text.trimEnd().split('\n');
    if (language === 'sh') steps.push({ commands: lines, output: [] });
    else if (language === '') steps.at(-1)?.output.push(...lines);
  }
  return steps;
}

/** Commands that a transcript of the debugger shows after its prompts. */
export const sessionCommands = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => /^\d+\.\d+(?::\d+\.\d+)?> (.*)/.exec(line)?.[1] ?? []);

/**
 * Returns the first line of an excerpt that is not in the output, in order. In an excerpt `…` matches any text; a line
 * that is only `…` says that lines are left out.
 */
export function missingLine(excerpt: readonly string[], output: string): string | undefined {
  const lines = output.split('\n').values();
  return excerpt.find((line) => {
    if (line.trim() === '…') return false;
    const pattern = new RegExp(`^${line.split('…').map(escapePattern).join('.*')}$`);
    return !lines.some((each) => pattern.test(each));
  });
}

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
