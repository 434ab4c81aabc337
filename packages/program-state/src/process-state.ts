// The program's state in and around the `process` object that no property shows: arguments, exit code, changed
// environment variables, settings, counters of `console`, listeners of the program, the exception callback, and
// `Error.prepareStackTrace`. Listeners of Node, devices and the loader are not part of it.
import { EventEmitter } from 'node:events';
import { internals } from '@turntable/core';
import { readConsole, writeConsole, type ConsoleState } from './console-state.ts';
import { HostSettings, type ChangedSetting } from './host-settings.ts';
import { StandardStreams, type StandardStreamName } from './standard-streams.ts';

type Listener = (...args: never[]) => unknown;
type ExceptionCallback = ((error: Error) => void) | null;
type Subscription = readonly [event: string | symbol, listener: Listener, once: boolean];

export interface ProcessState {
  readonly argv: readonly string[];
  /** Null if the arguments are unchanged. */
  readonly execArgv: readonly string[] | null;
  readonly exitCode: number | string | null | undefined;
  /** Changed variables; null for removed ones. */
  readonly env: readonly (readonly [name: string, value: string | null])[];
  readonly settings: readonly ChangedSetting[];
  readonly console: ConsoleState;
  readonly listeners: readonly Subscription[];
  /** Listeners of the program on standard streams. */
  readonly streamListeners: readonly (readonly [stream: StandardStreamName, listeners: readonly Subscription[]])[];
  /** Set with `process.setUncaughtExceptionCaptureCallback`. */
  readonly exceptionCallback: ExceptionCallback;
  /** The value of `Error.prepareStackTrace` if it is not the loader's. */
  readonly formatter: { readonly value: unknown } | null;
}

/** The process's parameters at launch. */
export interface ProcessLaunch {
  readonly execPath: string;
  readonly argv0: string;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Property of `Error` that is an accessor of the loader, so that comparing properties does not show its value. */
const FORMATTER_KEY = 'prepareStackTrace';
const { on, once, eventNames, rawListeners } = EventEmitter.prototype;
const errorClass = Error as { prepareStackTrace?: unknown };
const formatterAccessor = (): unknown => Object.getOwnPropertyDescriptor(Error, FORMATTER_KEY)?.get;

/** Must be created before the program starts. */
export class ProcessStateAccess {
  /** The loader's formatter, which programs save and restore. */
  readonly formatter: unknown = errorClass.prepareStackTrace;
  readonly #loaderAccessor = formatterAccessor();
  /** Node's original objects, because a program may replace the properties of `process`. */
  readonly #nodeObjects = { env: process.env, argv: process.argv, execArgv: process.execArgv };
  launch: ProcessLaunch = currentLaunch();
  readonly settings: HostSettings = new HostSettings();
  readonly streams: StandardStreams = new StandardStreams();
  #exceptionCallback: ExceptionCallback = null;
  #formatterChange: ProcessState['formatter'] = null;

  constructor() {
    const nativeSet = process.setUncaughtExceptionCaptureCallback;
    const set = (exceptionCallback: ExceptionCallback): unknown => (this.#exceptionCallback = exceptionCallback);
    // Node shows only whether a callback is set, so the function that sets it is replaced.
    const { setUncaughtExceptionCaptureCallback } = {
      setUncaughtExceptionCaptureCallback(exceptionCallback: ExceptionCallback): void {
        nativeSet(exceptionCallback);
        set(exceptionCallback);
      },
    };
    Object.defineProperty(process, 'setUncaughtExceptionCaptureCallback', {
      value: setUncaughtExceptionCaptureCallback,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }

  /** Stores a change of the formatter. Must be called before deleted builtins are restored: a deletion is no change. */
  noteFormatter(): void {
    this.#formatterChange = this.#findFormatterChange();
  }

  /** Makes the current values the values at launch. Called when the process takes the place of a captured one. */
  resetBaseline(): void {
    this.launch = currentLaunch();
    this.settings.resetBaseline();
  }

  /** @param withTimes false for states that are compared, because elapsed times differ between equal states */
  read(withTimes: boolean): ProcessState {
    const { argv, execArgv } = this.#nodeObjects;
    return {
      argv: [...argv],
      execArgv: areListsEqual(execArgv, this.launch.execArgv) ? null : [...execArgv],
      exitCode: process.exitCode,
      env: this.#envChanges(),
      settings: this.settings.read(),
      console: readConsole(withTimes),
      listeners: programListeners(process),
      streamListeners: [...this.streams.openedStreams]
        .map(([name, stream]) => [name, programListeners(stream)] as const)
        .filter(([, listeners]) => listeners.length > 0),
      exceptionCallback: this.#exceptionCallback,
      formatter: this.#formatterChange,
    };
  }

  /** Restores the state. Must run while builtins have their original values. */
  write(state: ProcessState): void {
    const { argv, execArgv, env } = this.#nodeObjects;
    argv.splice(0, Infinity, ...state.argv);
    if (state.execArgv !== null) execArgv.splice(0, Infinity, ...state.execArgv);
    if (state.exitCode !== undefined) process.exitCode = state.exitCode;
    for (const [name, value] of state.env) {
      if (value === null) Reflect.deleteProperty(env, name);
      else env[name] = value;
    }
    this.settings.write(state.settings);
    writeConsole(state.console);
    addListeners(process, state.listeners);
    for (const [name, listeners] of state.streamListeners) addListeners(process[name], listeners);
    if (state.formatter !== null) errorClass.prepareStackTrace = state.formatter.value;
    if (state.exceptionCallback !== null) process.setUncaughtExceptionCaptureCallback(state.exceptionCallback);
  }

  #findFormatterChange(): ProcessState['formatter'] {
    if (this.#loaderAccessor === undefined || formatterAccessor() !== this.#loaderAccessor) return null;
    const value = errorClass.prepareStackTrace;
    return value === this.formatter ? null : { value };
  }

  #envChanges(): [string, string | null][] {
    const { env: original } = this.launch;
    const { ...current } = this.#nodeObjects.env;
    const names = [...new Set([...Object.keys(original), ...Object.keys(current)])].toSorted();
    return names.flatMap((name) => (current[name] === original[name] ? [] : [[name, current[name] ?? null]]));
  }
}

function currentLaunch(): ProcessLaunch {
  const { execPath, argv0, argv, execArgv, env } = process;
  return { execPath, argv0, argv: [...argv], execArgv: [...execArgv], env: { ...env }, cwd: process.cwd() };
}

function programListeners(emitter: EventEmitter): Subscription[] {
  const listeners: Subscription[] = [];
  for (const event of Reflect.apply(eventNames, emitter, [])) {
    for (const rawListener of Reflect.apply(rawListeners, emitter, [event]) as (Listener & { listener?: Listener })[]) {
      const listener = rawListener.listener ?? rawListener;
      if (internals.isCapturable(listener)) listeners.push([event, listener, rawListener.listener !== undefined]);
    }
  }
  return listeners;
}

function addListeners(emitter: EventEmitter, listeners: readonly Subscription[]): void {
  for (const [event, listener, isOnce] of listeners)
    Reflect.apply(isOnce ? once : on, emitter, [event, listener as never]);
}

function areListsEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i]);
}
