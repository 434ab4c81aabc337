// Replaces what the machine, the process and the engine report about themselves. Values that are constant in a process
// are recorded once, at the start, and replaced where another process would differ. Others are recorded on each read.
import os from 'node:os';
import v8 from 'node:v8';
import threads, { isMainThread } from 'node:worker_threads';
import type { InputTape } from './input-tape.ts';
import { hasParent } from './parent-channel.ts';
import { applyTerminals, readTerminals, type Terminals } from './terminals.ts';
import { callerFiles, replaceFunctions, wrapGetter } from '@turntable/loader';
import type { TapeValue } from '@turntable/core';

type AnyFunction = (this: unknown, ...args: never[]) => unknown;

const { apply } = Reflect;

const PROCESS_FUNCTIONS =
  'uptime memoryUsage cpuUsage threadCpuUsage resourceUsage constrainedMemory availableMemory getActiveResourcesInfo getgroups kill';
/** Node's script of `process.kill`. */
const KILL_SCRIPT = 'node:internal/process/per_thread';
const OS_FUNCTIONS =
  'arch availableParallelism cpus endianness freemem getPriority homedir hostname loadavg machine networkInterfaces platform release setPriority tmpdir totalmem type uptime userInfo version';
const V8_FUNCTIONS =
  'cachedDataVersionTag getCppHeapStatistics getHeapCodeStatistics getHeapSpaceStatistics getHeapStatistics isStringOneByteRepresentation queryObjects';

/** Properties of `process` that a replay always takes from the recorded start. */
const PROCESS_VALUES = ['argv0', 'execPath', 'pid', 'ppid'] as const;
/** Properties that a replay replaces only if they differ. The program may replace and restore Node's own property. */
const BUILD_VALUES = ['platform', 'arch', 'version'] as const;
const PROCESS_LISTS = ['argv', 'execArgv'] as const;
const CREDENTIAL_GETTERS = ['getuid', 'geteuid', 'getgid', 'getegid'] as const;

/** Variables of Node and Turntable. A replaying program sees recorded values; Node uses this process's values. */
const RESERVED_VARIABLES = /^(?:TURNTABLE_|NODE_)/;

/** Variables of a process that restores a state. A replay must not remove them. */
const RESTORE_VARIABLES = /^TURNTABLE_RESTORE/;

let reservedVariables: Readonly<Record<string, string>> = {};

/** Environment variables that configure this process, which a replaying program does not see. */
export function turntableVariables(): Readonly<Record<string, string>> {
  return reservedVariables;
}

export interface ProcessStart {
  readonly values: Readonly<Record<(typeof PROCESS_VALUES | typeof BUILD_VALUES)[number], string | number>>;
  readonly lists: Readonly<Record<(typeof PROCESS_LISTS)[number], readonly string[]>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly credentials: readonly (number | undefined)[];
  readonly title: string;
  readonly umask: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly threadId: number;
  /** Set on the main thread only, because the time zone belongs to the process and is slow to read. */
  readonly timeZone: string | undefined;
  readonly timeOrigin: number;
  readonly hasParent?: boolean;
  /** On the main thread. */
  readonly terminals?: Terminals;
}

export interface MachineInput {
  readonly start: ProcessStart;
  /** Adopts the start of the recorded process, for a replay that begins at a snapshot. */
  adoptStart(start: ProcessStart): void;
}

/** @param isFromStart whether the tape contains the start of the program */
export function installMachineInput(inputTape: InputTape, isFromStart: boolean): MachineInput {
  const actualStart = readProcessStart();
  let start = actualStart;
  const adoptStart = (recorded: ProcessStart): void => {
    start = recorded;
    applyStart(recorded, actualStart);
  };
  if (inputTape.isReplay) answerFromStart(() => start);
  if (isFromStart) {
    const recorded = inputTape.recordValue(
      'start',
      () => actualStart as unknown as TapeValue,
    ) as unknown as ProcessStart;
    if (inputTape.isReplay) adoptStart(recorded);
  }
  for (const [name, holder, functions] of [
    ['process', process, PROCESS_FUNCTIONS],
    ['os', os, OS_FUNCTIONS],
    ['v8', v8, V8_FUNCTIONS],
  ] as const)
    for (const functionName of functions.split(' '))
      recordFunction(inputTape, holder, functionName, `${name}.${functionName}`);
  recordSignals(inputTape);
  recordEnvironmentFiles(inputTape);
  const { rss } = process.memoryUsage;
  replaceFunctions(process.memoryUsage, { rss: () => inputTape.recordValue('process.memoryUsage.rss', () => rss()) });
  installNavigator(inputTape);
  return {
    get start() {
      return start;
    },
    adoptStart,
  };
}

function recordFunction(inputTape: InputTape, holder: object, name: string, recordedName: string): void {
  const native = (holder as Record<string, AnyFunction | undefined>)[name];
  if (typeof native !== 'function') return;
  replaceFunctions(holder, {
    [name]: (...args: never[]) => inputTape.recordValue(recordedName, () => apply(native, holder, args)),
  });
}

/** Records `process._kill`. Node's `process.kill` calls it, also for Turntable. */
function recordSignals(inputTape: InputTape): void {
  const { _kill: native } = process as unknown as { readonly _kill: AnyFunction };
  const { _kill } = {
    _kill: (...args: never[]): unknown =>
      callerFiles(_kill, 1)?.[0] === KILL_SCRIPT
        ? apply(native, process, args)
        : inputTape.recordValue('process._kill', () => apply(native, process, args)),
  };
  replaceFunctions(process, { _kill });
}

