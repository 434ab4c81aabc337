// Modules of Turntable itself that a program imports. They are loaded natively, whatever membrane there is.
import { runAsTool } from '../realm/tool-code.ts';
import { formatOf } from '../node/file-format.ts';
import type { LoadEvents } from './load-events.ts';
import { NATIVE_LOADER } from './native-modules.ts';

export class OwnModules {
  readonly #directories: readonly string[];
  readonly #loadEvents: LoadEvents;
  readonly #loaded: Set<string> = new Set();
  readonly #exportNames: Map<string, ReadonlySet<string>> = new Map();

  /** @param directories of Turntable's own packages */
  constructor(directories: readonly string[], loadEvents: LoadEvents) {
    this.#directories = directories;
    this.#loadEvents = loadEvents;
  }

  has(filename: string): boolean {
    return this.#directories.some((directory) => filename.startsWith(directory));
  }

  /** Nothing for a module that has not been met. */
  exportNamesOf(filename: string): ReadonlySet<string> | undefined {
    return this.#exportNames.get(filename);
  }

  /** Runs `load`. Only the first load of a module changes host objects. */
  load<R>(filename: string, load: () => R): R {
    if (this.#loaded.has(filename)) return runAsTool(load);
    this.#loaded.add(filename);
    return runAsTool(() => this.#loadEvents.loadNative(load));
  }

  /** Loads a module that a state mentions, if it is one of Turntable's, so that its record can be made synchronously. */
  async preload(url: string, filename: string): Promise<void> {
    if (!this.has(filename) || this.#exportNames.has(filename) || formatOf(filename)?.format !== 'module') return;
    this.#setExports(filename, await this.load(filename, () => NATIVE_LOADER.namespace(url, filename)));
  }

  /** Notes a module that is loaded already. */
  addLoaded(filename: string, namespace: object): void {
    this.#loaded.add(filename);
    this.#setExports(filename, namespace);
  }

  #setExports(filename: string, namespace: object): void {
    this.#exportNames.set(filename, new Set(Object.keys(namespace)));
  }
}
