// Puts the membrane in the program's way: what it imports, requires or finds in the global object of what is outside is a handle. Node's own code
// and devices find Node's own. Nothing of it is there in a thread without a tape.
import { builtinModules } from 'node:module';
import {
  FULFILLED,
  REJECTED,
  type ContextRunner,
  type EngineView,
  type Eventual,
  type Realm,
  type Tape,
} from '@turntable/core';
import {
  type RequestKind,
  isOutside,
  type LendAcross,
  NATIVE_LOADER,
  type NativeLoader,
  requireNamespace,
  showAsOutside,
  warningEmitter,
} from '@turntable/loader';
import { parentChannel, type ParentChannel } from '../inputs/parent-channel.ts';
import type { WarningsParts } from '../inputs/warnings.ts';
import { foreignCallers, type ForeignCallers } from './foreign-callers.ts';
import type { MembranePorts, Settleable } from './membrane.ts';
import { RecordedMembrane } from './recorded.ts';
import { LookedAtMembrane } from './looked-at.ts';
import type { ReplayedMembrane } from './replayed.ts';
import { watchStandardOutput } from './standard-output.ts';
import { StaticObjects } from './statics.ts';
import { showWebGlobalsBy } from './web-globals.ts';
import type { AsyncContexts } from '../realm/async-context.ts';
import { isInMicrotask } from '../realm/ticks.ts';
import type { LazyGlobals } from '../realm/lazy-globals.ts';

export type Membrane = RecordedMembrane | ReplayedMembrane;

export interface MembraneParts {
  readonly tape: Tape;
  readonly realm: Realm;
  readonly contexts: Pick<AsyncContexts, 'homeOf' | 'readContext'>;
  readonly lazyGlobals: LazyGlobals;
  /** What it writes to standard output and error is not to be seen. */
  readonly isMute: boolean;
  cannotReplay(what: string): void;
}

/** The membrane of a thread, and what of Node's is seen through it. */
export interface Surroundings {
  readonly isReplay: boolean;
  readonly membrane: Membrane;
  readonly statics: StaticObjects;
  readonly callers: ForeignCallers;
  /** Loads devices, if this is no run again. */
  readonly loader: NativeLoader;
  /** What devices' modules have exported to the program, by files. */
  readonly loaded: Map<string, unknown>;
  /** Once the program's loader is in place. */
  placeAround(parts: AroundParts): void;
  /** What a device is to have of a module of the program's, in a thread that is recorded. */
  lend: LendAcross | undefined;
  /** Lets listeners of `process` hear of what comes from outside, in a thread that is recorded. */
  tellProgram: ((name: string, ...args: unknown[]) => unknown) | undefined;
  /** Who has Node tell of a warning. */
  readonly warnings: Pick<WarningsParts, 'warn' | 'warnByOutside'>;
  parent(): ParentChannel;
}

export interface AroundParts {
  /** By where a caller's code is. */
  isOfProgram(): boolean;
  readonly whoseFile: ForeignCallers['whoseFile'];
  /** Whether tools came with the program. */
  readonly hasTools: boolean;
  /** What a module of the program's exports, which is loaded for a device. */
  exportsLent(url: string, how: RequestKind): unknown;
  /** The program's listeners of `process` hear what comes from the process that has forked this one. */
  hears(name: string, args: readonly unknown[]): unknown;
}

type Getter = (this: unknown) => unknown;

