// Settings as command line flags. They become environment variables, which the program and its workers inherit.

const VARIABLES: Readonly<Record<string, string>> = {
  '--include': 'TURNTABLE_INCLUDE',
  '--exclude': 'TURNTABLE_EXCLUDE',
  '--cache': 'TURNTABLE_CACHE',
  '--recordings': 'TURNTABLE_RECORDINGS',
  '--snapshots': 'TURNTABLE_SNAPSHOTS',
  '--keep': 'TURNTABLE_KEEP',
  '--key': 'TURNTABLE_KEY',
  '--services': 'TURNTABLE_SERVICES',
  '--capture': 'TURNTABLE_CAPTURE',
  '--capture-after': 'TURNTABLE_CAPTURE_AFTER',
  '--handles': 'TURNTABLE_HANDLES',
};

/** Flags without a value, each with the variable that it sets and the variable's value. */
const SWITCHES: Readonly<Record<string, readonly [variable: string, value: string]>> = {
  '--explain': ['TURNTABLE_EXPLAIN', '1'],
  '--trace': ['TURNTABLE_TRACE', '1'],
  '--later': ['TURNTABLE_TRACE', 'later'],
};

/** Settings whose value may be the next argument. */
export const SETTINGS_WITH_VALUE: readonly string[] = Object.keys(VARIABLES);

export interface SettingsFlags {
  readonly environment: Readonly<Record<string, string>>;
  /** All arguments that are not settings, in order. */
  readonly others: readonly string[];
  /** A usage problem; undefined if there is none. */
  readonly problem: string | undefined;
}

export function settingsFlags(args: readonly string[]): SettingsFlags {
  const environment: Record<string, string> = {};
  const others: string[] = [];
  let problem: string | undefined;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const equalsIndex = arg.indexOf('=');
    const name = equalsIndex === -1 ? arg : arg.slice(0, equalsIndex);
    const switchSetting = Object.hasOwn(SWITCHES, arg) ? SWITCHES[arg] : undefined;
    const variable = Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined;
    if (switchSetting !== undefined) environment[switchSetting[0]] = switchSetting[1];
    else if (name === '--later') environment['TURNTABLE_TRACE'] = `later=${arg.slice(equalsIndex + 1)}`;
    else if (variable === undefined) others.push(arg);
    else {
      const value = equalsIndex === -1 ? args[++index] : arg.slice(equalsIndex + 1);
      if (value === undefined) problem ??= `${name} needs a value; write ${name}=…`;
      else environment[variable] = value;
    }
  }
  return { environment, others, problem };
}

/** A hint for an unknown flag that resembles a setting. Node would reject it, or take its value for the program. */
export async function misspeltSetting(flags: readonly string[]): Promise<string | undefined> {
  const names = flags.map((flag) => flag.replace(/=.*/s, ''));
  const unknown = names.filter((name) => name.startsWith('--') && !process.allowedNodeEnvironmentFlags.has(name));
  if (unknown.length === 0) return undefined;
  const { closestName } = await import('@turntable/loader');
  for (const name of unknown) {
    const closest = closestName(name, [...Object.keys(VARIABLES), ...Object.keys(SWITCHES)]);
    if (closest !== undefined) return `there is no setting ${name}; did you mean ${closest}?`;
  }
  return undefined;
}
