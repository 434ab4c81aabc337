// The arguments of a command: flags as it describes them, and one thing that it is about. What is wrong with them is a sentence, with how it is used.
import { parseArgs, type ParseArgsConfig } from 'node:util';

export type FlagOptions = NonNullable<ParseArgsConfig['options']>;
type ParseResult<T extends FlagOptions> = ReturnType<
  typeof parseArgs<{ args: string[]; allowPositionals: true; options: T }>
>;

export interface CommandArguments<T extends FlagOptions> {
  readonly values: ParseResult<T>['values'];
  readonly positionals: readonly string[];
}

/**
 * @param about what there may be one of: `recording`
 * @param most how many other things may stand behind it
 */
export function parseArguments<const T extends FlagOptions>(
  args: readonly string[],
  options: T,
  {
    usage,
    subjectName,
    maxPositionals = 1,
  }: { readonly usage: string; readonly subjectName: string; readonly maxPositionals?: number },
): CommandArguments<T> | string {
  let parsed: ParseResult<T>;
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    return `${(error as Error).message}. ${usage}`;
  }
  const { values, positionals } = parsed;
  const excess = positionals.slice(maxPositionals);
  return excess.length > 0
    ? `one ${subjectName} at a time, not ${excess.join(' ')} too. ${usage}`
    : { values, positionals };
}

/** The same of a command that has to be told what it is about. */
export function parseSubjectArguments<const T extends FlagOptions>(
  args: readonly string[],
  options: T,
  { usage, subjectName }: { readonly usage: string; readonly subjectName: string },
): (CommandArguments<T> & { readonly subject: string }) | string {
  const parsed = parseArguments(args, options, { usage, subjectName });
  if (typeof parsed === 'string') return parsed;
  const [subject] = parsed.positionals;
  return subject === undefined ? `which ${subjectName}? ${usage}` : { ...parsed, subject };
}

export function portProblem(port: string | undefined): string | undefined {
  const isPort = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) < 65_536);
  return isPort ? undefined : `--port takes the number of a port, not "${port}"`;
}

export function phaseProblem(phase: string | undefined): string | undefined {
  const isPhase = phase === undefined || /^\d{1,15}$/.test(phase);
  return isPhase ? undefined : `--phase takes the number of a snapshot, not "${phase}"`;
}
