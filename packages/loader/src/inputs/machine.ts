// Stands in for what the machine, the process and the engine say of themselves. What stays as it is while a process lives is one answer at the
// start, put in place where another process would answer otherwise; what changes is asked each time.
import os from 'node:os';
import v8 from 'node:v8';
import threads from 'node:worker_threads';
import { isMainThread } from 'node:worker_threads';
import type { Asking } from './asking.ts';
import { standIn } from '../realm/stand-in.ts';
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
const VALUES = ['argv0', 'execPath', 'pid', 'ppid', 'platform', 'arch', 'version', 'title'] as const;
const LISTS = ['argv', 'execArgv'] as const;
const CREDENTIALS = ['getuid', 'geteuid', 'getgid', 'getegid'] as const;

/** Variables that are for Node and for us, not for the program: a replay has its own. */
const NOT_OF_PROGRAM = /^(?:TURNTABLE_|NODE_)/;

interface Start {
  readonly values: Readonly<Record<(typeof VALUES)[number], string | number>>;
  readonly lists: Readonly<Record<(typeof LISTS)[number], readonly string[]>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly credentials: readonly (number | undefined)[];
  readonly umask: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly threadId: number;
  readonly timeZone: string;
}

export function placeMachine(asking: Asking): void {
  const here = startHere();
  const start = asking.machine('start', () => here as unknown as TapeValue) as unknown as Start;
  if (asking.isReplay) beAs(start, here);
  for (const [name, holder, functions] of [
    ['process', process, OF_PROCESS],
    ['os', os, OF_OS],
    ['v8', v8, OF_V8],
  ] as const)
    for (const each of functions.split(' ')) answer(asking, holder, each, `${name}.${each}`);
  const { rss } = process.memoryUsage;
  standIn(
    process.memoryUsage,
    'rss',
    {
      rss: () => asking.machine('process.memoryUsage.rss', () => rss()),
    }.rss,
  );
  placeNavigator(asking);
}

function answer(asking: Asking, holder: object, name: string, shown: string): void {
  const native = (holder as Record<string, Fn | undefined>)[name];
  if (typeof native !== 'function') return;
  const { [name]: own } = {
    [name]: (...args: never[]): unknown => asking.machine(shown, () => apply(native, holder, args)),
  };
  standIn(holder, name, own as Fn);
}

function placeNavigator(asking: Asking): void {
  const { navigator } = globalThis as { navigator?: object };
  if (navigator === undefined) return;
  const prototype = Reflect.getPrototypeOf(navigator) as object;
  const descriptor = Reflect.getOwnPropertyDescriptor(prototype, 'hardwareConcurrency');
  const get = descriptor?.get;
  if (get === undefined) return;
  const { get: own } = {
    get: (): unknown => asking.machine('navigator.hardwareConcurrency', () => apply(get, navigator, [])),
  };
  Object.defineProperty(prototype, 'hardwareConcurrency', { ...descriptor, get: own });
}

function startHere(): Start {
  const { argv0, execPath, pid, ppid, platform, arch, version, title } = process;
  const { argv, execArgv } = process;
  return {
    values: { argv0, execPath, pid, ppid, platform, arch, version, title },
    lists: { argv: [...argv], execArgv: [...execArgv] },
    versions: { ...process.versions } as Record<string, string>,
    credentials: CREDENTIALS.map((name) => process[name]?.()),
    umask: process.umask(),
    cwd: process.cwd(),
    env: { ...process.env } as Record<string, string>,
    threadId: threads.threadId,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/** Answers from now on what the recorded process did. */
function beAs(start: Start, here: Start): void {
  for (const name of VALUES) {
    const value = start.values[name];
    if (value !== here.values[name]) redefine(process, name, value);
  }
  for (const name of LISTS) process[name].splice(0, Infinity, ...start.lists[name]);
  if (JSON.stringify(start.versions) !== JSON.stringify(here.versions))
    redefine(process, 'versions', Object.freeze({ ...start.versions }));
  CREDENTIALS.forEach((name, i) => {
    const value = start.credentials[i];
    if (value !== here.credentials[i] && process[name] !== undefined)
      standIn(process, name, { [name]: () => value }[name] as Fn);
  });
  if (start.threadId !== here.threadId) redefine(threads, 'threadId', start.threadId);
  beIn(start, here);
  for (const name of Object.keys(process.env))
    if (!(name in start.env) && !NOT_OF_PROGRAM.test(name)) Reflect.deleteProperty(process.env, name);
  for (const [name, value] of Object.entries(start.env))
    if (process.env[name] !== value && !NOT_OF_PROGRAM.test(name)) process.env[name] = value;
  // The last that is written, for it is what the engine goes by.
  if (isMainThread && start.timeZone !== here.timeZone && start.env['TZ'] === undefined)
    process.env['TZ'] = start.timeZone;
}

/** Where the recorded process was: in its directory if that is there, else by name only. */
function beIn({ cwd, umask }: Start, here: Start): void {
  if (isMainThread && umask !== here.umask) process.umask(umask);
  if (cwd === here.cwd) return;
  if (isMainThread) {
    try {
      return process.chdir(cwd);
    } catch {
      // Not there: nothing is read from it in a replay.
    }
  }
  let now = cwd;
  standIn(process, 'cwd', { cwd: () => now }.cwd);
  const native = process.chdir;
  standIn(
    process,
    'chdir',
    {
      chdir(directory: string): void {
        native(directory);
        now = directory;
      },
    }.chdir as Fn,
  );
}

function redefine(holder: object, name: string, value: unknown): void {
  const { enumerable = true, configurable = true } = Reflect.getOwnPropertyDescriptor(holder, name) ?? {};
  // Of `argv0` Node says for ever what it was started as.
  if (!configurable) return;
  Object.defineProperty(holder, name, { value, enumerable, configurable: true, writable: true });
}
