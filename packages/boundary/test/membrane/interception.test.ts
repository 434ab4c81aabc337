// Interception of the membrane's methods in tasks that are re-executed in place: every method has a mode, and a
// repeated call assigns no new number.
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { describe, expect, it } from 'vitest';
import { Interceptor } from '../../../core/test/interceptor.ts';
import { DEVICES_CALLS, interceptInputs, MEMBRANE_CALLS } from '../../src/inputs/interception.ts';
import type { NativePromises } from '../../src/inputs/native-promises.ts';
import type { ReplayedMembrane } from '../../src/membrane/replayed-membrane.ts';
import { deviceTracker, observeDevices } from '../../src/membrane/device-tracker.ts';
import { Devices } from '../../src/devices.ts';
import { replay, staticsOf } from './tapes.ts';

class Request {}

interface Inputs {
  readonly membrane: ReplayedMembrane;
  readonly devices: Devices;
}

function createInputs(): Inputs {
  let membrane: ReplayedMembrane | undefined;
  replay(staticsOf({ Request }), [], (createdMembrane) => (membrane = createdMembrane as ReplayedMembrane));
  const realm = createRealm({ queueMicrotask() {}, nextTick() {}, isNativePromise: types.isPromise });
  return { membrane: membrane as ReplayedMembrane, devices: new Devices(realm, undefined) };
}

function intercept(inputs: Inputs, interceptor = new Interceptor()): void {
  const promises: NativePromises = { count: 0, callProgram: (call) => call(), registerWaiter: (ask) => ask() };
  interceptInputs(interceptor, { ...inputs, promises });
}

/** The object itself and all classes that have the method. */
function holdersOf(object: object | null, method: string): object[] {
  if (object === null) return [];
  const others = holdersOf(Object.getPrototypeOf(object) as object | null, method);
  return Object.hasOwn(object, method) ? [object, ...others] : others;
}

describe('interception', () => {
  it('has a mode for every method', () => {
    const inputs = createInputs();
    expect(() => intercept(inputs)).not.toThrow();
    expect(Object.hasOwn(inputs.membrane, 'apply')).toBe(true);
  });

  const modeTables = { membrane: MEMBRANE_CALLS, devices: DEVICES_CALLS } as const;
  const tableMethods = Object.entries(modeTables).flatMap(([name, modes]) =>
    Object.keys(modes).map((method) => [name as keyof typeof modeTables, method] as const),
  );

  it.each(tableMethods)('does not begin if the table of %s has no entry for %s', (name, method) => {
    const modes = modeTables[name] as Record<string, unknown>;
    const mode = modes[method];
    delete modes[method];
    try {
      expect(() => intercept(createInputs())).toThrow(`.${method} has no mode`);
    } finally {
      modes[method] = mode;
    }
  });

  it.each(tableMethods)('does not begin if the method of %s with the name %s is renamed', (name, method) => {
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

describe('re-execution in place', () => {
  const countersOf = (membrane: ReplayedMembrane): unknown => {
    const { counts, surrogateTypes: sources } = membrane.capture(() => true).state;
    return [counts, sources.length];
  };

  it('does not number a listener or declare a data source twice', () => {
    const inputs = createInputs();
    const { membrane } = inputs;
    const interceptor = new Interceptor();
    intercept(inputs, interceptor);
    const declare = (): void => {
      membrane.wrapListener(() => {});
      membrane.defineSurrogate(membrane.proxyFor(Request.prototype), {
        initialKeys: [],
        donePath: [],
        make: () => ({}),
      });
    };
    declare();
    const numbers = countersOf(membrane);
    expect(numbers).toEqual([[0, 1, 0], 1]);
    interceptor.isReexecuting = true;
    declare();
    interceptor.isReexecuting = false;
    expect(countersOf(membrane)).toEqual(numbers);
  });

  it('does not report a response to observers', () => {
    const responses: string[] = [];
    observeDevices({ onHostCall() {}, onRequest() {}, onResponse: (what) => void responses.push(what) });
    const inputs = createInputs();
    const { membrane } = inputs;
    const interceptor = new Interceptor();
    intercept(inputs, interceptor);
    const request = {};
    deviceTracker()?.noteSurrogate(request, ['method', 'url'], ['GET', '/carts']);
    interceptor.isReexecuting = true;
    membrane.reportAnswered(request, 200);
    expect(responses).toEqual([]);
    interceptor.isReexecuting = false;
    membrane.reportAnswered(request, 200);
    expect(responses).toEqual(['GET /carts 200']);
  });
});
