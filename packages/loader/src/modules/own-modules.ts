// Turntable's own modules that a program imports. They are loaded natively, with or without a membrane.
import { runAsTool } from '../realm/tool-code.ts';
import { formatOf } from '../node/file-format.ts';
import type { LoadEvents } from './load-events.ts';
import { NATIVE_LOADER } from './native-modules.ts';

export class OwnModules {
  readonly #directories: readonly string[];
  readonly #loadEvents: LoadEvents;
  readonly #loaded: Set<string> = new Set();
  readonly #exportNames: Map<string, ReadonlySet<string>> = new Map();

  /** @param directories of Turntable's packages */
  constructor(directories: readonly string[], loadEvents: LoadEvents) {
    this.#directories = directories;
    this.#loadEvents = loadEvents;
  }

  has(filename: string): boolean {
    return this.#directories.some((directory) => filename.startsWith(directory));
  }

  /** The export names of a module; undefined if it has not been loaded. */
  exportNamesOf(filename: string): ReadonlySet<string> | undefined {
    return this.#exportNames.get(filename);
  }

  /** Runs `load` for a module, as a tool. The first load counts as a native load, because it changes host objects. */
  load<R>(filename: string, load: () => R): R {
    if (this.#loaded.has(filename)) return runAsTool(load);
    this.#loaded.add(filename);
    return runAsTool(() => this.#loadEvents.loadNative(load));
  }

  /** Loads a module of Turntable that a state refers to, so that its record can be created synchronously. */
  async preload(url: string, filename: string): Promise<void> {
    if (!this.has(filename) || this.#exportNames.has(filename) || formatOf(filename)?.format !== 'module') return;
    this.#setExports(filename, await this.load(filename, () => NATIVE_LOADER.namespace(url, filename)));
  }

  /** Adds a module that has already been loaded. */
  addLoaded(filename: string, namespace: object): void {
    this.#loaded.add(filename);
    this.#setExports(filename, namespace);
  }

  #setExports(filename: string, namespace: object): void {
    this.#exportNames.set(filename, new Set(Object.keys(namespace)));
  }
}
