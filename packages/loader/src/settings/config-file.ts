// `turntable.config.ts`: a user's settings for a package, searched for from the working directory upwards to the
// directory with a package.json. It is loaded natively and synchronously before the program, and leaves no trace that
// the program could see.
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { existsSync, readFileSync } from '../files.ts';
import { LoaderError, type ErrorLocation } from '../errors.ts';
import { withoutRequireCache } from '../node/resolution.ts';
import {
  isRetentionLimits,
  isSnapshotTriggers,
  isTraceSetting,
  RETENTION_EXPECTED,
  TRACE_EXPECTED,
  TRIGGERS_EXPECTED,
  type RetentionLimits,
  type SnapshotTriggers,
  type TraceSetting,
} from './recording-settings.ts';
import { describeJsonError, parseSettings, lineAndColumnAt, locationOfKey } from './settings-json.ts';
import { closestName } from '../closest-name.ts';
import { DURABILITY_EXPECTED, isDurability, type Durability } from '../durability.ts';
import { toUserError } from '../source-maps/user-error.ts';
import { loadParser } from '../node/lazy-tools.ts';

/** The argument of `defineConfig`. Environment variables and flags take precedence over these settings. */
export interface TurntableConfig {
  /**
   * Packages (by name) and files (by a part of the path with a slash) to transform even if they would be classified as
   * devices.
   */
  readonly include?: readonly string[];
  /** Packages and files to leave native, as in `include`. */
  readonly exclude?: readonly string[];
  /** Directory of transformed code, relative to this file; `false` for no cache. */
  readonly cache?: string | false;
  /** Prints the classification of modules when the process exits. */
  readonly explain?: boolean;
  /** Directory of recordings, relative to this file; `false` (the default) for no recording. */
  readonly recordings?: string | false;
  /** When to take snapshots, in addition to snapshots that the program takes. */
  readonly snapshots?: SnapshotTriggers;
  /** Which of a recording's snapshots to keep. */
  readonly keep?: RetentionLimits;
  /**
   * Whether to record the program's inputs, so that the run can be replayed. Implies a recording, by default in the
   * directory `recordings`. `'later'`: from the call of `app.record()`; `{ later: 'SIGUSR2' }`: also from that signal
   * until the next one.
   */
  readonly trace?: TraceSetting;
  /**
   * What HTTP responses of a program with traces wait for: `'reply'`: until the events that they depend on are written and
   * survive a kill of the process; `'reply+fsync'`: until they also survive a loss of power. Default: `'none'`.
   */
  readonly durability?: Durability;
  /** `false` hides the recorded process from `turntable services` of the same user. */
  readonly services?: boolean;
}

export interface ConfigFile {
  readonly file: string;
  /** The settings, with absolute paths. */
  readonly settings: TurntableConfig;
}

const CONFIG_NAMES = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `turntable.config.${extension}`);
/** Key of the environment data through which workers get the main thread's result. */
const WORKER_DATA_KEY = 'turntable.config';

/** The config file of this process. Workers use the main thread's file, whatever their working directory. */
export function configFile(): ConfigFile | undefined {
  const knownConfig = getEnvironmentData(WORKER_DATA_KEY) as unknown as ConfigFile | null | undefined;
  if (knownConfig !== undefined) return knownConfig ?? undefined;
  const found = findConfig(process.cwd());
  // `undefined` would delete the entry.
  setEnvironmentData(WORKER_DATA_KEY, (found ?? null) as never);
  return found;
}

/** Makes this process use no config file. */
export function ignoreConfigFile(): void {
  setEnvironmentData(WORKER_DATA_KEY, null as never);
}

/** Finds and reads the config file for a directory. Throws a `LoaderError` with a location if it is invalid. */
export function findConfig(directory: string): ConfigFile | undefined {
  try {
    const file = configFileAbove(directory);
    return file === undefined
      ? undefined
      : { file, settings: resolvePaths(validateConfig(file, readConfig(file)), dirname(file)) };
  } catch (error) {
    throw toUserError(error, undefined, () => []);
  }
}