const { apply, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect;
const DEVICES = 'devices';
/** Builtins that write to standard output by themselves, which nobody has given them. */
const SPEAKERS: ReadonlySet<string> = new Set(['test', 'repl']);

export function placeMembrane({
  tape,
  realm,
  contexts,
  lazyGlobals,
  isMute,
  cannotReplay,
}: MembraneParts): Surroundings {
  const statics = new StaticObjects(realm, lazyGlobals);
  const { eventuals, rejections } = realm.parts;
  const settleable = (promise: Eventual): Settleable => ({
    promise,
    // What a native promise ends with is never itself one that is waited for.
    settle: (isFulfilled, value) => eventuals.settle(promise, isFulfilled ? FULFILLED : REJECTED, value),
    failing: (reason) => realm.noteRejection(reason, promise),
  });
  const ports: MembranePorts = {
    tape,
    statics,
    engine: realm.parts.host.engine as EngineView,
    cannotReplay,
    promise() {
      const promise = eventuals.create();
      // Until then something outside is under way.
      eventuals.follow(promise);
      return settleable(promise);
    },
    settleable: (promise) => settleable(promise as Eventual),
    output: watchStandardOutput({
      isReplay: tape.isReplay,
      isMute,
      isForeignThere: () => callers.devicesAreLoaded || isSpeakerThere,
      isForeign: () => !tape.isReplay && callers.isAlone(),
      written(descriptor, bytes) {
        if (membrane instanceof RecordedMembrane) membrane.written(descriptor, bytes);
      },
    }),
    context: () => realm.now.context.store as object | undefined,
    home: () => realm.now.context.home,
    homeOf: (context) => contexts.homeOf(context),
    dataOf: (context) => contexts.readContext(context),
    isRejecting: () => rejections.isAnyUntold(),
    isInMicrotask: () => isInMicrotask(realm),
    runIn: (context, run) => (context as ContextRunner)(run, undefined, 0, undefined),
  };
  const membrane: Membrane = tape.isReplay ? new LookedAtMembrane(ports) : new RecordedMembrane(ports);

  const callers = foreignCallers({ realm, lazyGlobals, state: membrane, isReplay: tape.isReplay });

  /** What a module exports, as the program sees it. */
  const handleOf = (root: string): Record<string, unknown> => {
    statics.meet(root);
    return membrane.handleOf(statics.exportsOf(root)) as Record<string, unknown>;
  };

  let isSpeakerThere = false;
  for (const name of outsideBuiltins())
    showAsOutside(name, () => {
      isSpeakerThere ||= SPEAKERS.has(name);
      if (name === 'test' && membrane instanceof RecordedMembrane) membrane.watchPlaces();
      return handleOf(name);
    });
  showWebGlobalsBy({
    get: (name) => (Object.hasOwn(globalThis, name) ? handleOf('web')[name] : undefined),
    set: (name, value) => void (handleOf('web')[name] = value),
  });

  const { stdin } = Object.getOwnPropertyDescriptors(process) as { stdin?: PropertyDescriptor };
  const { navigator } = globalThis as { navigator?: object };
  const agent = navigator === undefined ? undefined : (getPrototypeOf(navigator) as object);
  const locks = agent === undefined ? undefined : getOwnPropertyDescriptor(agent, 'locks')?.get;
  const devices = {
    load: NATIVE_LOADER.load,
    namespace: (key: string, filename: string): unknown => requireNamespace(key, filename),
    import: (key: string): Promise<unknown> => import(key),
    get stdin(): unknown {
      return stdin?.get === undefined ? stdin?.value : apply(stdin.get, process, []);
    },
    get locks(): unknown {
      return apply(locks as Getter, navigator, []);
    },
  };
  statics.add(DEVICES, devices);
  for (const name of ['load', 'namespace', 'import'] as const) statics.add(`${DEVICES}.${name}`, devices[name]);
  const device = membrane.handleOf(devices);
  statics.add('parent', parentChannel);
  for (const name of ['send', 'disconnect'] as const) statics.add(`parent.${name}`, parentChannel[name]);
  /** Loaded once: what its exports are to the program they stay. */
  const loaded = new Map<string, unknown>();
  const once = <V>(name: string, load: () => V): V => {
    callers.devicesAreLoaded = true;
    if (!loaded.has(name)) loaded.set(name, load());
    return loaded.get(name) as V;
  };

  let hears: AroundParts['hears'] | undefined;
  let exportsLent: AroundParts['exportsLent'] | undefined;
  // The same in each process: the outside calls it by its path.
  const lender = (url: string, how: RequestKind): unknown => membrane.lentWhole(exportsLent?.(url, how));
  statics.share('lend', lender);
  const hearer = (name: string, ...args: unknown[]): unknown => hears?.(name, args);
  statics.share('hear', hearer);
  const warner = (warning: unknown): void => realm.nextTick(warningEmitter() as (...args: never[]) => void, warning);
  statics.share('warn', warner);

  return {
    isReplay: tape.isReplay,
    membrane,
    statics,
    callers,
    loaded,
    lend: membrane instanceof RecordedMembrane ? membrane.calling(lender) : undefined,
    tellProgram: membrane instanceof RecordedMembrane ? membrane.calling(hearer) : undefined,
    warnings: {
      warn: warner,
      warnByOutside: membrane instanceof RecordedMembrane ? membrane.calling(warner) : undefined,
    },
    parent: () => membrane.handleOf(parentChannel),
    loader: {
      load: (filename) => once(filename, () => device.load(filename)),
      namespace: (key, filename) =>
        once(
          key,
          () => (device.namespace(key, filename) ?? device.import(key)) as ReturnType<NativeLoader['namespace']>,
        ),
    },
    placeAround({ isOfProgram, whoseFile, hasTools, exportsLent: lends, hears: heard }) {
      callers.whoseFile = whoseFile;
      callers.toolsAreLoaded = hasTools;
      hears = heard;
      exportsLent = lends;
      if (stdin?.get !== undefined) showToProgram(process, 'stdin', isOfProgram, () => device.stdin);
      if (agent !== undefined) showToProgram(agent, 'locks', isOfProgram, () => device.locks);
      const { crypto } = globalThis as { crypto?: object };
      if (crypto !== undefined)
        showToProgram(getPrototypeOf(crypto) as object, 'subtle', isOfProgram, () => handleOf('crypto')['subtle']);
    },
  };
}

/** An accessor of Node's that answers code of the program with something else. */
function showToProgram(holder: object, name: string, isOfProgram: () => boolean, own: () => unknown): void {
  const descriptor = getOwnPropertyDescriptor(holder, name);
  const native = descriptor?.get;
  if (native === undefined) return;
  const getter = {
    get [name](): unknown {
      return isOfProgram() ? own() : apply(native as Getter, this, []);
    },
  };
  const get = getOwnPropertyDescriptor(getter, name)?.get as Getter;
  defineProperty(holder, name, { ...descriptor, get });
}

function outsideBuiltins(): string[] {
  return builtinModules.map((name) => name.replace(/^node:/, '')).filter(isOutside);
}
