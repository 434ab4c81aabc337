// Commands that READMEs show under new names, in the words that they have today. Delete this file, and its uses in
// example-run.ts, when the commands are renamed.

/** Line of a shell script: `turntable tasks` is `turntable turns` today. */
export const OLD_TASKS_COMMAND = 'if [ "$1" = tasks ]; then shift; set -- turns "$@"; fi';

/** Patterns of commands of the debugger, and the words that replace them. */
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