function configFileAbove(startDirectory: string): string | undefined {
  const visited: string[] = [];
  for (let directory = startDirectory; ; directory = dirname(directory)) {
    visited.push(directory);
    if (existsSync(join(directory, 'package.json'))) break;
    // Outside of any package, only the start directory is searched.
    if (directory === dirname(directory)) return configFileIn(startDirectory);
  }
  for (const directory of visited) {
    const file = configFileIn(directory);
    if (file !== undefined) return file;
  }
  return undefined;
}

function configFileIn(directory: string): string | undefined {
  const [file, secondFile] = CONFIG_NAMES.map((name) => join(directory, name)).filter((path) => existsSync(path));
  if (file === undefined || secondFile === undefined) return file;
  throw configError(
    `there is also ${basename(secondFile)}, and only one config file is allowed; delete one of them`,
    fileStart(file),
  );
}

function readConfig(file: string): unknown {
  if (!file.endsWith('.json')) return loadConfigModule(file);
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
    return parseSettings(text);
  } catch (error) {
    const { message, location } = describeJsonError(error, file, text);
    throw configError(`this file is not valid: ${message}`, location);
  }
}

function loadConfigModule(file: string): unknown {
  const { emitWarning } = process;
  // Suppresses one warning: a package need not declare its type for a config file.
  process.emitWarning = function (this: unknown, ...args: unknown[]) {
    if (args[1] === 'MODULE_TYPELESS_PACKAGE_JSON' || args[2] === 'MODULE_TYPELESS_PACKAGE_JSON') return;
    Reflect.apply(emitWarning, this, args);
  } as typeof emitWarning;
  try {
    const exported = withoutRequireCache(() => createRequire(file)(file) as unknown);
    const isModule =
      isObject(exported) && (exported[Symbol.toStringTag] === 'Module' || exported['__esModule'] === true);
    return isModule ? exported['default'] : exported;
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === 'ERR_REQUIRE_ASYNC_MODULE') {
      throw configError(
        'a config file is loaded synchronously; remove the top-level `await` from this file',
        fileStart(file),
      );
    }
    const summary = error instanceof Error ? `${error.name}: ${error.message}` : inspect(error);
    const location = failureLocation(file, error);
    if (error instanceof SyntaxError) throw configError(summary, location ?? syntaxErrorLocation(file));
    throw configError(
      `this file threw an error while it was loaded: ${summary}`,
      location ?? fileStart(file),
      withoutTurntableFrames(error, file),
    );
  } finally {
    process.emitWarning = emitWarning;
  }
}

/**
 * The first location in the file that the stack contains. The stack of a syntax error may start with the line and a
 * caret.
 */
function failureLocation(file: string, error: unknown): ErrorLocation | undefined {
  const stack = error instanceof Error ? `${error.stack}` : '';
  const [, line, column, caret] =
    /^(\d+)(?::(\d+)|\n.*\n( *)\^)?/.exec(stack.slice(stack.indexOf(`${file}:`) + file.length + 1)) ?? [];
  if (line === undefined || !stack.includes(`${file}:`)) return undefined;
  return { path: file, line: Number(line), column: column === undefined ? (caret ?? '').length + 1 : Number(column) };
}

/** V8 reports the location of a syntax error in an ES module only to Node. */
function syntaxErrorLocation(file: string): ErrorLocation {
  const text = readFileSync(file, 'utf8');
  const [first] = loadParser().parseSync(file, text).errors;
  return lineAndColumnAt(file, text, first?.labels[0]?.start ?? 0);
}

function withoutTurntableFrames(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const lines = `${error.stack}`.split('\n');
  const lastLine = lines.findLastIndex((line) => line.includes(`${file}:`));
  if (lastLine !== -1) error.stack = lines.slice(0, lastLine + 1).join('\n');
  return error;
}

function fileStart(file: string): ErrorLocation {
  return { path: file, line: 1, column: 1 };
}

