// The module that Node was started with. Its URL comes from the resolve hook, or from the state that is being restored.
import { pathToFileURL } from 'node:url';
import { setToolRunning } from '../realm/tool-code.ts';

export class EntryPoint {
  #url: string | undefined;
  #nativeUrl: string | undefined;
  #isAwaited = false;
  #isStarted = false;
  #onStart: () => void = () => {};

  get url(): string | undefined {
    return this.#url;
  }

  /** URL of an entry point that Node loaded before the loader was installed. It is not part of the program. */
  get nativeUrl(): string | undefined {
    return this.#nativeUrl;
  }

  /** Whether the entry point is known and its evaluation has not begun. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  /**
   * Calls `listener` when the entry point is known, before any module of the program is loaded. Replaces the previous
   * listener.
   */
  onStart(listener: () => void): void {
    this.#onStart = listener;
  }

  /** Sets the URL. Called by the resolve hook for the first file without an importer. */
  start(url: string): void {
    this.#url = url;
    this.#isAwaited = true;
    setToolRunning(false);
    this.#onStart();
  }

  /** Sets the URL from a state. Called by `ProgramState` when it restores a program. */
  restore(url: string | undefined): void {
    this.#url = url;
  }

  /** Sets the URL of a native entry point. Called when the loader is installed in a running program. */
  startNatively(url: string): void {
    this.#nativeUrl = url;
  }

  /** Called before code of the program is evaluated. */
  noteEvaluation(): void {
    this.#isAwaited = false;
  }

  /** Whether `module` is the entry point and has not run. */
  isMain(module: NodeModule): boolean {
    return !this.#isStarted && pathToFileURL(module.filename).href === this.#url;
  }

  /** Whether `module` is the entry point and about to run; if so, makes it `require.main` as Node does. */
  claimMain(module: NodeModule): boolean {
    if (!this.isMain(module)) return false;
    this.#isStarted = true;
    module.id = '.';
    module.parent = null;
    return true;
  }
}
