// What of a thread has a name in its states, since it is there again wherever they are read: the language, the host, what the loader adds, and of
// modules and devices what code can hold of them. Made before the program's first line; what comes later gets its name before it can matter.
import { types } from 'node:util';
import { namespaceOf } from '@turntable/core';
import { KnownObjects } from '@turntable/heap';
import { completeNatives, DeadDeviceError, NodeModules, warningEmitter } from '@turntable/loader';
import { BuiltinBindings } from './builtin-bindings.ts';
import { DeviceNames } from './device-names.ts';
import { Relocation } from './elsewhere.ts';
import { Handles } from './handles.ts';
import { HostChanges } from './host-changes.ts';
import { nameBuiltin, nameConfigured, nameGlobals } from './host-names.ts';
import { hostSamples } from './host-samples.ts';
import { BOUND, loadedBuiltins, nodeAbortError, StaticObjects } from '@turntable/boundary/membrane';
import { isOfProgram } from '@turntable/boundary';
import { ProcessWatch } from './process-state.ts';
import { streamPath, writePath } from './standard-streams.ts';
import type { ProgramStateDeps } from './program-state-deps.ts';

export interface AdapterNames {
  readonly emitsRejections: object;
  readonly channels: Readonly<Record<string, object>>;
}

/** An object of a class of the outside's itself, not what the program has of it. */
function isForeign(value: object): boolean {
  return !types.isProxy(value) && !isOfProgram(value.constructor);
}

export class ProgramNames {
  readonly known: KnownObjects;
  readonly process: ProcessWatch = new ProcessWatch();
  readonly bindings: BuiltinBindings;
  readonly handles: Handles;
  /** Where what is restored from now on mentions is. */
  relocation: Relocation = new Relocation([]);
  readonly #parts: ProgramStateDeps;
  readonly #hostChanges = new HostChanges(NodeModules);
  readonly #devices: DeviceNames;
  /** Of Node's list of loaded modules, what has been looked at. */
  #loaded = 0;
  #isLate = false;
  /** Whether Node's lazy classes have names. */
  #isLazyNamed: boolean;

  constructor(parts: ProgramStateDeps, { emitsRejections, channels }: AdapterNames) {
    this.#parts = parts;
    const { realm, program } = parts;
    const { lazyGlobals } = parts.loaderRealm;
    this.#isLazyNamed = lazyGlobals.isLoaded;
    const { around } = parts.loaderRealm.inputs ?? {};
    let statics = around?.statics;
    this.known = new KnownObjects(realm, {
      isProxy: types.isProxy,
      more: {
        process,
        'core:ambient': realm.ambient,
        'require.cache': program.commonJs.cache,
        'node:module': NodeModules as object,
        'turntable:node-shims': completeNatives(parts.natives),
        'turntable:AbortError': nodeAbortError(parts.natives['on'] as never),
        'turntable:emitRejection': emitsRejections,
        'node:emitWarning': warningEmitter(),
      },
      samples: hostSamples(),
      // What is done to objects beyond the membrane is done outside.
      countsOfHost:
        around === undefined
          ? this.#hostChanges.counts
          : (object, ...change) =>
              around.statics.pathOf(object) === undefined && this.#hostChanges.counts(object, ...change),
      // What native code is to see of the program's is with the membrane, and what a package has put where Node's own code shares it with one is outside: a run
      // again has not loaded it.
      ...(around === undefined
        ? {}
        : {
            standsIn: (value, key) =>
              around.membrane.standsFor(value) !== undefined || (lazyGlobals.brings(key) && isForeign(value)),
          }),
      unread: lazyGlobals,
      miss: (name) => {
        const moved = this.relocation.name(name);
        const found = moved === name ? undefined : this.known.named(moved);
        if (found !== undefined) return this.known.answer(name, found as object);
        if (lazyGlobals.leadsTo(name)) this.giveLazy();
        this.process.streams.ask(name);
        const write = this.process.streams.writeAt(name);
        if (write !== undefined) return this.known.answer(name, write);
        this.#devices.find(name);
      },
    });
    this.handles = new Handles({
      realm,
      known: this.known,
      beyond: around?.membrane,
      staticAt(path) {
        const isBound = path.startsWith(BOUND);
        statics ??= new StaticObjects(realm, lazyGlobals);
        const found = statics.at(isBound ? path.slice(BOUND.length) : path);
        if (found === undefined || around === undefined) return found;
        return isBound ? around.membrane.boundHandle(found) : around.membrane.handleOf(found);
      },
    });
    this.#devices = new DeviceNames(this.known, program, this.handles);
    this.known.add('turntable:DeadDeviceError', DeadDeviceError);
    this.process.streams.met = (name, stream) => {
      this.#hostChanges.addStream(stream);
      this.known.add(streamPath(name), stream, 'watched');
      // The membrane's, where there is one.
      const write: unknown = Object.getOwnPropertyDescriptor(stream, 'write')?.value;
      if (typeof write === 'function') this.known.add(writePath(name), write, 'alone');
    };
    this.bindings = new BuiltinBindings({
      known: this.known,
      records: program.graph.records,
      builtins: program.builtins.names,
      exportsOf: (name) => program.builtins.native(name),
    });
    for (const [name, prototype] of Object.entries(channels)) this.known.add(name, prototype);
    const { formatter } = this.process;
    if (typeof formatter === 'function') this.known.add('turntable:prepareStackTrace', formatter, 'alone');
    nameGlobals(this.known, parts.loaderRealm.timers);
    program.events.observe({
      builtinLoaded: (name, exports) => this.#meetBuiltin(name, exports),
      builtinsSynced: () => this.bindings.noteShown(),
      duringNativeLoad: (load) => this.known.accepting(load),
    });
    for (const name of program.builtins.names) this.#meetBuiltin(name, program.builtins.native(name));
    this.#giveLoaded();
  }

