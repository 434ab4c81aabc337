// Names of objects that exist in every process in which a thread's states are read: of the language, the host and the
// loader, and of modules and devices. Created before the program starts; later objects are named before they matter.
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

/** Whether an object is an instance of a host class, and not a proxy through which the program sees one. */
function isHostInstance(object: object): boolean {
  return !types.isProxy(object) && !isProgramFunction(object.constructor);
}

export class ProgramNames {
  readonly known: KnownObjects;
  readonly processState: ProcessStateAccess = new ProcessStateAccess();
  readonly builtinBindings: BuiltinBindings;
  readonly handleCapturer: HandleCapturer;
  /** The relocation of the next restore. */
  relocation: Relocation = new Relocation([]);
  readonly #deps: ProgramStateDeps;
  readonly #hostChangeFilter = new HostChangeFilter(NodeModules);
  readonly #deviceNames: DeviceNames;
  /** Number of entries of Node's list of loaded modules that have already been checked. */
  #checkedBuiltins = 0;
  #isNamingLate = false;
  /** Whether the classes that Node loads lazily have names. */
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
      // Changes of objects beyond the membrane happen on the host side.
      hostChangeFilter:
        membraneSetup === undefined
          ? this.#hostChangeFilter.isProgramChange
          : (object, ...changeArguments) =>
              membraneSetup.statics.pathOf(object) === undefined &&
              this.#hostChangeFilter.isProgramChange(object, ...changeArguments),
      // Program objects visible to native code are captured with the membrane; objects that packages share with Node's
      // own code are on the host side, and a replay does not load them.
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
      // `write` is the membrane's function if there is a membrane.
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
    // Beyond a membrane the host configures these objects.
    if (this.#deps.loaderRealm.inputs?.membraneSetup === undefined)
      for (const each of configurable) this.#hostChangeFilter.addAgent(each);
    this.processState.settings.addBuiltin(name, exports);
  }

  /** Names objects that were loaded since the start. Called before changes are determined. */
  nameLateObjects(): void {
    this.#isNamingLate = true;
    if (this.#deps.loaderRealm.lazyGlobals.isLoaded) this.nameLazyGlobals();
    this.#registerLoadedBuiltins();
    this.#isNamingLate = false;
  }

  /** Names Node's lazy classes once, before the builtins that they load. Loads them. */
  nameLazyGlobals(): void {
    if (this.#hasNamedLazyGlobals) return;
    this.#hasNamedLazyGlobals = true;
    const { lazyGlobals } = this.#deps.loaderRealm;
    // In a program that has loaded the package `undici`, a global may be the package's class instead of Node's.
    const isUndiciInstalled = [...this.#deps.program.verdicts.nativeFiles].some((file) =>
      /[\\/]undici[\\/]/.test(file),
    );
    this.known.addLate(lazyGlobals.entries(), (key) => !isUndiciInstalled && lazyGlobals.isAddedOnLoad(key));
  }

  /** Names builtins that the program can get without the loader: `module.require`, `process.getBuiltinModule`. */
  #registerLoadedBuiltins(): void {
    const { names, listLength } = loadedBuiltins(this.#checkedBuiltins);
    this.#checkedBuiltins = listLength;
    for (const name of names) this.#deps.program.builtins.register(name);
  }

  /** Names objects of module records that program code can hold. */
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

  /** Names exports of devices loaded since the last call. */
  nameDeviceExports(): void {
    this.#deviceNames.nameLoaded();
  }
}
