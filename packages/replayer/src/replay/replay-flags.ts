// Node flags of a replay process: the recorded flags, but without files of environment variables, with the hooks of the
// running Turntable, its own package conditions, and no smaller heap limit than this process has.
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NODE_FLAGS_WITH_VALUE } from '../node-flags.ts';
import { heapLimitMb, isHeapTooSmall } from './resource-limits.ts';

const FLAGS_WITH_VALUE: ReadonlySet<string> = new Set(NODE_FLAGS_WITH_VALUE);
const REGISTER_FILE = /(?:^turntable\/register$|\/register\.[jt]s$)/;
/** Flags whose effect on the environment is in the recording, so that a replay does not need their files. */
const ENVIRONMENT_FLAGS: ReadonlySet<string> = new Set(['--env-file', '--env-file-if-exists']);
/** Conditions of package.json that select a form of Turntable's packages, such as their sources. */
const OWN_CONDITION = /^turntable-/;

interface NodeFlag {
  readonly name: string;
  readonly value: string | undefined;
  /** Arguments that set the flag, as written. */
  readonly args: readonly string[];
}

function parseFlags(args: readonly string[]): NodeFlag[] {
  const flags: NodeFlag[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name = arg, inlineValue] = /^(--?[^=]+)=(.*)$/s.exec(arg) ?? [];
    const nextArg = FLAGS_WITH_VALUE.has(arg) ? args[i + 1] : undefined;
    if (nextArg !== undefined) i++;
    flags.push({ name, value: inlineValue ?? nextArg, args: nextArg === undefined ? [arg] : [arg, nextArg] });
  }
  return flags;
}

/** @param hooks flags that register the hooks of the running Turntable */
export function replayFlags(
  recorded: readonly string[],
  currentArgs: readonly string[],
  hooks: readonly string[],
  heapMb: number = heapLimitMb(),
): string[] {
  const currentFlags = parseFlags(currentArgs);
  const flags: string[] = [...currentArgs];
  let hasHooks = false;
  for (const { name, value, args } of parseFlags(recorded)) {
    if (name === '--import' && value !== undefined && REGISTER_FILE.test(value)) {
      if (!hasHooks) flags.push(...hooks);
      hasHooks = true;
    } else if (ENVIRONMENT_FLAGS.has(name)) continue;
    else if (isHeapTooSmall(name, value, heapMb)) continue;
    else if ((name === '-C' || name === '--conditions') && value !== undefined && OWN_CONDITION.test(value)) continue;
    else if (!currentFlags.some((each) => each.name === name && each.value === value)) flags.push(...args);
  }
  return hasHooks ? flags : [...flags, ...hooks];
}

/** Recorded flags that a replay may use: none that grants a permission, opens a port, writes a file or contains code. */
export function harmlessFlags(recorded: readonly string[]): string[] {
  return parseFlags(recorded)
    .filter(({ name, value }) => !HARMFUL_FLAG.test(name) && value?.startsWith('data:') !== true)
    .flatMap(({ args }) => args);
}

/** URLs of the files that flags name and that Node loads before the program. Those of Turntable are left out. */
export function preloadedFiles(flags: readonly string[], cwd: string): string[] {
  return parseFlags(flags).flatMap(({ name, value = '' }) => {
    if (!PRELOADING_FLAG.test(name) || REGISTER_FILE.test(value)) return [];
    if (value.startsWith('file:')) return [value];
    return isAbsolute(value) || value.startsWith('.') ? [pathToFileURL(resolve(cwd, value)).href] : [];
  });
}

const PRELOADING_FLAG = /^(?:--import|--require|-r|--loader|--experimental-loader)$/;
const HARMFUL_FLAG =
  /^--(?:no-)?(?:experimental-)?(?:permission|allow-(?:fs|addons|child|worker|wasi|net|inspector|ffi)|inspect|cpu-prof|heap-prof|heapsnapshot|report|diagnostic-dir|redirect-warnings|trace-event|tls-keylog|env-file|prof|logfile|perf)/;