  #meetBuiltin(name: string, exports: object): void {
    nameBuiltin(this.known, name, exports, this.#isLate ? 'late' : undefined);
    const configured = nameConfigured(this.known, name, exports);
    // Beyond a membrane they are set outside.
    if (this.#parts.loaderRealm.inputs?.around === undefined)
      for (const each of configured) this.#hostChanges.addAgent(each);
    this.process.settings.meet(name, exports);
  }

  /** Before anybody looks for what has been changed. */
  giveLate(): void {
    this.#isLate = true;
    if (this.#parts.loaderRealm.lazyGlobals.isLoaded) this.giveLazy();
    this.#giveLoaded();
    this.#isLate = false;
  }

  /** Once: Node's lazy classes, before the builtins that they have loaded. Loads them. */
  giveLazy(): void {
    if (this.#isLazyNamed) return;
    this.#isLazyNamed = true;
    const { lazyGlobals } = this.#parts.loaderRealm;
    // Then it may be the package's, which the program has put there.
    const isPackaged = [...this.#parts.program.verdicts.nativeFiles].some((file) => /[\\/]undici[\\/]/.test(file));
    this.known.addLate(lazyGlobals.entries(), (key) => !isPackaged && lazyGlobals.brings(key));
  }

  /** Builtins that the program may have without having asked the loader: `module.require`, `process.getBuiltinModule`. */
  #giveLoaded(): void {
    const { names, entries } = loadedBuiltins(this.#loaded);
    this.#loaded = entries;
    for (const name of names) this.#parts.program.builtins.meet(name);
  }

  /** What a module's code can hold of its record. */
  giveModules(): void {
    for (const record of this.#parts.program.graph.records.values()) {
      if (record.namespace !== undefined) this.known.add(`namespace of ${record.key}`, namespaceOf(record), 'alone');
      if (record.metaObject !== undefined) {
        this.known.add(`import.meta of ${record.key}`, record.metaObject, 'alone');
        const { resolve } = record.metaObject;
        if (typeof resolve === 'function') this.known.add(`import.meta.resolve of ${record.key}`, resolve, 'alone');
      }
    }
  }

  /** What has been loaded of devices since. */
  giveDevices(): void {
    this.#devices.give();
  }
}
