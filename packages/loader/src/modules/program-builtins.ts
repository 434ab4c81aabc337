// The builtin modules that a program can refer to.
import type { LoadEvents } from './load-events.ts';
import type { ModuleGraph } from '@turntable/core';
import { builtinExports, nativeExports, isHandleBuiltin, syncBuiltinRecord } from './native-modules.ts';
import { originOf } from '../code/record-origin.ts';

/** Loading this builtin changes the prototype of event emitters. */
const DOMAIN_BUILTIN = 'node:domain';

export class ProgramBuiltins {
  readonly #loadEvents: LoadEvents;
  readonly #names: Set<string> = new Set();

  constructor(loadEvents: LoadEvents) {
    this.#loadEvents = loadEvents;
  }

  /** Names (`node:…`) of all builtins that the program can have a reference to. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  get(id: string): Record<string, unknown> {
    const exports = this.register(id);
    this.#loadEvents.callbackWatcher?.onBuiltin(id);
    return exports;
  }

  /** Adds a builtin that the program gets a reference to, and returns its exports. */
  register(id: string): Record<string, unknown> {
    const name = id.startsWith('node:') ? id : `node:${id}`;
    const isNew = !this.#names.has(name);
    const load = (): Record<string, unknown> => builtinExports(id);
    const exports = isNew && name === DOMAIN_BUILTIN ? this.#loadEvents.loadNative(load) : load();
    if (isNew) {
      this.#names.add(name);
      this.#loadEvents.observer?.builtinLoaded(name, isHandleBuiltin(id) ? nativeExports(id) : exports);
    }
    return exports;
  }

  /** The exports of a builtin, never a handle: Node's own for a handle builtin, otherwise as from `register`. */
  getNative(id: string): Record<string, unknown> {
    return isHandleBuiltin(id) ? nativeExports(id) : this.register(id);
  }

  /** Must be called after `module.syncBuiltinESMExports`. */
  sync(graph: ModuleGraph): void {
    for (const record of graph.records.values()) if (originOf(record)?.kind === 'builtin') syncBuiltinRecord(record);
    this.#loadEvents.observer?.builtinsSynced();
  }
}
