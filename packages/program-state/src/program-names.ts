// What of a thread has a name in its states, since it is there again wherever they are read: the language, the host, what the loader adds, and of
// modules and devices what code can hold of them. Made before the program's first line; what comes later gets its name before it can matter.
import { types } from 'node:util';
import { namespaceOf } from '@turntable/core';
import { KnownObjects } from '@turntable/heap';
import { completeNatives, DeadDeviceError, NodeModules, warningEmitter } from '@turntable/loader';
import { BuiltinBindings } from './builtin-bindings.ts';
import { DeviceNames } from './device-names.ts';
import { Relocation } from './relocation.ts';
import { HandleCapturer } from './handle-capturer.ts';
import { HostChangeFilter } from './host-change-filter.ts';
import { nameBuiltin, nameConfigured, nameGlobals } from './host-names.ts';
import { createHostSamples } from './host-samples.ts';
import { BOUND_PREFIX, loadedBuiltins, nodeAbortError, StaticObjects } from '@turntable/boundary/membrane';
import { isProgramFunction } from '@turntable/boundary';
import { ProcessStateAccess } from './process-state.ts';
import { streamObjectName, writeFunctionName } from './standard-streams.ts';
import type { ProgramStateDeps } from './program-state-deps.ts';

export interface AdapterObjects {
  readonly emitRejection: object;
  readonly channelPrototypes: Readonly<Record<string, object>>;
}

/** An object of a class of the outside's itself, not what the program has of it. */
function isHostInstance(object: object): boolean {
  return !types.isProxy(object) && !isProgramFunction(object.constructor);
}

export class ProgramNames {
  readonly known: KnownObjects;
  readonly processState: ProcessStateAccess = new ProcessStateAccess();
  readonly builtinBindings: BuiltinBindings;
  readonly handleCapturer: HandleCapturer;
  /** Where what is restored from now on mentions is. */
  relocation: Relocation = new Relocation([]);
  readonly #deps: ProgramStateDeps;
  readonly #hostChangeFilter = new HostChangeFilter(NodeModules);
  readonly #deviceNames: DeviceNames;
  /** Of Node's list of loaded modules, what has been looked at. */
  #checkedBuiltins = 0;
  #isNamingLate = false;
  /** Whether Node's lazy classes have names. */
  #hasNamedLazyGlobals: boolean;

  constructor(deps: ProgramStateDeps, { emitRejection: emitsRejections, channelPrototypes: channels }: AdapterObjects) {
    this.#deps = deps;
    const { realm, program } = deps;
    const { lazyGlobals } = deps.loaderRealm;
    this.#hasNamedLazyGlobals = lazyGlobals.isLoaded;
    const { membraneSetup } = deps.loaderRealm.inputs ?? {};
    let statics = membraneSetup?.statics;
    this.known = new KnownObjects(realm, {
      isProxy: types.isProxy,
      namedObjects: {
        process,
        'core:ambient': realm.ambient,
        'require.cache': program.commonJs.cache,
        'node:module': NodeModules as object,
        'turntable:node-shims': completeNatives(deps.nativeFunctions),
        'turntable:AbortError': nodeAbortError(deps.nativeFunctions['on'] as never),
        'turntable:emitRejection': emitsRejections,
        'node:emitWarning': warningEmitter(),
      },
      samples: createHostSamples(),
      // What is done to objects beyond the membrane is done outside.
      hostChangeFilter:
        membraneSetup === undefined
          ? this.#hostChangeFilter.isProgramChange
          : (object, ...changeArguments) =>
              membraneSetup.statics.pathOf(object) === undefined &&
              this.#hostChangeFilter.isProgramChange(object, ...changeArguments),
      // What native code is to see of the program's is with the membrane, and what a package has put where Node's own code shares it with one is outside: a run
      // again has not loaded it.
      ...(membraneSetup === undefined
        ? {}
        : {
            isStandIn: (value, key) =>
              membraneSetup.membrane.programObjectOf(value) !== undefined ||
              (lazyGlobals.isAddedOnLoad(key) && isHostInstance(value)),
          }),
      unreadGlobals: lazyGlobals,
      onMissingName: (name) => {
        const relocated = this.relocation.relocateName(name);
        const found = relocated === name ? undefined : this.known.objectNamed(relocated);
        if (found !== undefined) return this.known.setAlias(name, found as object);
        if (lazyGlobals.isLazyPath(name)) this.nameLazyGlobals();
        this.processState.streams.open(name);
        const writeFunction = this.processState.streams.writeFunctionNamed(name);
        if (writeFunction !== undefined) return this.known.setAlias(name, writeFunction);
        this.#deviceNames.resolve(name);
      },
    });
    this.handleCapturer = new HandleCapturer({
      realm,
      known: this.known,
      registry: membraneSetup?.membrane,
      staticObjectAt(path) {
        const isBound = path.startsWith(BOUND_PREFIX);
        statics ??= new StaticObjects(realm, lazyGlobals);
        const found = statics.objectAt(isBound ? path.slice(BOUND_PREFIX.length) : path);
        if (found === undefined || membraneSetup === undefined) return found;
        return isBound ? membraneSetup.membrane.boundProxy(found) : membraneSetup.membrane.proxyFor(found);
      },
    });
    this.#deviceNames = new DeviceNames(this.known, program, this.handleCapturer);
    this.known.add('turntable:DeadDeviceError', DeadDeviceError);
    this.processState.streams.onOpen = (name, stream) => {
      this.#hostChangeFilter.addStream(stream);
      this.known.add(streamObjectName(name), stream, 'watched');
      // The membrane's, where there is one.
      const writeFunction: unknown = Object.getOwnPropertyDescriptor(stream, 'write')?.value;
      if (typeof writeFunction === 'function') this.known.add(writeFunctionName(name), writeFunction, 'alone');
    };
    this.builtinBindings = new BuiltinBindings({
      known: this.known,
      records: program.graph.records,
      builtins: program.builtins.names,
      exportsOf: (name) => program.builtins.getNative(name),
    });
    for (const [name, prototype] of Object.entries(channels)) this.known.add(name, prototype);
    const { formatter } = this.processState;
    if (typeof formatter === 'function') this.known.add('turntable:prepareStackTrace', formatter, 'alone');
    nameGlobals(this.known, deps.loaderRealm.timers);
    program.loadEvents.observe({
      builtinLoaded: (name, exports) => this.#addBuiltin(name, exports),
      builtinsSynced: () => this.builtinBindings.recordSyncedExports(),
      duringNativeLoad: (load) => this.known.acceptingChanges(load),
    });
    for (const name of program.builtins.names) this.#addBuiltin(name, program.builtins.getNative(name));
    this.#registerLoadedBuiltins();
  }

