// Interception of the membrane's methods, for tasks that are re-executed in place: no method can be renamed or added without being noticed, and what has
// numbers gets none when it is done again.
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { describe, expect, it } from 'vitest';
import { Interceptor } from '../../../core/test/interceptor.ts';
import { DEVICES_CALLS, interceptInputs, MEMBRANE_CALLS } from '../../src/inputs/interception.ts';
import type { NativePromises } from '../../src/inputs/native-promises.ts';
import type { ReplayedMembrane } from '../../src/membrane/replayed.ts';
import { deviceWatch, watchDevices } from '../../src/membrane/watched-devices.ts';
import { Devices } from '../../src/devices.ts';
import { replay, staticsOf } from './tapes.ts';

class Request {}

interface Inputs {
  readonly membrane: ReplayedMembrane;
  readonly devices: Devices;
}

function createInputs(): Inputs {
  let membrane: ReplayedMembrane | undefined;
  replay(staticsOf({ Request }), [], (made) => (membrane = made as ReplayedMembrane));
  const realm = createRealm({ queueMicrotask() {}, nextTick() {}, isNativePromise: types.isPromise });
  return { membrane: membrane as ReplayedMembrane, devices: new Devices(realm, undefined) };
}

function intercept(inputs: Inputs, interceptor = new Interceptor()): void {
  const promises: NativePromises = { count: 0, calls: (call) => call(), asks: (ask) => ask() };
  interceptInputs(interceptor, { ...inputs, promises });
}

/** The object itself and all classes that have the method. */
function holdersOf(object: object | null, method: string): object[] {
  if (object === null) return [];
  const others = holdersOf(Object.getPrototypeOf(object) as object | null, method);
  return Object.hasOwn(object, method) ? [object, ...others] : others;
}

describe('interception', () => {
  it('begins with the tables as they are', () => {
    const inputs = createInputs();
    expect(() => intercept(inputs)).not.toThrow();
    expect(Object.hasOwn(inputs.membrane, 'apply')).toBe(true);
  });

  const tables = { membrane: MEMBRANE_CALLS, devices: DEVICES_CALLS } as const;
  const each = Object.entries(tables).flatMap(([name, modes]) =>
    Object.keys(modes).map((method) => [name as keyof typeof tables, method] as const),
  );

  it.each(each)('does not begin if the table of %s has no entry for %s', (name, method) => {
    const modes = tables[name] as Record<string, unknown>;
    const mode = modes[method];
    delete modes[method];
    try {
      expect(() => intercept(createInputs())).toThrow(`.${method} has no mode`);
    } finally {
      modes[method] = mode;
    }
  });

  it.each(each)('does not begin if the method of %s with the name %s is renamed', (name, method) => {
    const inputs = createInputs();
    const holders = holdersOf(inputs[name], method).map((holder) => {
      const descriptor = Object.getOwnPropertyDescriptor(holder, method) as PropertyDescriptor;
      Reflect.deleteProperty(holder, method);
      Object.defineProperty(holder, `${method}Renamed`, descriptor);
      return [holder, descriptor] as const;
    });
    try {
      expect(() => intercept(inputs)).toThrow(expect.objectContaining({ code: 'TT_CALL_MODE' }));
    } finally {
      for (const [holder, descriptor] of holders) {
        Reflect.deleteProperty(holder, `${method}Renamed`);
        Object.defineProperty(holder, method, descriptor);
      }
    }
  });
});

describe('in re-execution', () => {
  const numbersOf = (membrane: ReplayedMembrane): unknown => {
    const { counts, sources } = membrane.read(() => true).state;
    return [counts, sources.length];
  };

  it('a listener gets no other number, and a data source is not declared twice', () => {
    const inputs = createInputs();
    const { membrane } = inputs;
    const interceptor = new Interceptor();
    intercept(inputs, interceptor);
    const declare = (): void => {
      membrane.listen(() => {});
      membrane.handMake(membrane.handleOf(Request.prototype), { facts: [], over: [], make: () => ({}) });
    };
    declare();
    const numbers = numbersOf(membrane);
    expect(numbers).toEqual([[0, 1, 0], 1]);
    interceptor.isReexecuting = true;
    declare();
    interceptor.isReexecuting = false;
    expect(numbersOf(membrane)).toEqual(numbers);
  });

  it('an answer is not reported to observers', () => {
    const told: string[] = [];
    watchDevices({ called() {}, requested() {}, responded: (what) => void told.push(what) });
    const inputs = createInputs();
    const { membrane } = inputs;
    const interceptor = new Interceptor();
    intercept(inputs, interceptor);
    const request = {};
    deviceWatch()?.makes(request, ['method', 'url'], ['GET', '/carts']);
    interceptor.isReexecuting = true;
    membrane.answered(request, 200);
    expect(told).toEqual([]);
    interceptor.isReexecuting = false;
    membrane.answered(request, 200);
    expect(told).toEqual(['GET /carts 200']);
  });
});
