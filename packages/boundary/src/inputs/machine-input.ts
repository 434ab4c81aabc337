// Stands in for what the machine, the process and the engine say of themselves. What stays as it is while a process lives is one answer at the
// start, put in place where another process would answer otherwise; what changes is asked each time.
import os from 'node:os';
import v8 from 'node:v8';
import threads, { isMainThread } from 'node:worker_threads';
import type { InputTape } from './input-tape.ts';
import { hasParent } from './parent-channel.ts';
import { replaceFunctions, wrapGetter } from '@turntable/loader';
import type { TapeValue } from '@turntable/core';

type AnyFunction = (this: unknown, ...args: never[]) => unknown;

const { apply } = Reflect;

const PROCESS_FUNCTIONS =
  'uptime memoryUsage cpuUsage threadCpuUsage resourceUsage constrainedMemory availableMemory getActiveResourcesInfo kill';
const OS_FUNCTIONS =
  'arch availableParallelism cpus endianness freemem getPriority homedir hostname loadavg machine networkInterfaces platform release tmpdir totalmem type uptime userInfo version';
const V8_FUNCTIONS =
  'cachedDataVersionTag getCppHeapStatistics getHeapCodeStatistics getHeapSpaceStatistics getHeapStatistics isStringOneByteRepresentation';

/** Of `process`, if they are other ones. */
const PROCESS_VALUES = ['argv0', 'execPath', 'pid', 'ppid'] as const;
/** The same, of what mostly are no others: then a program finds Node's own property, which it may replace and put back. */
const BUILD_VALUES = ['platform', 'arch', 'version'] as const;
const PROCESS_LISTS = ['argv', 'execArgv'] as const;
const CREDENTIAL_GETTERS = ['getuid', 'geteuid', 'getgid', 'getegid'] as const;

/** Variables that are for Node and for us: the program sees those it was started with, and a run again has its own kept for the threads that it starts. */
const RESERVED_VARIABLES = /^(?:TURNTABLE_|NODE_)/;

/** By who reads the state that a run again begins with. */
const RESTORE_VARIABLES = /^TURNTABLE_RESTORE/;

let reservedVariables: Readonly<Record<string, string>> = {};

/** Of the environment, what this run again is told by: not what the program sees. */
export function turntableVariables(): Readonly<Record<string, string>> {
  return reservedVariables;
}

/** What stays as it is while a process lives. */
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
  /** Of the main thread: it is the process's, and dear to ask for. */
  readonly timeZone: string | undefined;
  readonly timeOrigin: number;
  /** It was forked, and has a channel to who has done that. */
  readonly hasParent?: boolean;
}

export interface MachineInput {
  readonly start: ProcessStart;
  /** In a run again that begins later than the program did. */
  adoptStart(start: ProcessStart): void;
}

/** `isFromStart`: the tape has the start of the program. */
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
  };
}

/** What the process says of itself is what the recorded one did, whose start may be known later: nothing is replaced then. */
function answerFromStart(start: () => ProcessStart): void {
  for (const name of PROCESS_VALUES) redefineGetter(process, name, () => start().values[name]);
  CREDENTIAL_GETTERS.forEach((name, i) => {
    if (process[name] !== undefined) replaceFunctions(process, { [name]: () => start().credentials[i] });
  });
  redefineGetter(threads, 'threadId', () => start().threadId);
  redefineGetter(Reflect.getPrototypeOf(performance) as object, 'timeOrigin', () => start().timeOrigin);
  // Where the recorded process was, if that cannot be gone to.
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

/** What is Node's, and would be otherwise here. */
function applyStart(start: ProcessStart, actualStart: ProcessStart): void {
  // A program may put more into it: it stays what it is where nothing of it is otherwise.
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
  // The last that is written, for it is what the engine goes by.
  if (start.timeZone !== undefined && start.timeZone !== actualStart.timeZone && start.env['TZ'] === undefined)
    process.env['TZ'] = start.timeZone;
  if (start.title !== actualStart.title) process.title = start.title;
  if (start.umask !== actualStart.umask) process.umask(start.umask);
}

/** In the same order: a copy that the program makes has it. */
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
  // Of `argv0` Node says for ever what it was started as.
  if (!configurable) return;
  Object.defineProperty(holder, name, { get, enumerable, configurable: true });
}
