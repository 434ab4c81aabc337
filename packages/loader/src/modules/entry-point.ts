// The entry point of the program: the module that Node was started with. Its URL is found by the resolve hook, or comes from a state that is restored.
import { pathToFileURL } from 'node:url';
import { becomeForeign } from '../realm/foreign-code.ts';

export class EntryPoint {
  #url: string | undefined;
  #nativeUrl: string | undefined;
  #isAwaited = false;
  #isTaken = false;
  #begun: () => void = () => {};

  get url(): string | undefined {
    return this.#url;
  }

  /** URL of an entry point that Node had loaded before the loader was installed: it is not part of the program. */
  get nativeUrl(): string | undefined {
    return this.#nativeUrl;
  }

  /** Whether the entry point is known and its evaluation has not begun. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  /** Calls `begun` when the entry point is known, before anything of the program is loaded. The last listener counts. */
  onBegin(begun: () => void): void {
    this.#begun = begun;
  }

  /** Called by the resolve hook. */
  begin(url: string): void {
    this.#url = url;
    this.#isAwaited = true;
    becomeForeign(false);
    this.#begun();
  }

  /** Called by `ProgramState` when it restores a program. */
  restore(url: string | undefined): void {
    this.#url = url;
  }

  /** Called by an installation into a program that already runs. */
  beginNatively(url: string): void {
    this.#nativeUrl = url;
  }

  /** Called before code of the program is evaluated. */
  evaluationBegins(): void {
    this.#isAwaited = false;
  }

  /** Whether `module` is the entry point, which has not run. */
  isMain(module: NodeModule): boolean {
    return !this.#isTaken && pathToFileURL(module.filename).href === this.#url;
  }

  /** Whether `module` is the entry point about to run; gives it what Node gives a CommonJS entry point. */
  takeMain(module: NodeModule): boolean {
    if (!this.isMain(module)) return false;
    this.#isTaken = true;
    module.id = '.';
    module.parent = null;
    return true;
  }
}