/** Records the variables that `process.loadEnvFile` sets. Node leaves existing variables alone. */
function recordEnvironmentFiles(inputTape: InputTape): void {
  const { loadEnvFile } = process;
  replaceFunctions(process, {
    loadEnvFile(...args: [path?: string]): void {
      const added = inputTape.recordValue('process.loadEnvFile', () => {
        const before = new Set(Object.keys(process.env));
        apply(loadEnvFile, process, args);
        return Object.fromEntries(Object.entries(process.env).filter(([name]) => !before.has(name)));
      });
      if (inputTape.isReplay) Object.assign(process.env, added);
    },
  });
}

function installNavigator(inputTape: InputTape): void {
  const { navigator } = globalThis as { navigator?: object };
  if (navigator === undefined) return;
  wrapGetter(Reflect.getPrototypeOf(navigator) as object, 'hardwareConcurrency', (native) =>
    inputTape.recordValue('navigator.hardwareConcurrency', native),
  );
}

function readProcessStart(): ProcessStart {
  const { argv0, execPath, pid, ppid, platform, arch, version, title } = process;
  const { argv, execArgv } = process;
  return {
    values: { argv0, execPath, pid, ppid, platform, arch, version },
    title,
    lists: { argv: [...argv], execArgv: [...execArgv] },
    versions: { ...process.versions } as Record<string, string>,
    credentials: CREDENTIAL_GETTERS.map((name) => process[name]?.()),
    umask: process.umask(),
    cwd: process.cwd(),
    env: { ...process.env } as Record<string, string>,
    threadId: threads.threadId,
    timeZone: isMainThread ? Intl.DateTimeFormat().resolvedOptions().timeZone : undefined,
    timeOrigin: performance.timeOrigin,
    ...(hasParent && isMainThread && { hasParent }),
    ...(isMainThread && { terminals: readTerminals() }),
  };
}

/** Installs getters of the recorded values. A replay from a snapshot learns these values when it restores the state. */
function answerFromStart(start: () => ProcessStart): void {
  for (const name of PROCESS_VALUES) redefineGetter(process, name, () => start().values[name]);
  CREDENTIAL_GETTERS.forEach((name, i) => {
    if (process[name] !== undefined) replaceFunctions(process, { [name]: () => start().credentials[i] });
  });
  redefineGetter(threads, 'threadId', () => start().threadId);
  redefineGetter(Reflect.getPrototypeOf(performance) as object, 'timeOrigin', () => start().timeOrigin);
  // The recorded working directory may not exist here, so it is reported without being entered.
  const { cwd, chdir } = process;
  const actualCwd = cwd();
  let changedCwd: string | undefined;
  replaceFunctions(process, {
    cwd: () => changedCwd ?? (cwd() === actualCwd ? start().cwd : cwd()),
    chdir(directory: string): void {
      chdir(directory);
      changedCwd = cwd();
    },
  });
}

/** Sets the recorded values where this process differs, and the recorded argument lists and environment. */
function applyStart(start: ProcessStart, actualStart: ProcessStart): void {
  // The program may add properties to the object, so it stays Node's own if nothing differs.
  const names = Object.keys({ ...start.versions, ...actualStart.versions });
  if (names.some((name) => start.versions[name] !== actualStart.versions[name]))
    redefineGetter(process, 'versions', () => start.versions);
  for (const name of BUILD_VALUES)
    if (start.values[name] !== actualStart.values[name]) redefineGetter(process, name, () => start.values[name]);
  for (const name of PROCESS_LISTS) process[name].splice(0, Infinity, ...start.lists[name]);
  reservedVariables = Object.fromEntries(
    Object.entries(actualStart.env).filter(([name]) => RESERVED_VARIABLES.test(name)),
  );
  replaceEnvironment(start.env);
  if (!isMainThread) return;
  // Set last, because the engine adopts the time zone whenever the variable is set.
  if (start.timeZone !== undefined && start.timeZone !== actualStart.timeZone && start.env['TZ'] === undefined)
    process.env['TZ'] = start.timeZone;
  if (start.terminals !== undefined && actualStart.terminals !== undefined)
    applyTerminals(start.terminals, actualStart.terminals);
  if (start.title !== actualStart.title) process.title = start.title;
  if (start.umask !== actualStart.umask) process.umask(start.umask);
}

/** Replaces the environment. Keeps the recorded order of the variables, which the program can observe. */
function replaceEnvironment(variables: Readonly<Record<string, string>>): void {
  const { env } = process;
  const wantedNames = Object.keys(variables);
  const currentNames = Object.keys(env).filter((name) => !RESTORE_VARIABLES.test(name));
  if (currentNames.length !== wantedNames.length || currentNames.some((name, i) => name !== wantedNames[i]))
    for (const name of currentNames) Reflect.deleteProperty(env, name);
  for (const name of wantedNames) if (env[name] !== variables[name]) env[name] = variables[name];
}

function redefineGetter(holder: object, name: string, get: () => unknown): void {
  const { enumerable = true, configurable = true } = Reflect.getOwnPropertyDescriptor(holder, name) ?? {};
  // Node makes `argv0` non-configurable, so it cannot be replaced.
  if (!configurable) return;
  Object.defineProperty(holder, name, { get, enumerable, configurable: true });
}