function configError(message: string, location: ErrorLocation, cause?: unknown): LoaderError {
  return new LoaderError('TT_CONFIG', message, { location, ...(cause === undefined ? {} : { cause }) });
}

function isObject(value: unknown): value is Record<string | symbol, unknown> {
  return typeof value === 'object' && value !== null;
}

interface Setting {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const LIST_SETTING: Setting = {
  expected: 'a list of package names and parts of paths',
  accepts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== ''),
};

const DIRECTORY_SETTING: Setting = {
  expected: 'a directory, or false for none',
  accepts: (value) => value === false || (typeof value === 'string' && value !== ''),
};
const FLAG_SETTING: Setting = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };

const SETTINGS: Readonly<Record<keyof TurntableConfig, Setting>> = {
  include: LIST_SETTING,
  exclude: LIST_SETTING,
  cache: DIRECTORY_SETTING,
  explain: FLAG_SETTING,
  recordings: DIRECTORY_SETTING,
  snapshots: { expected: TRIGGERS_EXPECTED, accepts: isSnapshotTriggers },
  keep: { expected: RETENTION_EXPECTED, accepts: isRetentionLimits },
  trace: { expected: TRACE_EXPECTED, accepts: isTraceSetting },
  durability: { expected: DURABILITY_EXPECTED, accepts: isDurability },
  services: FLAG_SETTING,
};

function validateConfig(file: string, value: unknown): TurntableConfig {
  if (!isObject(value) || Array.isArray(value)) {
    const foundText = value === undefined ? 'this file exports nothing' : `this file exports ${shortText(value)}`;
    const remedy = file.endsWith('.json') ? '' : '; write `export default defineConfig({ … })`';
    throw configError(`settings must be an object, but ${foundText}${remedy}`, fileStart(file));
  }
  for (const [key, settingValue] of Object.entries(value)) {
    const location = (): ErrorLocation => locationOfKey(file, readFileSync(file, 'utf8'), key);
    if (!Object.hasOwn(SETTINGS, key))
      throw configError(`there is no setting "${key}"; ${suggestion(key)}`, location());
    const { expected, accepts } = SETTINGS[key as keyof TurntableConfig];
    if (settingValue !== undefined && !accepts(settingValue))
      throw configError(`"${key}" must be ${expected}, not ${shortText(settingValue)}`, location());
  }
  return value;
}

function shortText(value: unknown): string {
  return inspect(value, { depth: 1, breakLength: Infinity, maxArrayLength: 5, maxStringLength: 60 });
}

function suggestion(key: string): string {
  const names = Object.keys(SETTINGS);
  const closest = closestName(key, names);
  return closest === undefined ? `available: ${names.join(', ')}` : `did you mean "${closest}"?`;
}

/** Makes all paths absolute. The result is plain data that can be sent to workers. */
function resolvePaths(config: TurntableConfig, directory: string): TurntableConfig {
  const { include, exclude, cache, recordings, snapshots, keep } = config;
  return {
    ...config,
    ...(include === undefined ? {} : { include: include.map((pattern) => resolvePattern(pattern, directory)) }),
    ...(exclude === undefined ? {} : { exclude: exclude.map((pattern) => resolvePattern(pattern, directory)) }),
    ...(cache === undefined ? {} : { cache: cache === false || cache === 'off' ? false : resolve(directory, cache) }),
    ...(recordings === undefined ? {} : { recordings: recordings !== false && resolve(directory, recordings) }),
    ...(snapshots === undefined ? {} : { snapshots: { ...snapshots } }),
    ...(keep === undefined ? {} : { keep: { ...keep } }),
  };
}

/** Resolves a pattern: `./legacy/` is relative to `directory`, `legacy/` is any part of a path. */
export function resolvePattern(pattern: string, directory: string): string {
  if (!/^\.\.?\//.test(pattern)) return pattern;
  return resolve(directory, pattern) + (pattern.endsWith('/') ? '/' : '');
}
