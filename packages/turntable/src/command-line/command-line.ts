// The command line of a command, as data. Argument parser, `--help`, hints for mistyped flags and shell completions all
// read it. This file and the declarations must link on every version of Node, since `turntable --help` loads them.

export interface Option {
  /** Name without dashes. */
  readonly flag: string;
  /** Letter of the short form. */
  readonly short?: string;
  /** Name of the value in the help. Without it, the option is a switch. `FILE` and `DIR` are completed as paths. */
  readonly argument?: string;
  /** Name of a value that may follow, as in `--later[=SIGNAL]`. */
  readonly optionalArgument?: string;
  /** All values, for options that have few. */
  readonly choices?: readonly string[];
  readonly isRepeatable?: boolean;
  /** Environment variable that a setting becomes. Other variables are named by `description`. */
  readonly variable?: string;
  /** Value of the variable for a switch. */
  readonly variableValue?: string;
  /** What the option does: imperative, in lower case, without a full stop. */
  readonly description: string;
}

export interface OptionGroup {
  readonly title: string;
  readonly options: readonly Option[];
}

/** What completes the operands: paths of recordings, files, or the commands for a running program. */
export type OperandKind = 'recording' | 'file' | 'none' | readonly string[];

export interface CommandLine {
  readonly name: string;
  /** What the command does: imperative, in lower case, without a full stop. */
  readonly summary: string;
  /** Operands in the list of all commands. */
  readonly operands: string;
  /** Usage lines without `turntable NAME`. */
  readonly usage: readonly string[];
  /** Paragraphs below the usage. */
  readonly description?: readonly string[];
  readonly optionGroups: readonly OptionGroup[];
  /** Exit codes with their meanings. Every command also has 2 for a usage error. */
  readonly exitCodes: readonly (readonly [code: string, meaning: string])[];
  readonly examples: readonly string[];
  readonly operandKind: OperandKind;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly CommandLine[];
}

/** Options of a declared command. */
export type OptionOf<C extends CommandLine> = C['optionGroups'][number]['options'][number];

/** Declares a command. Keeps the types of its flags for `parseArguments`. */
export function defineCommand<const C extends CommandLine>(command: C): C {
  return command;
}

export function optionsOf(command: CommandLine): readonly Option[] {
  return command.optionGroups.flatMap(({ options }) => options);
}

/** The option with a flag such as `--json`; undefined if there is none. */
export function findOption(command: CommandLine, flag: string): Option | undefined {
  return optionsOf(command).find((each) => `--${each.flag}` === flag || (each.short && `-${each.short}` === flag));
}

/** All flags of a command, `--help` included. */
export function flagsOf(command: CommandLine): string[] {
  return [...optionsOf(command).map(({ flag }) => `--${flag}`), '--help'];
}
