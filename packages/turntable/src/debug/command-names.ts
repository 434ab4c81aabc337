// Finds the command that a word means: a name, a letter, a name of gdb or rr, or a unique prefix of a name.
import {
  COMMANDS,
  EVENT_KIND_GROUPS,
  NAVIGATION_KINDS,
  OTHER_DEBUGGERS,
  RETIRED_COMMANDS,
  type DebuggerCommand,
} from '@turntable/time-machine/client';
import { nearestName } from '../nearest.ts';
import { quoteWord, ReplInputError } from './words.ts';

/** Arguments that a command took in earlier versions, with the command that takes them now. */
const FORMER_ARGUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  next: {
    over: 'next',
    into: 'step',
    out: 'finish',
    breakpoint: 'continue',
    match: 'forward actor',
    entry: 'forward callback',
    error: 'forward uncaught',
    ...Object.fromEntries(NAVIGATION_KINDS.map(({ kind }) => [kind, `forward ${kind}`])),
  },
  back: {
    over: 'reverse-next',
    into: 'reverse-step',
    out: 'reverse-finish',
    breakpoint: 'reverse-continue',
    match: 'back actor',
    entry: 'back callback',
    error: 'back uncaught',
  },
};

/** Finds the command of a word. Fails with the way out if there is none. */
export function resolveCommand(word: string): DebuggerCommand {
  const exact = COMMANDS.find(
    ({ name, letter, aliases = [] }) => name === word || letter === word || aliases.includes(word),
  );
  if (exact !== undefined) return exact;
  const successor = Object.hasOwn(RETIRED_COMMANDS, word) ? RETIRED_COMMANDS[word] : undefined;
  if (successor !== undefined) throw new ReplInputError(`"${word}" is now "${successor}"`);
  const other = Object.hasOwn(OTHER_DEBUGGERS, word) ? OTHER_DEBUGGERS[word] : undefined;
  if (other !== undefined) throw new ReplInputError(`there is no command "${word}": ${other}`);
  const matches = COMMANDS.filter(({ name }) => name.startsWith(word));
  // `ste` is `step`, although `stepi` begins like it, too.
  const shortest = matches.find(({ name }) => matches.every((each) => each.name.startsWith(name)));
  if (shortest !== undefined) return shortest;
  if (matches.length > 1)
    throw new ReplInputError(`"${word}" is ambiguous: ${matches.map(({ name }) => name).join(', ')}`);
  if (/^[\d+]/.test(word)) throw new ReplInputError(`"${word}" is not a command; use: goto ${word}`);
  throw new ReplInputError(`there is no command "${word}"; ${suggestion(word)}`);
}

function suggestion(word: string): string {
  const nearest = nearestName(
    word,
    COMMANDS.map(({ name }) => name),
  );
  return nearest === undefined ? 'see help' : `did you mean "${nearest}"?`;
}

/** Fails with the way out if a line has the arguments of an earlier version. */
export function rejectFormerArguments({ name }: DebuggerCommand, words: readonly string[]): void {
  const [first = '', ...others] = words;
  const known = Object.hasOwn(FORMER_ARGUMENTS, name) ? FORMER_ARGUMENTS[name] : undefined;
  if (known !== undefined && Object.hasOwn(known, first))
    throw new ReplInputError(`use: ${[known[first], ...others.map(quoteWord)].join(' ')}`);
  if (name === 'list' && words.length === 2 && words.every((word) => /^\d+$/.test(word)))
    throw new ReplInputError(`use: tasks ${words.join(' ')}`);
}

/** Whether a word narrows the kind `exception`, as in `forward exception caught`. */
export function isExceptionKind(word: string | undefined): boolean {
  return EVENT_KIND_GROUPS.exception.some((each) => each === word);
}
