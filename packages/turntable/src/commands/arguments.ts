// Parser for the arguments of a command: flags and a subject. A problem is returned as a sentence with the usage.
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
 * Parses the arguments of a command; returns the usage problem, if any. The subject is optional.
 * `subjectName` names the subject in messages: `recording`. `maxPositionals` is the maximum of positional arguments.
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
  return excess.length > 0 ? `give one ${subjectName}, without ${excess.join(' ')}. ${usage}` : { values, positionals };
}

/** Parses the arguments of a command that requires a subject. */
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
  return isPort ? undefined : `--port must be a port number, not "${port}"`;
}

export function phaseProblem(phase: string | undefined): string | undefined {
  const isPhase = phase === undefined || /^\d{1,15}$/.test(phase);
  return isPhase ? undefined : `--phase must be the number of a snapshot, not "${phase}"`;
}
