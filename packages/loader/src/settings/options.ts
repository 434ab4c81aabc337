// The settings of loading. Command-line flags, which arrive as environment variables, take precedence over the config
// file, and the config file over the defaults. docs/guide/configuration.md has the table.
import { join, resolve } from 'node:path';
import type { Durability } from '../durability.ts';
import { resolvePattern, configFile, type ConfigFile } from './config-file.ts';
import {
  retentionLimitsOf,
  traceSettingOf,
  triggersOf,
  durabilityOf,
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
  /** Directory of transformed code; `false` for no cache. */
  readonly cache: string | false;
  /** Prints the classification to standard error when the process exits. */
  readonly explain: boolean;
  /** Directory of recordings; `false` for no recording. */
  readonly recordings: string | false;
  readonly snapshots: SnapshotTriggers;
  readonly keep: RetentionLimits;
  /** Whether to record the program's inputs; implies a recording. */
  readonly trace: boolean;
  /** If set, the recording starts when the program calls for it, or at the signal, which also ends it. */
  readonly later: { readonly signal: NodeJS.Signals | undefined } | undefined;
  /** What HTTP responses of a program with traces wait for. */
  readonly durability: Durability;
  /** Whether other processes of this user may see the recording, start and end it, and request snapshots. */
  readonly services: boolean;
  /** Adds a probe before each statement, for replays that can stop anywhere. Not a user setting. */
  readonly debug: boolean;
  /** Makes code in debug mode undoable, task by task; replaces methods of the language for this. */
  readonly undo: boolean;
  /** The config file that was found. */
  readonly config: string | undefined;
}

/** Default directory of recordings with traces. */
const DEFAULT_RECORDINGS = 'recordings';

/** Old name of TURNTABLE_EXPLAIN_CLASSIFICATION, which works for one release. */
const OLD_EXPLAIN_VARIABLE = 'TURNTABLE_EXPLAIN';

/** A warning about an environment variable with an old name; undefined if there is none. */
export function renamedVariableWarning(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  return environment[OLD_EXPLAIN_VARIABLE]
    ? `${OLD_EXPLAIN_VARIABLE} is now TURNTABLE_EXPLAIN_CLASSIFICATION; the next release removes the old name`
    : undefined;
}

/** The effective settings. Throws a `LoaderError` if one is invalid. */
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
      packageCache(process.cwd()) ??
      false,
    explain:
      overrides.explain ??
      fromEnvironment('TURNTABLE_EXPLAIN_CLASSIFICATION', (text) => text === '1') ??
      fromEnvironment(OLD_EXPLAIN_VARIABLE, (text) => text === '1') ??
      settings.explain ??
      false,
    recordings:
      overrides.recordings ??
      fromEnvironment('TURNTABLE_RECORDINGS', (text) => !isOff(text) && resolve(text)) ??
      settings.recordings ??
      (trace === false ? false : resolve(DEFAULT_RECORDINGS)),
    snapshots: overrides.snapshots ?? fromEnvironment('TURNTABLE_SNAPSHOTS', triggersOf) ?? settings.snapshots ?? {},
    keep: overrides.keep ?? fromEnvironment('TURNTABLE_KEEP', retentionLimitsOf) ?? settings.keep ?? {},
    trace: trace !== false,
    later: overrides.later ?? laterTrace(trace),
    durability:
      overrides.durability ?? fromEnvironment('TURNTABLE_DURABILITY', durabilityOf) ?? settings.durability ?? 'none',
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

/** The cache in the package of a working directory; none outside of a package, where `node_modules` is unwanted. */
export function packageCache(directory: string): string | undefined {
  const scope = packageScope(join(directory, 'package.json'));
  return scope && join(scope.directory, 'node_modules', '.cache', 'turntable');
}

/** The first pattern that matches. @param patterns `lodash`, `@scope/name`, or a part of a path containing a slash */
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
