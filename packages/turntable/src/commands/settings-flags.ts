// Settings as command line flags. They become environment variables, which the program and its workers inherit.
import { optionsOf, type CommandLine, type Option } from '../command-line/command-line.ts';
import { ALL_SETTINGS } from '../command-line/settings.ts';
import { warnRenamed } from './failure.ts';

/** Settings whose value may be the next argument. */
export const SETTINGS_WITH_VALUE: readonly string[] = ALL_SETTINGS.filter(({ argument }) => argument !== undefined).map(
  ({ flag }) => `--${flag}`,
);

/** Old flags of settings, which work for one release. */
const RENAMED_FLAGS: Readonly<Record<string, string>> = { '--explain': '--explain-classification' };

export interface SettingsFlags {
  readonly environment: Readonly<Record<string, string>>;
  /** All arguments that are not settings, in order. */
  readonly others: readonly string[];
  /** A usage problem; undefined if there is none. */
  readonly problem: string | undefined;
}

/** Takes the settings that a command declares out of its arguments. */
export function settingsFlags(args: readonly string[], command: CommandLine): SettingsFlags {
  const environment: Record<string, string> = {};
  const others: string[] = [];
  let problem: string | undefined;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const equalsIndex = arg.indexOf('=');
    const name = equalsIndex === -1 ? arg : arg.slice(0, equalsIndex);
    const inlineValue = equalsIndex === -1 ? undefined : arg.slice(equalsIndex + 1);
    const setting = findSetting(command, name);
    if (setting?.variable === undefined) others.push(arg);
    else if (setting.argument === undefined) {
      if (inlineValue !== undefined && setting.optionalArgument === undefined) problem ??= `${name} takes no value`;
      environment[setting.variable] =
        `${setting.variableValue ?? '1'}${inlineValue === undefined ? '' : `=${inlineValue}`}`;
    } else {
      const value = inlineValue ?? args[++index];
      if (value === undefined) problem ??= `${name} needs a value; write ${name}=${setting.argument}`;
      else environment[setting.variable] = value;
    }
  }
  return { environment, others, problem };
}

function findSetting(command: CommandLine, name: string): Option | undefined {
  const newName = Object.hasOwn(RENAMED_FLAGS, name) ? RENAMED_FLAGS[name] : undefined;
  const setting = optionsOf(command).find(
    ({ flag, variable }) => variable !== undefined && `--${flag}` === (newName ?? name),
  );
  if (setting !== undefined && newName !== undefined) warnRenamed(name, newName);
  return setting;
}

/** Reports an unknown flag that resembles one of the command's. Node would reject it, or take its value for the program. */
export async function mistypedFlag(flags: readonly string[], command: CommandLine): Promise<string | undefined> {
  const unknown = flags
    .map((flag) => flag.replace(/=.*/s, ''))
    .filter((name) => name.startsWith('--') && !process.allowedNodeEnvironmentFlags.has(name));
  if (unknown.length === 0) return undefined;
  // Loaded only here, since the start of a program waits for every module.
  const [{ nearestName }, { unknownOption }] = await Promise.all([import('../nearest.ts'), import('./arguments.ts')]);
  const known = optionsOf(command).map(({ flag }) => `--${flag}`);
  const mistyped = unknown.find((name) => nearestName(name, known) !== undefined);
  return mistyped === undefined ? undefined : unknownOption(command, mistyped);
}
