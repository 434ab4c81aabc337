// What a program leaves in the `process` object and around it where no property tells: arguments, exit code, what it changed of the
// environment, settings, what `console` counts, and the functions it wants to be called, `Error.prepareStackTrace` among them. The
// listeners of others (Node, devices, the loader) are not state.
import { EventEmitter } from 'node:events';
import { internals } from '@turntable/core';
import { readConsole, writeConsole, type ConsoleState } from './console-state.ts';
import { HostSettings, type ChangedSetting } from './host-settings.ts';
import { StandardStreams, type StreamName } from './standard-streams.ts';

type Listener = (...args: never[]) => unknown;
type Catcher = ((error: Error) => void) | null;
type Subscription = readonly [event: string | symbol, listener: Listener, once: boolean];

export interface ProcessState {
  readonly argv: readonly string[];
  /** If it is not what the process began with. */
  readonly execArgv: readonly string[] | null;
  readonly exitCode: number | string | null | undefined;
  /** Names and values of variables that are not what they were when the process began, null of those that are gone. */
  readonly env: readonly (readonly [name: string, value: string | null])[];
  readonly settings: readonly ChangedSetting[];
  readonly console: ConsoleState;
  readonly listeners: readonly Subscription[];
  /** Those on standard streams. */
  readonly ofStreams: readonly (readonly [stream: StreamName, listeners: readonly Subscription[]])[];
  /** What `process.setUncaughtExceptionCaptureCallback` was given. */
  readonly catcher: Catcher;
  /** What stands in `Error.prepareStackTrace` in the place of the loader's. */
  readonly formatter: { readonly value: unknown } | null;
}

/** What a process was started with, before its program changed any of it. */
export interface Birth {
  readonly execPath: string;
  readonly argv0: string;
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The loader has an accessor there: what it answers is not among its properties. */
const FORMATTER = 'prepareStackTrace';
const { on, once, eventNames, rawListeners } = EventEmitter.prototype;
const errors = Error as { prepareStackTrace?: unknown };
const accessor = (): unknown => Object.getOwnPropertyDescriptor(Error, FORMATTER)?.get;

/** Made before the program begins. */
export class ProcessWatch {
  /** The loader's formatter: programs keep it, to put it back. */
  readonly formatter: unknown = errors.prepareStackTrace;
  readonly #accessor = accessor();
  /** The objects that Node has made: a program may put others in their places. */
  readonly #real = { env: process.env, argv: process.argv, execArgv: process.execArgv };
  birth: Birth = birthNow();
  readonly settings: HostSettings = new HostSettings();
  readonly streams: StandardStreams = new StandardStreams();
  #catcher: Catcher = null;
  #formatterNow: ProcessState['formatter'] = null;

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

  /** Before anybody gives the language's objects back what a program has taken away: a formatter that was deleted is none. */
  look(): void {
    this.#formatterNow = this.#changedFormatter();
  }

  /** What the process is now is what it was started as: it has become another one, whose state is about to be written. */
  bornAgain(): void {
    this.birth = birthNow();
    this.settings.bornAgain();
  }

  /** `timed`: with times that equal states may differ in. */
  read(timed: boolean): ProcessState {
    const { argv, execArgv } = this.#real;
    return {
      argv: [...argv],
      execArgv: isSameList(execArgv, this.birth.execArgv) ? null : [...execArgv],
      exitCode: process.exitCode,
      env: this.#changesOfEnv(),
      settings: this.settings.read(),
      console: readConsole(timed),
      listeners: listenersOf(process),
      ofStreams: [...this.streams.taken]
        .map(([name, stream]) => [name, listenersOf(stream)] as const)
        .filter(([, listeners]) => listeners.length > 0),
      catcher: this.#catcher,
      formatter: this.#formatterNow,
    };
  }

  /** While everything that it goes by is Node's. */
  write(state: ProcessState): void {
    const { argv, execArgv, env } = this.#real;
    argv.splice(0, Infinity, ...state.argv);
    if (state.execArgv !== null) execArgv.splice(0, Infinity, ...state.execArgv);
    if (state.exitCode !== undefined) process.exitCode = state.exitCode;
    for (const [name, value] of state.env) {
      if (value === null) Reflect.deleteProperty(env, name);
      else env[name] = value;
    }
    this.settings.write(state.settings);
    writeConsole(state.console);
    subscribe(process, state.listeners);
    for (const [name, listeners] of state.ofStreams) subscribe(process[name], listeners);
    if (state.formatter !== null) errors.prepareStackTrace = state.formatter.value;
    if (state.catcher !== null) process.setUncaughtExceptionCaptureCallback(state.catcher);
  }

  #changedFormatter(): ProcessState['formatter'] {
    if (this.#accessor === undefined || accessor() !== this.#accessor) return null;
    const value = errors.prepareStackTrace;
    return value === this.formatter ? null : { value };
  }

  #changesOfEnv(): [string, string | null][] {
    const { env: born } = this.birth;
    const { ...now } = this.#real.env;
    const names = [...new Set([...Object.keys(born), ...Object.keys(now)])].toSorted();
    return names.flatMap((name) => (now[name] === born[name] ? [] : [[name, now[name] ?? null]]));
  }
}

function birthNow(): Birth {
  const { execPath, argv0, argv, execArgv, env } = process;
  return { execPath, argv0, argv: [...argv], execArgv: [...execArgv], env: { ...env }, cwd: process.cwd() };
}

function listenersOf(emitter: EventEmitter): Subscription[] {
  const listeners: Subscription[] = [];
  for (const event of Reflect.apply(eventNames, emitter, [])) {
    for (const raw of Reflect.apply(rawListeners, emitter, [event]) as (Listener & { listener?: Listener })[]) {
      const listener = raw.listener ?? raw;
      if (internals.isOurs(listener)) listeners.push([event, listener, raw.listener !== undefined]);
    }
  }
  return listeners;
}

function subscribe(emitter: EventEmitter, listeners: readonly Subscription[]): void {
  for (const [event, listener, isOnce] of listeners)
    Reflect.apply(isOnce ? once : on, emitter, [event, listener as never]);
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, i) => each === b[i]);
}
