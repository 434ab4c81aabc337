// Commands of the debugger that READMEs show, in the words that the debugger has today. To be deleted with the renaming
// of the commands, together with its two uses in example-run.ts.
const OLD_COMMANDS: readonly (readonly [RegExp, string])[] = [
  [/^reverse-step$/, 'back into'],
  [/^reverse-next$/, 'back over'],
  [/^reverse-finish$/, 'back out'],
  [/^reverse-continue$/, 'back breakpoint'],
  [/^next$/, 'next over'],
  [/^forward /, 'next '],
  [/^last-write /, 'wrote '],
  [/^info locals$/, 'variables'],
  [/^goto end$/, 'end'],
];

export const oldCommand = (command: string): string =>
  OLD_COMMANDS.reduce((text, [pattern, old]) => text.replace(pattern, old), command);

/** Puts the commands of a session after the prompts of its transcript. */
export function withSessionCommands(transcript: string, commands: readonly string[]): string {
  const remaining = commands.values();
  return transcript.replaceAll(/^(\d+\.\d+(?::\d+\.\d+)?> ).*$/gm, (_, prompt) => `${prompt}${remaining.next().value}`);
}
