// What the loading of a program means to other packages. Each kind of observer has one owner, so a second one is an error.

/** What may call the program back from the host. Owner: `HostCallbackTracker` in `@turntable/boundary`, until the first callback is possible. */
export interface CallbackWatcher {
  /** The program has requested a builtin. */
  onBuiltin(id: string): void;
  /** The program has requested a file that stays native. */
  onDevice(filename: string): void;
  /** A text is about to become code of the program. */
  onSource(source: string): void;
}

/** Changes that loading makes to the host. Owner: `ProgramNames` in `@turntable/program-state`. */
export interface LoadObserver {
  /** The program is about to get a builtin for the first time, and cannot have changed it. */
  builtinLoaded(name: string, exports: object): void;
  /** Imports of builtins show the current exports. */
  builtinsSynced(): void;
  /** Runs `load`, which loads native code. Changes that it makes to host objects do not count as changes by the program. */
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

  /** `undefined` ends the watch. */
  watchCallbacks(watcher: CallbackWatcher | undefined): void {
    if (watcher !== undefined && this.#callbackWatcher !== undefined) throw new Error('callbacks are watched already');
    this.#callbackWatcher = watcher;
  }

  observe(observer: LoadObserver): void {
    if (this.#observer !== undefined) throw new Error('loads are observed already');
    this.#observer = observer;
  }

  /** Runs `load`, which loads native code. */
  loadNative<R>(load: () => R): R {
    return this.#observer === undefined ? load() : this.#observer.duringNativeLoad(load);
  }
}
