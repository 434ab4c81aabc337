// What a user can decide about loading: flags of the command line and the environment, which are one by the time a program starts,
// decide before the file of settings, and that before the defaults. docs/loading.md has the table.
import { join, resolve } from 'node:path';
import { resolvePattern, configFile, type ConfigFile } from './config-file.ts';
import {
  retentionLimitsOf,
  traceSettingOf,
  triggersOf,
  type RetentionLimits,
  type SnapshotTriggers,
  type TraceSetting,
} from './recording-settings.ts';
import { packageScope } from '../node/package-scope.ts';

export interface LoaderOptions {
  /** Packages or path parts that are transformed even if they would be devices. */
  readonly include: readonly string[];
  /** Packages or path parts that stay native. */
  readonly exclude: readonly string[];
  /** Where transformed code is kept; `false` to keep none. */
  readonly cache: string | false;
  /** Prints the classification to standard error when the process ends. */
  readonly explain: boolean;
  /** Where recordings go; `false` for no recording. */
  readonly recordings: string | false;
  readonly snapshots: SnapshotTriggers;
  readonly keep: RetentionLimits;
  /** Whether a recording has what came from outside; then there is one. */
  readonly trace: boolean;
  /** It begins when the program says so, or the process gets that signal, by which it ends, too. */
  readonly later: { readonly signal: NodeJS.Signals | undefined } | undefined;
  /** Whether others of this user may see that it is recorded, and begin, end and ask for snapshots. */
  readonly services: boolean;
  /** Code has a probe before each statement: for replays that are to be stopped anywhere. No user decides it. */
  readonly debug: boolean;
  /** What code in debug mode does can be undone, task by task; methods of the language are replaced for it. */
  readonly undo: boolean;
  /** The file of settings that was found. */
  readonly config: string | undefined;
}

/** Where recordings with traces go, if nothing says where. */
const DEFAULT_RECORDINGS = 'recordings';

/** Throws a `LoaderError` about the file of settings. */
export function loaderOptions(
  overrides: Partial<LoaderOptions> = {},
  environment: Readonly<Record<string, string | undefined>> = process.env,
  foundConfig: ConfigFile | undefined = configFile(),
): LoaderOptions {
  const settings = foundConfig?.settings ?? {};
  const resolveHere = (patterns: readonly string[] | undefined): readonly string[] | undefined =>
    patterns?.map((pattern) => resolvePattern(pattern, process.cwd()));
  const parseList = (text: string | undefined): readonly string[] | undefined =>
    resolveHere(
      text
        ?.split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    );
  const fromEnvironment = <T>(variable: string, parse: (text: string, variable: string) => T): T | undefined => {
    const text = environment[variable] || undefined;
    return text === undefined ? undefined : parse(text, variable);
  };
  const trace = overrides.trace ?? fromEnvironment('TURNTABLE_TRACE', traceSettingOf) ?? settings.trace ?? false;
  return {
    include: resolveHere(overrides.include) ?? parseList(environment['TURNTABLE_INCLUDE']) ?? settings.include ?? [],
    exclude: resolveHere(overrides.exclude) ?? parseList(environment['TURNTABLE_EXCLUDE']) ?? settings.exclude ?? [],
    cache:
      overrides.cache ??
      fromEnvironment('TURNTABLE_CACHE', (text) => !isOff(text) && text) ??
      settings.cache ??
      defaultCache(),
    explain:
      overrides.explain ?? fromEnvironment('TURNTABLE_EXPLAIN', (text) => text === '1') ?? settings.explain ?? false,
    recordings:
      overrides.recordings ??
      fromEnvironment('TURNTABLE_RECORDINGS', (text) => !isOff(text) && resolve(text)) ??
      settings.recordings ??
      (trace === false ? false : resolve(DEFAULT_RECORDINGS)),
    snapshots: overrides.snapshots ?? fromEnvironment('TURNTABLE_SNAPSHOTS', triggersOf) ?? settings.snapshots ?? {},
    keep: overrides.keep ?? fromEnvironment('TURNTABLE_KEEP', retentionLimitsOf) ?? settings.keep ?? {},
    trace: trace !== false,
    later: overrides.later ?? laterTrace(trace),
    services:
      overrides.services ?? fromEnvironment('TURNTABLE_SERVICES', (text) => !isOff(text)) ?? settings.services ?? true,
    debug: overrides.debug ?? false,
    undo: overrides.undo ?? false,
    config: foundConfig?.file,
  };
}

function isOff(text: string): boolean {
  return text === '0' || text === 'off';
}

function laterTrace(trace: TraceSetting): LoaderOptions['later'] {
  if (typeof trace === 'boolean') return undefined;
  return { signal: trace === 'later' ? undefined : trace.later };
}

/** In the package one stands in; elsewhere nobody has asked for a `node_modules`. */
function defaultCache(): string | false {
  const scope = packageScope(join(process.cwd(), 'package.json'));
  return scope === undefined ? false : join(scope.directory, 'node_modules', '.cache', 'turntable');
}

/** `lodash`, `@scope/name`, or a part of a path containing a slash. */
export function matches(
  patterns: readonly string[],
  filename: string,
  packageName: string | undefined,
): string | undefined {
  return patterns.find(
    (pattern) =>
      pattern === packageName || (pattern.includes('/') && !pattern.startsWith('@') && filename.includes(pattern)),
  );
}
