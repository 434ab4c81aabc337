// Events of loading a program, for other packages. At most one watcher of callbacks and one observer of loading can be
// set at a time: setting a second one throws.

/**
 * Watches requests for code that may call back into the program. Owner: `HostCallbackTracker` in
 * `@turntable/boundary`, until the first callback is possible.
 */
export interface CallbackWatcher {
  /** The program has requested a builtin. */
  onBuiltin(id: string): void;
  /** The program has requested a file that stays native. */
  onDevice(filename: string): void;
  /** `source` is about to be compiled as code of the program. */
  onSource(source: string): void;
}

/** Observes loading that changes host objects. Owner: `ProgramNames` in `@turntable/program-state`. */
export interface LoadObserver {
  /** Called when the program is about to get a builtin for the first time and cannot have modified it. */
  builtinLoaded(name: string, exports: object): void;
  /** `module.syncBuiltinESMExports` has run. */
  builtinsSynced(): void;
  /** Runs `load`, which loads native code. Its changes of host objects do not count as changes by the program. */
  duringNativeLoad<R>(load: () => R): R;
}

export class LoadEvents {
  #callbackWatcher: CallbackWatcher | undefined;
  #observer: LoadObserver | undefined;

  get callbackWatcher(): CallbackWatcher | undefined {
    return this.#callbackWatcher;
  }

  get observer(): LoadObserver | undefined {
    return this.#observer;
  }

  /** Sets the watcher; `undefined` removes it. */
  watchCallbacks(watcher: CallbackWatcher | undefined): void {
    if (watcher !== undefined && this.#callbackWatcher !== undefined)
      throw new Error('callbacks already have a watcher');
    this.#callbackWatcher = watcher;
  }

  observe(observer: LoadObserver): void {
    if (this.#observer !== undefined) throw new Error('loading already has an observer');
    this.#observer = observer;
  }

  /** Runs `load`, which loads native code, under the observer. */
  loadNative<R>(load: () => R): R {
    return this.#observer === undefined ? load() : this.#observer.duringNativeLoad(load);
  }
}
