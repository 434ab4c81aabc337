// Stands in for what the machine, the process and the engine say of themselves. What stays as it is while a process lives is one answer at the
// start, put in place where another process would answer otherwise; what changes is asked each time.
import os from 'node:os';
import v8 from 'node:v8';
import threads, { isMainThread } from 'node:worker_threads';
import type { Asking } from './asking.ts';
import { hasParent } from './parent-channel.ts';
import { standInAll, standInGetter } from '@turntable/loader';
import type { TapeValue } from '@turntable/core';

type Fn = (this: unknown, ...args: never[]) => unknown;

const { apply } = Reflect;

const OF_PROCESS =
  'uptime memoryUsage cpuUsage threadCpuUsage resourceUsage constrainedMemory availableMemory getActiveResourcesInfo kill';
const OF_OS =
  'arch availableParallelism cpus endianness freemem getPriority homedir hostname loadavg machine networkInterfaces platform release tmpdir totalmem type uptime userInfo version';
const OF_V8 =
  'cachedDataVersionTag getCppHeapStatistics getHeapCodeStatistics getHeapSpaceStatistics getHeapStatistics isStringOneByteRepresentation';

/** Of `process`, if they are other ones. */
const VALUES = ['argv0', 'execPath', 'pid', 'ppid'] as const;
/** The same, of what mostly are no others: then a program finds Node's own property, which it may replace and put back. */
const OF_BUILD = ['platform', 'arch', 'version'] as const;
const LISTS = ['argv', 'execArgv'] as const;
const CREDENTIALS = ['getuid', 'geteuid', 'getgid', 'getegid'] as const;

/** Variables that are for Node and for us: the program sees those it was started with, and a run again has its own kept for the threads that it starts. */
const NOT_OF_PROGRAM = /^(?:TURNTABLE_|NODE_)/;

/** By who reads the state that a run again begins with. */
const STILL_TO_BE_TAKEN = /^TURNTABLE_RESTORE/;

let own: Readonly<Record<string, string>> = {};

/** Of the environment, what this run again is told by: not what the program sees. */
export function ownVariables(): Readonly<Record<string, string>> {
  return own;
}

/** What stays as it is while a process lives. */
export interface Start {
  readonly values: Readonly<Record<(typeof VALUES | typeof OF_BUILD)[number], string | number>>;
  readonly lists: Readonly<Record<(typeof LISTS)[number], readonly string[]>>;
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

export interface Machine {
  readonly start: Start;
  /** In a run again that begins later than the program did. */
  beginAs(start: Start): void;
}

/** `begins`: the tape has the start of the program. */
export function placeMachine(asking: Asking, begins: boolean): Machine {
  const here = startHere();
  let start = here;
  const beginAs = (recorded: Start): void => {
    start = recorded;
    beIn(recorded, here);
  };
  if (asking.isReplay) answerFrom(() => start);
  if (begins) {
    const recorded = asking.machine('start', () => here as unknown as TapeValue) as unknown as Start;
    if (asking.isReplay) beginAs(recorded);
  }
  for (const [name, holder, functions] of [
    ['process', process, OF_PROCESS],
    ['os', os, OF_OS],
    ['v8', v8, OF_V8],
  ] as const)
    for (const each of functions.split(' ')) answer(asking, holder, each, `${name}.${each}`);
  const { rss } = process.memoryUsage;
  standInAll(process.memoryUsage, { rss: () => asking.machine('process.memoryUsage.rss', () => rss()) });
  placeNavigator(asking);
  return {
    get start() {
      return start;
    },
    beginAs,
  };
}

function answer(asking: Asking, holder: object, name: string, shown: string): void {
  const native = (holder as Record<string, Fn | undefined>)[name];
  if (typeof native !== 'function') return;
  standInAll(holder, { [name]: (...args: never[]) => asking.machine(shown, () => apply(native, holder, args)) });
}

function placeNavigator(asking: Asking): void {
  const { navigator } = globalThis as { navigator?: object };
  if (navigator === undefined) return;
  standInGetter(Reflect.getPrototypeOf(navigator) as object, 'hardwareConcurrency', (native) =>
    asking.machine('navigator.hardwareConcurrency', native),
  );
}

function startHere(): Start {
  const { argv0, execPath, pid, ppid, platform, arch, version, title } = process;
  const { argv, execArgv } = process;
  return {
    values: { argv0, execPath, pid, ppid, platform, arch, version },
    title,
    lists: { argv: [...argv], execArgv: [...execArgv] },
    versions: { ...process.versions } as Record<string, string>,
    credentials: CREDENTIALS.map((name) => process[name]?.()),
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
function answerFrom(start: () => Start): void {
  for (const name of VALUES) redefine(process, name, () => start().values[name]);
  CREDENTIALS.forEach((name, i) => {
    if (process[name] !== undefined) standInAll(process, { [name]: () => start().credentials[i] });
  });
  redefine(threads, 'threadId', () => start().threadId);
  redefine(Reflect.getPrototypeOf(performance) as object, 'timeOrigin', () => start().timeOrigin);
  // Where the recorded process was, if that cannot be gone to.
  const { cwd, chdir } = process;
  const here = cwd();
  let now: string | undefined;
  standInAll(process, {
    cwd: () => now ?? (cwd() === here ? start().cwd : cwd()),
    chdir(directory: string): void {
      chdir(directory);
      now = cwd();
    },
  });
}

/** What is Node's, and would be otherwise here. */
function beIn(start: Start, here: Start): void {
  // A program may put more into it: it stays what it is where nothing of it is otherwise.
  const names = Object.keys({ ...start.versions, ...here.versions });
  if (names.some((name) => start.versions[name] !== here.versions[name]))
    redefine(process, 'versions', () => start.versions);
  for (const name of OF_BUILD)
    if (start.values[name] !== here.values[name]) redefine(process, name, () => start.values[name]);
  for (const name of LISTS) process[name].splice(0, Infinity, ...start.lists[name]);
  own = Object.fromEntries(Object.entries(here.env).filter(([name]) => NOT_OF_PROGRAM.test(name)));
  setEnvironment(start.env);
  if (!isMainThread) return;
  // The last that is written, for it is what the engine goes by.
  if (start.timeZone !== undefined && start.timeZone !== here.timeZone && start.env['TZ'] === undefined)
    process.env['TZ'] = start.timeZone;
  if (start.title !== here.title) process.title = start.title;
  if (start.umask !== here.umask) process.umask(start.umask);
}

/** In the same order: a copy that the program makes has it. */
function setEnvironment(wanted: Readonly<Record<string, string>>): void {
  const { env } = process;
  const names = Object.keys(wanted);
  const now = Object.keys(env).filter((name) => !STILL_TO_BE_TAKEN.test(name));
  if (now.length !== names.length || now.some((name, i) => name !== names[i]))
    for (const name of now) Reflect.deleteProperty(env, name);
  for (const name of names) if (env[name] !== wanted[name]) env[name] = wanted[name];
}

function redefine(holder: object, name: string, get: () => unknown): void {
  const { enumerable = true, configurable = true } = Reflect.getOwnPropertyDescriptor(holder, name) ?? {};
  // Of `argv0` Node says for ever what it was started as.
  if (!configurable) return;
  Object.defineProperty(holder, name, { get, enumerable, configurable: true });
}
