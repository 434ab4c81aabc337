// Installs the membrane of a thread with a tape: whatever the program imports, requires or finds on the global object
// and belongs to the host becomes a handle. Node's own code and devices keep the native objects.
import { builtinModules } from 'node:module';
import { FULFILLED, HOST_GLOBALS, REJECTED } from '@turntable/core';
import type { ContextRunner, EngineView, Eventual, Realm, Tape } from '@turntable/core';
import { isHostBuiltin, NATIVE_LOADER, requireNamespace, showBuiltinAsHandle, warningEmitter } from '@turntable/loader';
import type { RequestKind, LendModule, NativeLoader } from '@turntable/loader';
import { parentChannel, type ParentChannel } from '../inputs/parent-channel.ts';
import type { WarningDeps } from '../inputs/warnings.ts';
import { createCallerClassifier, type CallerClassifier } from './caller-classifier.ts';
import type { MembraneDeps, PromiseSettler } from './membrane-deps.ts';
import { ConnectionGuard } from './connection-guard.ts';
import { RecordedMembrane } from './recorded-membrane.ts';
import { InspectableMembrane } from './inspectable-membrane.ts';
import type { ReplayedMembrane } from './replayed-membrane.ts';
import { createScatteredHost, showScatteredHost } from './scattered-host.ts';
import { watchStandardOutput } from './standard-output.ts';
import { watchAddonOutput, watchChildOutput } from './unseen-output.ts';
import { StaticObjects } from './static-objects.ts';
import { isDispatcherKey, setWebView } from './web-globals.ts';
import type { AsyncContexts } from '../realm/async-contexts.ts';
import { isInMicrotask } from '../realm/ticks.ts';
import { guardGlobals, type GuardedGlobalsDeps } from '../realm/guarded-globals.ts';
import { LAZY_NAMES, type LazyGlobals } from '../realm/lazy-globals.ts';
import { programFunctions } from '../timers/timer-functions.ts';

export type ThreadMembrane = RecordedMembrane | ReplayedMembrane;

export interface MembraneSetupDeps {
  readonly tape: Tape;
  readonly realm: Realm;
  readonly contexts: Pick<AsyncContexts, 'homeOf' | 'readContext'>;
  readonly lazyGlobals: LazyGlobals;
  /** Whether the program's output is suppressed. */
  readonly isMute: boolean;
  reportUnreplayable(use: string): void;
  /** Reports a source of output that is neither recorded nor compared. */
  reportUnseenOutput(source: string): void;
}

/** The membrane of a thread, with the parts of Node that the program sees through it. */
export interface MembraneSetup {
  readonly isReplay: boolean;
  readonly membrane: ThreadMembrane;
  readonly statics: StaticObjects;
  readonly callerClassifier: CallerClassifier;
  /** Loads devices. A replay takes their exports from the trace. */
  readonly deviceLoader: NativeLoader;
  /** Exports of devices' modules as the program sees them, by file. */
  readonly deviceExports: Map<string, unknown>;
  /** Connects the program's loader, as soon as it exists. */
  connectLoader(parts: LoaderConnection): void;
  /** Exports a module of the program to a device. Recorded threads only. */
  lendModule: LendModule | undefined;
  /** Calls the program's `process` listeners on behalf of the host. Recorded threads only. */
  emitToProgram: ((name: string, ...args: unknown[]) => unknown) | undefined;
  /** Functions that emit warnings, in a tick of the program or on behalf of the host. */
  readonly warnings: Pick<WarningDeps, 'emitInProgramTick' | 'emitAsHost'>;
  /** Guards the host's globals that are loaded lazily. Called before untransformed code of the program can read them. */
  guardLazyGlobals(): void;
  parentChannel(): ParentChannel;
}

export interface LoaderConnection {
  readonly fileOwner: CallerClassifier['fileOwner'];
  /** Whether `--import` has loaded tools with the program. */
  readonly hasTools: boolean;
  /** Exports of a program module that a device has requested. */
  lentExports(url: string, requestKind: RequestKind): unknown;
  /** Calls the program's `process` listeners for a message of the parent process. */
  emitToListeners(name: string, args: readonly unknown[]): unknown;
}

