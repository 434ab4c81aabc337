// Builtin modules as a program gets them.
import type { LoadEvents } from './load-events.ts';
import type { ModuleGraph } from '@turntable/core';
import { builtinExports, nativeExports, standsOutside, syncBuiltin } from './native-modules.ts';
import { originOf } from '../code/origin.ts';

/** Loading it changes the prototype of event emitters. */
const CHANGES_EMITTERS = 'node:domain';

export class ProgramBuiltins {
  readonly #events: LoadEvents;
  readonly #names: Set<string> = new Set();

  constructor(events: LoadEvents) {
    this.#events = events;
  }

  /** Names (`node:…`) of all builtins that the program can have a reference to. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  get(id: string): Record<string, unknown> {
    const exports = this.meet(id);
    this.#events.callbacks?.builtin(id);
    return exports;
  }

  /** The program can have a reference to a builtin that it has not requested here. */
  meet(id: string): Record<string, unknown> {
    const name = id.startsWith('node:') ? id : `node:${id}`;
    const isNew = !this.#names.has(name);
    const load = (): Record<string, unknown> => builtinExports(id);
    const exports = isNew && name === CHANGES_EMITTERS ? this.#events.loadNative(load) : load();
    if (isNew) {
      this.#names.add(name);
      this.#events.observer?.builtinLoaded(name, standsOutside(id) ? nativeExports(id) : exports);
    }
    return exports;
  }

  /** Without a membrane around it. */
  native(id: string): Record<string, unknown> {
    return standsOutside(id) ? nativeExports(id) : this.meet(id);
  }

  /** After `module.syncBuiltinESMExports`. */
  sync(graph: ModuleGraph): void {
    for (const record of graph.records.values()) if (originOf(record)?.what === 'builtin') syncBuiltin(record);
    this.#events.observer?.builtinsSynced();
  }
}
