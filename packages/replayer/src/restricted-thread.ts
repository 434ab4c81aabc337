// Loaded first on each thread of a process that only Node's permission model restricts (sandbox/permissions.ts). Closes
// what the model leaves open: threads without restrictions, signals to other processes, and the inspector. The functions
// below may run after hostile code has changed all built-in objects, so they use no methods of them.
import { EventEmitter } from 'node:events';
import inspector from 'node:inspector';
import inspectorPromises from 'node:inspector/promises';
import module, { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import threads, { type WorkerOptions } from 'node:worker_threads';
import { takeInspectorSession } from './sandbox/inspector-session.ts';

const { defineProperty, getPrototypeOf, setPrototypeOf } = Object;
const { Worker: NodeWorker } = threads;

/** Flags for a thread that does not inherit them: without the right to the inspector, which shows all variables. */
const RESTRICTING_FLAGS: readonly string[] = process.execArgv.filter(
  (flag) =>
    /^--(?:permission$|allow-|disable-warning=|disable-sigusr1$|require=.*[\\/]restricted-thread\.[jt]s$)/.test(flag) &&
    flag !== '--allow-inspector',
);

const NO_FLAGS: readonly string[] = [];

const OPTION_NAMES = [
  'name',
  'workerData',
  'transferList',
  'eval',
  'env',
  'argv',
  'stdin',
  'stdout',
  'stderr',
  'trackUnmanagedFds',
  'resourceLimits',
] as const satisfies readonly (keyof WorkerOptions)[];

/** In a replay, the program constructs the session, and the trace answers its calls. */
class InertSession extends EventEmitter {
  connect(): void {}
  connectToMainThread(): void {}
  disconnect(): void {}
  post(): never {
    return refuse();
  }
}

/** The only holder of Node's class. */
function RestrictedWorker(filename: string | URL, options?: WorkerOptions): unknown {
  if (new.target === undefined) throw new TypeError(`Class constructor Worker cannot be invoked without 'new'`);
  const worker = new NodeWorker(filename, restrictedOptions(options));
  return setPrototypeOf(worker, (new.target as { prototype: object }).prototype) as unknown;
}

function restrictedOptions(options: WorkerOptions | undefined): WorkerOptions {
  const restricted = { __proto__: null } as WorkerOptions & Record<string, unknown>;
  if (options === undefined) return restricted;
  for (let i = 0; i < OPTION_NAMES.length; i++) {
    const name = OPTION_NAMES[i] as (typeof OPTION_NAMES)[number];
    const value: unknown = options[name];
    if (value !== undefined) restricted[name] = value;
  }
  const { execArgv } = options;
  // A thread whose code is a text does not run register.ts, which takes the inspector away.
  if (execArgv !== undefined || (restricted.eval !== undefined && restricted.eval !== false))
    restricted.execArgv = restrictedFlags(execArgv ?? NO_FLAGS);
  return restricted;
}

function restrictedFlags(requested: readonly unknown[]): string[] {
  const flags: string[] = [];
  for (let i = 0; i < RESTRICTING_FLAGS.length; i++) append(flags, RESTRICTING_FLAGS[i] as string);
  for (let i = 0; i < requested.length; i++) {
    const flag = requested[i];
    const value = requested[i + 1];
    if (isHarmlessFlag(flag)) append(flags, flag);
    else if (isHarmlessFlagWithValue(flag) && typeof value === 'string' && value[0] !== '-') {
      append(flags, flag);
      append(flags, value);
      i++;
    }
  }
  return flags;
}

/** Appends also where hostile code has defined setters for indexes. */
function append(list: string[], value: string): void {
  const descriptor = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
  defineProperty(list, list.length, descriptor);
}

function isHarmlessFlag(flag: unknown): flag is string {
  switch (flag) {
    case '--no-warnings':
    case '--no-deprecation':
    case '--trace-warnings':
    case '--trace-deprecation':
    case '--enable-source-maps':
      return true;
    default:
      return false;
  }
}

function isHarmlessFlagWithValue(flag: unknown): flag is string {
  switch (flag) {
    case '-C':
    case '--conditions':
    case '-r':
    case '--require':
    case '--import':
      return true;
    default:
      return false;
  }
}

/** Hides the class behind Node's, which starts threads without the options above. */
function hideNativeConstructor(): void {
  const worker = createUnstartedWorker();
  for (const symbol of Object.getOwnPropertySymbols(worker)) {
    const value = (worker as Record<symbol, unknown>)[symbol] as { startThread?: unknown } | null;
    if (typeof value !== 'object' || typeof value?.startThread !== 'function') continue;
    defineProperty(getPrototypeOf(value), 'constructor', { value: undefined });
    return;
  }
  throw new Error(`threads of Node ${process.version} cannot be restricted; use another version, or --trusted`);
}

/** Returns a worker that Node's constructor has refused to start, because of a flag. */
function createUnstartedWorker(): object {
  let unstarted: object = {};
  function Observed(): void {}
  Observed.prototype = Object.create(NodeWorker.prototype, {
    // The first property that the constructor sets.
    _events: {
      set(this: object, value: unknown) {
        unstarted = this;
        defineProperty(this, '_events', { value, writable: true, configurable: true });
      },
    },
  });
  try {
    Reflect.construct(NodeWorker, ['', { eval: true, execArgv: ['--unknown'] }], Observed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_INVALID_EXEC_ARGV') throw error;
  }
  return unstarted;
}

function restrictThreads(): void {
  hideNativeConstructor();
  RestrictedWorker.prototype = NodeWorker.prototype;
  setPrototypeOf(RestrictedWorker, getPrototypeOf(NodeWorker) as object);
  defineProperty(RestrictedWorker, 'name', { value: 'Worker' });
  defineProperty(NodeWorker.prototype, 'constructor', { value: RestrictedWorker, writable: true, configurable: true });
  (threads as { Worker: unknown }).Worker = RestrictedWorker;
}

interface ProcessInternals {
  _kill(pid: number, signal: number): number;
  _debugProcess?(pid: number): void;
}

function restrictSignals(): void {
  const { pid, platform } = process;
  const internals = process as unknown as ProcessInternals;
  const { _kill: kill } = internals;
  const notPermitted = platform === 'win32' ? -4048 : -1;
  // Signal 0 only asks whether a process exists.
  internals._kill = (target, signal) => (target === pid || signal === 0 ? kill(target, signal) : notPermitted);
  // Starts the inspector of another process.
  internals._debugProcess = (): never => refuse();
}

function restrictInspector(): void {
  // The threads of a replay take the class before they load the recorded program. That of module hooks does not.
  if (threads.isInternalThread) takeInspectorSession();
  for (const exports of [inspector, inspectorPromises] as unknown as Record<string, unknown>[]) {
    // One function each: a replay identifies the functions of Node by their identity.
    for (const name of ['open', 'waitForDebugger']) if (name in exports) exports[name] = (): never => refuse();
    exports['Session'] = InertSession;
  }
}

function refuse(): never {
  throw new Error('it is not available in the sandbox of a replay');
}

/** The modules that Node has loaded are part of the program's state. */
function forgetThisFile(): void {
  const { _cache: loaded } = module as unknown as { _cache: Record<string, unknown> };
  Reflect.deleteProperty(loaded, fileURLToPath(import.meta.url));
}

forgetThisFile();
restrictThreads();
restrictSignals();
restrictInspector();
syncBuiltinESMExports();
