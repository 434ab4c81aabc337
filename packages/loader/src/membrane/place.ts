// Puts the membrane in the program's way: what it imports, requires or finds in the global object of what is outside is a handle. Node's own code
// and devices find Node's own. Nothing of it is there in a thread without a tape.
import { builtinModules } from 'node:module';
import type { ContextRunner, Realm, Tape } from '@turntable/core';
import { showAsOutside } from '../modules/native-modules.ts';
import { NodeModules } from '../modules/resolution.ts';
import { isOutside } from '../sides/builtins.ts';
import type { LazyGlobals } from '../realm/lazy-globals.ts';
import type { MembranePorts, Settleable } from './membrane.ts';
import { RecordedMembrane } from './recorded.ts';
import { ReplayedMembrane } from './replayed.ts';
import { StaticObjects } from './statics.ts';
import { showWebGlobalsBy } from './web-globals.ts';

export type Membrane = RecordedMembrane | ReplayedMembrane;

export interface MembraneParts {
  readonly tape: Tape;
  readonly realm: Realm;
  readonly lazyGlobals: LazyGlobals;
  cannotReplay(what: string): void;
}

/** The membrane of a thread, and what of Node's is seen through it. */
export interface Surroundings {
  readonly membrane: Membrane;
  readonly statics: StaticObjects;
  /** The exports of a device, loaded by Node if this is no run again. */
  load(filename: string): unknown;
  /** Once the program's loader is in place; `isOfProgram`: by where a caller's code is. */
  placeAround(isOfProgram: () => boolean): void;
}

type Getter = (this: unknown) => unknown;

const { apply, getOwnPropertyDescriptor, getPrototypeOf, defineProperty } = Reflect;
/** Under which devices and streams of the process are found: they are no builtins. */
const DEVICES = 'devices';

export function placeMembrane({ tape, realm, lazyGlobals, cannotReplay }: MembraneParts): Surroundings {
  const statics = new StaticObjects({ realm, lazyGlobals });
  const { eventuals } = realm.parts;
  const ports: MembranePorts = {
    tape,
    statics,
    cannotReplay,
    promise(): Settleable {
      const promise = eventuals.create();
      return {
        promise,
        settle: (isFulfilled, value) =>
          isFulfilled ? eventuals.resolve(promise, value) : eventuals.reject(promise, value),
      };
    },
    context: () => realm.now.context.store as object | undefined,
    runIn: (context, run) => (context as ContextRunner)(run, undefined, 0, undefined),
  };
  const membrane: Membrane = tape.isReplay ? new ReplayedMembrane(ports) : new RecordedMembrane(ports);

  /** What a module exports, as the program sees it. */
  const handleOf = (root: string): Record<string, unknown> => {
    statics.meet(root);
    return membrane.handleOf(statics.exportsOf(root)) as Record<string, unknown>;
  };

  for (const name of outsideBuiltins()) showAsOutside(name, () => handleOf(name));
  showWebGlobalsBy({
    get: (name) => (Object.hasOwn(globalThis, name) ? handleOf('web')[name] : undefined),
    set: (name, value) => void (handleOf('web')[name] = value),
  });

  const { stdin } = Object.getOwnPropertyDescriptors(process) as { stdin?: PropertyDescriptor };
  const devices = {
    load: (filename: string): unknown => NodeModules._load(filename, undefined, false),
    get stdin(): unknown {
      return stdin?.get === undefined ? stdin?.value : apply(stdin.get, process, []);
    },
  };
  statics.add(DEVICES, devices);
  statics.add(`${DEVICES}.load`, devices.load);
  const device = membrane.handleOf(devices);

  return {
    membrane,
    statics,
    load: (filename) => device.load(filename),
    placeAround(isOfProgram) {
      if (stdin?.get !== undefined) showToProgram(process, 'stdin', isOfProgram, () => device.stdin);
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
