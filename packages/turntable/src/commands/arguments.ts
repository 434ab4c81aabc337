// Parser for the arguments of a command: flags and a subject. A problem is returned as a sentence.
import { parseArgs } from 'node:util';
import {
  findOption,
  flagsOf,
  optionsOf,
  type CommandLine,
  type Option,
  type OptionOf,
} from '../command-line/command-line.ts';
import { didYouMean } from '../nearest.ts';

type ValueOf<O extends Option> = O extends { readonly isRepeatable: true }
  ? readonly string[]
  : O extends { readonly argument: string }
    ? string | undefined
    : boolean;

/** Values by flag: switches are false, lists empty and other values undefined by default. */
export type OptionValues<C extends CommandLine> = { readonly [O in OptionOf<C> as O['flag']]: ValueOf<O> };

export interface CommandArguments<C extends CommandLine> {
  readonly values: OptionValues<C>;
  readonly positionals: readonly string[];
}

/**
 * Parses the arguments of a command; returns the usage problem, if any. The subject is optional.
 * `subjectName` names the subject in messages: `recording`. `maxPositionals` is the maximum of positional arguments.
 */
export function parseArguments<C extends CommandLine>(
  args: readonly string[],
  command: C,
  { subjectName, maxPositionals = 1 }: { readonly subjectName: string; readonly maxPositionals?: number },
): CommandArguments<C> | string {
  const options = optionsOf(command).map(
    ({ flag, short, argument, isRepeatable = false }) =>
      [
        flag,
        {
          type: argument === undefined ? 'boolean' : 'string',
          ...(isRepeatable ? { multiple: true, default: [] } : argument === undefined && { default: false }),
          ...(short !== undefined && { short }),
        },
      ] as const,
  );
  // Errors of the strict mode do not name the nearest flag.
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: Object.fromEntries(options),
  });
  for (const token of tokens) {
    const problem = token.kind === 'option' ? optionProblem(command, token) : undefined;
    if (problem !== undefined) return problem;
  }
  const excess = positionals.slice(maxPositionals);
  if (excess.length > 0)
    return maxPositionals === 0
      ? `${command.name} takes no ${excess.join(' ')}, only options`
      : `give one ${subjectName}, without ${excess.join(' ')}`;
  return { values: values as OptionValues<C>, positionals };
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function optionProblem(command: CommandLine, { rawName, value, inlineValue }: OptionToken): string | undefined {
  const option = findOption(command, rawName);
  if (option === undefined) return unknownOption(command, rawName);
  const { argument } = option;
  if (argument === undefined) return value === undefined ? undefined : `${rawName} takes no value, not "${value}"`;
  if (value === undefined || (value.startsWith('-') && value.length > 1 && inlineValue !== true))
    return `${rawName} needs a value; write --${option.flag}=${argument}`;
  return undefined;
}

export function unknownOption(command: CommandLine, flag: string): string {
  return `unknown option ${flag}${didYouMean(flag, flagsOf(command), '')}`;
}

/** Parses the arguments of a command that requires a subject. */
export function parseSubjectArguments<C extends CommandLine>(
  args: readonly string[],
  command: C,
  { subjectName }: { readonly subjectName: string },
): (CommandArguments<C> & { readonly subject: string }) | string {
  const parsed = parseArguments(args, command, { subjectName });
  if (typeof parsed === 'string') return parsed;
  const [subject] = parsed.positionals;
  return subject === undefined ? `which ${subjectName}?` : { ...parsed, subject };
}

export function portProblem(port: string | undefined): string | undefined {
  const isPort = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) < 65_536);
  return isPort ? undefined : `--port must be a port number, not "${port}"`;
}

export function phaseProblem(phase: string | undefined): string | undefined {
  const isPhase = phase === undefined || /^\d{1,15}$/.test(phase);
  return isPhase ? undefined : `--phase must be the number of a snapshot, not "${phase}"`;
}