  #addBuiltin(name: string, exports: object): void {
    nameBuiltin(this.known, name, exports, this.#isNamingLate ? 'late' : undefined);
    const configurable = nameConfigured(this.known, name, exports);
    // Beyond a membrane they are set outside.
    if (this.#deps.loaderRealm.inputs?.membraneSetup === undefined)
      for (const each of configurable) this.#hostChangeFilter.addAgent(each);
    this.processState.settings.addBuiltin(name, exports);
  }

  /** Before anybody looks for what has been changed. */
  nameLateObjects(): void {
    this.#isNamingLate = true;
    if (this.#deps.loaderRealm.lazyGlobals.isLoaded) this.nameLazyGlobals();
    this.#registerLoadedBuiltins();
    this.#isNamingLate = false;
  }

  /** Once: Node's lazy classes, before the builtins that they have loaded. Loads them. */
  nameLazyGlobals(): void {
    if (this.#hasNamedLazyGlobals) return;
    this.#hasNamedLazyGlobals = true;
    const { lazyGlobals } = this.#deps.loaderRealm;
    // Then it may be the package's, which the program has put there.
    const isUndiciInstalled = [...this.#deps.program.verdicts.nativeFiles].some((file) =>
      /[\\/]undici[\\/]/.test(file),
    );
    this.known.addLate(lazyGlobals.entries(), (key) => !isUndiciInstalled && lazyGlobals.isAddedOnLoad(key));
  }

  /** Builtins that the program may have without having asked the loader: `module.require`, `process.getBuiltinModule`. */
  #registerLoadedBuiltins(): void {
    const { names, listLength } = loadedBuiltins(this.#checkedBuiltins);
    this.#checkedBuiltins = listLength;
    for (const name of names) this.#deps.program.builtins.register(name);
  }

  /** What a module's code can hold of its record. */
  nameModuleObjects(): void {
    for (const record of this.#deps.program.graph.records.values()) {
      if (record.namespace !== undefined) this.known.add(`namespace of ${record.key}`, namespaceOf(record), 'alone');
      if (record.metaObject !== undefined) {
        this.known.add(`import.meta of ${record.key}`, record.metaObject, 'alone');
        const { resolve } = record.metaObject;
        if (typeof resolve === 'function') this.known.add(`import.meta.resolve of ${record.key}`, resolve, 'alone');
      }
    }
  }

  /** What has been loaded of devices since. */
  nameDeviceExports(): void {
    this.#deviceNames.nameLoaded();
  }
}