type Getter = (this: unknown) => unknown;

const { apply, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect;
/** Names of the host's globals that load Node's network code, and names of the others with the timers. */
const LAZY_HOST_NAMES = HOST_GLOBALS.filter((name) => LAZY_NAMES.has(name));
const GUARDED_NAMES = [
  ...HOST_GLOBALS.filter((name) => !LAZY_NAMES.has(name)),
  ...Object.keys(programFunctions),
  'queueMicrotask',
  'WeakRef',
  'FinalizationRegistry',
];
const DEVICES_PATH = 'devices';
/** Builtins that write to standard output without having been given the stream. */
const OUTPUT_BUILTINS: ReadonlySet<string> = new Set(['test', 'repl']);
/** Builtins whose functions start child processes. */
const CHILD_BUILTINS: ReadonlySet<string> = new Set(['child_process', 'cluster']);

export function installMembrane(setupDeps: MembraneSetupDeps): MembraneSetup {
  const { tape, realm, contexts, lazyGlobals, isMute, reportUnreplayable, reportUnseenOutput } = setupDeps;
  const connectionGuard = new ConnectionGuard({
    isReplay: tape.isReplay,
    isNativeCaller: (callee) => callerClassifier.isNativeReader(callee),
    reportUnreplayable,
  });
  const statics = new StaticObjects(realm, lazyGlobals, (root, exports) => {
    if (root === 'net') connectionGuard.guardSockets(exports as Parameters<ConnectionGuard['guardSockets']>[0]);
  });
  const { eventuals, rejections } = realm.parts;
  const settlerOf = (promise: Eventual): PromiseSettler => ({
    promise,
    // The value of a native promise is never a thenable, so it needs no resolution.
    settle: (isFulfilled, value) => eventuals.settle(promise, isFulfilled ? FULFILLED : REJECTED, value),
    noteRejection: (reason) => realm.noteRejection(reason, promise),
  });
  const deps: MembraneDeps = {
    tape,
    statics,
    engine: realm.parts.host.engine as EngineView,
    reportUnreplayable,
    createPromise() {
      const promise = eventuals.create();
      // Tracked, because the host is still working while the native promise is pending.
      eventuals.track(promise);
      return settlerOf(promise);
    },
    settlerOf: (promise) => settlerOf(promise as Eventual),
    output: watchStandardOutput({
      isReplay: tape.isReplay,
      isMute,
      hasHostWriters: () => callerClassifier.hasDevices || hasOutputBuiltins,
      isInHostCall: () => membrane.isInHostCall,
      isHostWriting: () => !tape.isReplay && callerClassifier.isHostInitiated(),
      noteHostOutput(descriptor, bytes) {
        if (membrane instanceof RecordedMembrane) membrane.noteHostOutput(descriptor, bytes);
      },
      isProgramOnStack: () => callerClassifier.isProgramOnStack(),
      guardStream(stream) {
        // The classes of a stream to a file are not exported.
        if (!('connect' in stream)) return;
        statics.registerBuiltin('net');
        connectionGuard.guardStream(stream);
      },
      isInWarning: () => callerClassifier.isInNodeEvent,
      isToolWriting: () => callerClassifier.isToolCaller(),
      noteProgramOutput: (descriptor, output) => tape.noteOutput(descriptor, output),
    }),
    currentContext: () => realm.current.context.store as object | undefined,
    currentHome: () => realm.current.context.home,
    homeOf: (context) => contexts.homeOf(context),
    contextData: (context) => contexts.readContext(context),
    hasPendingRejections: () => rejections.hasPending(),
    isInMicrotask: () => isInMicrotask(realm),
    isPackageCalling: (callee, calledFunction) => callerClassifier.isPackageCalling(callee, calledFunction),
    packageExportOf(hostFunction) {
      for (const [file, exports] of deviceExports) {
        const hostExports = membrane.isHandle(exports) ? membrane.hostObjectOf(exports as object) : undefined;
        const name = hostExports === undefined ? undefined : exportedName(hostExports, hostFunction);
        if (name !== undefined) return { file, name };
      }
      return undefined;
    },
    runInContext: (context, run) => (context as ContextRunner)(run, undefined, 0, undefined),
  };
  const membrane: ThreadMembrane = tape.isReplay ? new InspectableMembrane(deps) : new RecordedMembrane(deps);

  const callerClassifier = createCallerClassifier({ realm, lazyGlobals, state: membrane, isReplay: tape.isReplay });

  /** The exports of a host builtin as the program sees them. */
  const builtinProxy = (root: string): Record<PropertyKey, unknown> => {
    statics.registerBuiltin(root);
    return membrane.proxyFor(statics.exportsOf(root)) as Record<PropertyKey, unknown>;
  };

  let hasOutputBuiltins = false;
  let areChildrenWatched = false;
  watchAddonOutput((source) => {
    // Turntable also loads addons, but not in host calls.
    if (membrane.isInHostCall) reportUnseenOutput(source);
  });
  for (const name of hostBuiltins())
    showBuiltinAsHandle(name, () => {
      hasOutputBuiltins ||= OUTPUT_BUILTINS.has(name);
      if (CHILD_BUILTINS.has(name) && !areChildrenWatched) {
        areChildrenWatched = true;
        // Before the program gets handles of the functions.
        watchChildOutput(statics.exportsOf('child_process'), reportUnseenOutput);
      }
      if (name === 'test' && membrane instanceof RecordedMembrane) membrane.hostState.watchSharedProperties();
      return builtinProxy(name);
    });
  setWebView({
    // Whether Node's network code has set its dispatcher depends on the host.
    get: (key) => (isDispatcherKey(key) || Object.hasOwn(globalThis, key) ? builtinProxy('web')[key] : undefined),
    set: (key, value) => void (builtinProxy('web')[key] = value),
  });

  const { stdin: stdinDescriptor } = Object.getOwnPropertyDescriptors(process) as { stdin?: PropertyDescriptor };
  const { navigator } = globalThis as { navigator?: object };
  const navigatorPrototype = navigator === undefined ? undefined : (getPrototypeOf(navigator) as object);
  const getLocks =
    navigatorPrototype === undefined ? undefined : getOwnPropertyDescriptor(navigatorPrototype, 'locks')?.get;
  const deviceHost = {
    load: NATIVE_LOADER.load,
    namespace: (key: string, filename: string): unknown => requireNamespace(key, filename),
    import: (key: string): Promise<unknown> => import(key),
    get stdin(): unknown {
      return stdinDescriptor?.get === undefined ? stdinDescriptor?.value : apply(stdinDescriptor.get, process, []);
    },
    get locks(): unknown {
      return apply(getLocks as Getter, navigator, []);
    },
  };
  statics.addHost(DEVICES_PATH, deviceHost);
  for (const name of ['load', 'namespace', 'import'] as const)
    statics.addHost(`${DEVICES_PATH}.${name}`, deviceHost[name]);
  const deviceProxy = membrane.proxyFor(deviceHost);
  statics.addHost('parent', parentChannel);
  for (const name of ['send', 'disconnect'] as const) statics.addHost(`parent.${name}`, parentChannel[name]);
  const scatteredHost = createScatteredHost((path, hostFunction) => statics.addHost(`host.${path}`, hostFunction));
  statics.addHost('host', scatteredHost);
  /** Exports of devices as the program sees them; each module is loaded once. */
  const deviceExports = new Map<string, unknown>();
  const loadOnce = <V>(name: string, load: () => V): V => {
    callerClassifier.hasDevices = true;
    if (!deviceExports.has(name)) deviceExports.set(name, load());
    return deviceExports.get(name) as V;
  };

  const guardDeps: GuardedGlobalsDeps = {
    ambient: realm.ambient,
    isNativeCaller: (accessor) => callerClassifier.isNativeReader(accessor, 'ours'),
  };
  let emitToListeners: LoaderConnection['emitToListeners'] | undefined;
  let lentExports: LoaderConnection['lentExports'] | undefined;
  // Registered as neutral functions with a path, which recorded host callbacks refer to.
  const lendModule = (url: string, requestKind: RequestKind): unknown =>
    membrane.exportForms.lendUncopied(lentExports?.(url, requestKind));
  statics.addNeutral('lend', lendModule);
  const emitToProgram = (name: string, ...args: unknown[]): unknown => emitToListeners?.(name, args);
  statics.addNeutral('hear', emitToProgram);
  const emitWarning = (warning: unknown): void =>
    realm.nextTick(warningEmitter() as (...args: never[]) => void, warning);
  statics.addNeutral('warn', emitWarning);

  /** Makes a native accessor return another value to program code. */
  const showToProgram = (holder: object, name: string, valueForProgram: () => unknown): void => {
    const descriptor = getOwnPropertyDescriptor(holder, name);
    const native = descriptor?.get;
    if (native === undefined) return;
    const getter = {
      get [name](): unknown {
        return callerClassifier.isNativeReader(get) ? apply(native as Getter, this, []) : valueForProgram();
      },
    };
    const get = getOwnPropertyDescriptor(getter, name)?.get as Getter;
    defineProperty(holder, name, { ...descriptor, get });
  };

  return {
    isReplay: tape.isReplay,
    membrane,
    statics,
    callerClassifier,
    deviceExports,
    lendModule: membrane instanceof RecordedMembrane ? membrane.asHostCallback(lendModule) : undefined,
    emitToProgram: membrane instanceof RecordedMembrane ? membrane.asHostCallback(emitToProgram) : undefined,
    warnings: {
      emitInProgramTick: emitWarning,
      emitAsHost: membrane instanceof RecordedMembrane ? membrane.asHostCallback(emitWarning) : undefined,
    },
    guardLazyGlobals: () => guardGlobals(LAZY_HOST_NAMES, guardDeps),
    parentChannel: () => membrane.proxyFor(parentChannel),
    deviceLoader: {
      load: (filename) => loadOnce(filename, () => deviceProxy.load(filename)),
      namespace: (key, filename) =>
        loadOnce(
          key,
          () =>
            (deviceProxy.namespace(key, filename) ?? deviceProxy.import(key)) as ReturnType<NativeLoader['namespace']>,
        ),
    },
    connectLoader(loader) {
      callerClassifier.fileOwner = loader.fileOwner;
      callerClassifier.hasTools = loader.hasTools;
      ({ lentExports, emitToListeners } = loader);
      guardGlobals(GUARDED_NAMES, guardDeps);
      showScatteredHost(membrane.proxyFor(scatteredHost), callerClassifier.isHostCaller);
      if (stdinDescriptor?.get !== undefined) showToProgram(process, 'stdin', () => deviceProxy.stdin);
      if (navigatorPrototype !== undefined) showToProgram(navigatorPrototype, 'locks', () => deviceProxy.locks);
      const { crypto } = globalThis as { crypto?: object };
      if (crypto !== undefined)
        showToProgram(getPrototypeOf(crypto) as object, 'subtle', () => builtinProxy('crypto')['subtle']);
    },
  };
}

/** Returns the name of a function among the exports of a module and the methods of exported classes. */
function exportedName(exports: object, fn: object): string | undefined {
  for (const holder of [exports, ...Object.values(exports)] as unknown[]) {
    const methods: unknown =
      typeof holder === 'function' ? getOwnPropertyDescriptor(holder, 'prototype')?.value : holder;
    if (holder === fn) return (fn as { readonly name?: string }).name;
    if (typeof methods !== 'object' || methods === null) continue;
    const descriptors = Object.entries(Object.getOwnPropertyDescriptors(methods));
    const found = descriptors.find(([, { value }]) => value === fn);
    if (found !== undefined) return found[0];
  }
  return undefined;
}

function hostBuiltins(): string[] {
  return builtinModules.map((name) => name.replace(/^node:/, '')).filter(isHostBuiltin);
}
