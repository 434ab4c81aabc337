// What a program leaves in the `process` object: its arguments, its exit code, what it changed of the environment and the functions it wants
// to be called, `Error.prepareStackTrace` among them. The listeners of others (Node, devices, the loader) are not state.
import { internals } from '@turntable/core';

type Listener = (...args: never[]) => unknown;
type Catcher = ((error: Error) => void) | null;

export interface ProcessState {
  readonly argv: readonly string[];
  readonly exitCode: number | string | null | undefined;
  /** Names and values of variables that are not what they were when the process began, null of those that are gone. */
  readonly env: readonly (readonly [name: string, value: string | null])[];
  readonly listeners: readonly (readonly [event: string | symbol, listener: Listener, once: boolean])[];
  /** What `process.setUncaughtExceptionCaptureCallback` was given. */
  readonly catcher: Catcher;
  /** What stands in `Error.prepareStackTrace` in the place of the loader's. */
  readonly formatter: { readonly value: unknown } | null;
}

/** The loader has an accessor there: what it answers is not among its properties. */
const FORMATTER = 'prepareStackTrace';
const errors = Error as { prepareStackTrace?: unknown };
const accessor = (): unknown => Object.getOwnPropertyDescriptor(Error, FORMATTER)?.get;

/** Made before the program begins. */
export class ProcessWatch {
  /** The loader's formatter: programs keep it, to put it back. */
  readonly formatter: unknown = errors.prepareStackTrace;
  readonly #accessor = accessor();
  readonly #env: Readonly<NodeJS.ProcessEnv> = { ...process.env };
  #catcher: Catcher = null;

  constructor() {
    const native = process.setUncaughtExceptionCaptureCallback;
    const set = (catcher: Catcher): unknown => (this.#catcher = catcher);
    // Node tells that there is one, but not which.
    const { setUncaughtExceptionCaptureCallback } = {
      setUncaughtExceptionCaptureCallback(catcher: Catcher): void {
        native(catcher);
        set(catcher);
      },
    };
    Object.defineProperty(process, 'setUncaughtExceptionCaptureCallback', {
      value: setUncaughtExceptionCaptureCallback,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }

  read(): ProcessState {
    const listeners: [string | symbol, Listener, boolean][] = [];
    for (const event of process.eventNames()) {
      for (const raw of process.rawListeners(event) as (Listener & { listener?: Listener })[]) {
        const listener = raw.listener ?? raw;
        if (internals.isOurs(listener)) listeners.push([event, listener, raw.listener !== undefined]);
      }
    }
    return {
      argv: [...process.argv],
      exitCode: process.exitCode,
      env: this.#changesOfEnv(),
      listeners,
      catcher: this.#catcher,
      formatter: this.#changedFormatter(),
    };
  }

  #changedFormatter(): ProcessState['formatter'] {
    if (this.#accessor === undefined || accessor() !== this.#accessor) return null;
    const value = errors.prepareStackTrace;
    return value === this.formatter ? null : { value };
  }

  #changesOfEnv(): [string, string | null][] {
    const { ...now } = process.env;
    const names = [...new Set([...Object.keys(this.#env), ...Object.keys(now)])].toSorted();
    return names.flatMap((name) => (now[name] === this.#env[name] ? [] : [[name, now[name] ?? null]]));
  }
}

export function writeProcess({ argv, exitCode, env, listeners, catcher, formatter }: ProcessState): void {
  process.argv.splice(0, Infinity, ...argv);
  if (exitCode !== undefined) process.exitCode = exitCode;
  for (const [name, value] of env) {
    if (value === null) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
  for (const [event, listener, once] of listeners) {
    if (once) process.once(event as 'exit', listener as never);
    else process.on(event as 'exit', listener as never);
  }
  if (formatter !== null) errors.prepareStackTrace = formatter.value;
  if (catcher !== null) process.setUncaughtExceptionCaptureCallback(catcher);
}
