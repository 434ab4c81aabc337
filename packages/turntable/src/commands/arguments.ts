// The arguments of a command: flags as it describes them, and one thing that it is about. What is wrong with them is a sentence, with how it is used.
import { parseArgs, type ParseArgsConfig } from 'node:util';

export type Options = NonNullable<ParseArgsConfig['options']>;
type Parsed<T extends Options> = ReturnType<typeof parseArgs<{ args: string[]; allowPositionals: true; options: T }>>;

export interface Arguments<T extends Options> {
  readonly values: Parsed<T>['values'];
  readonly positionals: readonly string[];
}

/**
 * @param about what there may be one of: `recording`
 * @param most how many other things may stand behind it
 */
export function argumentsOf<const T extends Options>(
  args: readonly string[],
  options: T,
  { usage, about, most = 1 }: { readonly usage: string; readonly about: string; readonly most?: number },
): Arguments<T> | string {
  let parsed: Parsed<T>;
  try {
    parsed = parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    return `${(error as Error).message}. ${usage}`;
  }
  const { values, positionals } = parsed;
  const others = positionals.slice(most);
  return others.length > 0 ? `one ${about} at a time, not ${others.join(' ')} too. ${usage}` : { values, positionals };
}

/** The same of a command that has to be told what it is about. */
export function argumentsAbout<const T extends Options>(
  args: readonly string[],
  options: T,
  { usage, about }: { readonly usage: string; readonly about: string },
): (Arguments<T> & { readonly subject: string }) | string {
  const given = argumentsOf(args, options, { usage, about });
  if (typeof given === 'string') return given;
  const [subject] = given.positionals;
  return subject === undefined ? `which ${about}? ${usage}` : { ...given, subject };
}

export function whyNoPort(port: string | undefined): string | undefined {
  const isPort = port === undefined || (/^\d{1,5}$/.test(port) && Number(port) < 65_536);
  return isPort ? undefined : `--port takes the number of a port, not "${port}"`;
}

export function whyNoPhase(phase: string | undefined): string | undefined {
  const isOne = phase === undefined || /^\d{1,15}$/.test(phase);
  return isOne ? undefined : `--phase takes the number of a snapshot, not "${phase}"`;
}
