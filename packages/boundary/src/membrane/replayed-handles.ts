// Handles of a replaying thread, by the numbers that the recorded run has assigned. Only handles of builtins' objects
// have a host object.
import type { TapePlayer, TapeValue } from '@turntable/core';
import { deviceTracker } from './device-tracker.ts';
import { HANDLE_KIND, VALUE_FORM, type EncodedList } from './encoding.ts';
import { BOUND_PREFIX, handleKindOf, type Handle } from './handle.ts';
import type { MembraneCounters } from './marks.ts';
import type { MembraneState } from './membrane-state.ts';
import type { OutcomeDecoder } from './outcome-decoder.ts';
import type { Statics } from './static-objects.ts';
import type { SurrogateType } from './surrogates.ts';

export interface ReplayedHandlesDeps {
  readonly tape: TapePlayer;
  readonly statics: Statics;
  readonly numbers: MembraneCounters;
  readonly surrogateTypes: readonly SurrogateType[];
  readonly decoder: OutcomeDecoder;
  /** Creates a handle and marks its proxy. */
  createHandle(
    number: number,
    path: string | undefined,
    kind: number,
    label: string,
    hostObject: object | undefined,
    surrogate?: { readonly kind: number; readonly object: object },
  ): Handle;
  handleFromProxy(proxy: object): Handle | undefined;
  boundProxy(fn: object): object;
  rememberPrototype(handle: Handle, prototype: object): void;
  /** Runs code that creates an object for the program. */
  makeForProgram<T>(make: () => T): T;
}

export class ReplayedHandles {
  readonly #deps: ReplayedHandlesDeps;
  /** The program's proxies and surrogates by handle number, until the recorded run has released the number. */
  readonly #proxies = new Map<number, object>();
  /** Proxies of builtins' objects, which every process has, by native object. */
  readonly #staticProxies = new WeakMap<object, object>();
  /** Kinds of the live surrogates by handle number. */
  readonly #surrogateKinds = new Map<number, number>();

  constructor(deps: ReplayedHandlesDeps) {
    this.#deps = deps;
  }

  proxyAt(number: number): object | undefined {
    return this.#proxies.get(number);
  }

  /** Returns the proxy of an object that every process has. */
  staticProxy(hostObject: object): object {
    let proxy = this.#staticProxies.get(hostObject);
    if (proxy === undefined) {
      const path = this.#deps.statics.pathOf(hostObject) ?? '';
      proxy = this.#deps.createHandle(-1, path, handleKindOf(hostObject), path, hostObject).proxy;
      this.#staticProxies.set(hostObject, proxy);
    }
    return proxy;
  }

  #staticHandleAt(path: string): Handle {
    const { tape, statics } = this.#deps;
    const isBound = path.startsWith(BOUND_PREFIX);
    const native = statics.objectAt(isBound ? path.slice(BOUND_PREFIX.length) : path);
    if (native === undefined) return tape.diverge(`the host has ${path}`, 'it does not exist here');
    const proxy = isBound ? this.#deps.boundProxy(native) : this.staticProxy(native);
    return this.#deps.handleFromProxy(proxy) as Handle;
  }

  /** Numbers the handle of a static object that crosses the membrane for the first time. */
  createStaticProxy(path: string): object {
    const handle = this.#staticHandleAt(path);
    this.#deps.numbers.assign(handle);
    this.#proxies.set(handle.number, handle.proxy);
    return handle.proxy;
  }

  createProxy([, kind, label, encodedPrototype]: EncodedList): object {
    const { numbers, decoder } = this.#deps;
    const number = numbers.handles++;
    const handle = this.#deps.createHandle(number, undefined, kind as number, label as string, undefined);
    this.#proxies.set(number, handle.proxy);
    if (encodedPrototype !== null)
      this.#deps.rememberPrototype(handle, decoder.decodeValue(encodedPrototype as TapeValue) as object);
    return handle.proxy;
  }

  /** Creates the handle of a native promise that Node reports as unhandled. */
  createPromiseProxy(): object {
    return this.createProxy([VALUE_FORM.newHandle, HANDLE_KIND.object, 'Promise', null]);
  }

  makeSurrogate([, kind, ...encoded]: EncodedList): object {
    const { tape, numbers, surrogateTypes, decoder } = this.#deps;
    const initialValues = encoded.map(decoder.decodeValue);
    const surrogateType = surrogateTypes[kind as number];
    if (surrogateType === undefined)
      return tape.diverge('a data source creates an object for an input', 'the data source does not exist');
    const object = this.#deps.makeForProgram(() => surrogateType.make(...initialValues));
    this.#addSurrogate(numbers.handles++, object, kind as number);
    deviceTracker()?.noteSurrogate(object, surrogateType.initialKeys, initialValues);
    return object;
  }

  #addSurrogate(number: number, object: object, kind: number): void {
    this.#deps.createHandle(number, undefined, HANDLE_KIND.object, '', undefined, { kind, object });
    this.#proxies.set(number, object);
    this.#surrogateKinds.set(number, kind);
  }

  liveSurrogates(): [number: number, surrogate: object, kind: number][] {
    return [...this.#surrogateKinds].map(([number, kind]) => [number, this.#proxies.get(number) as object, kind]);
  }

  /** Restores the handles of a snapshot that no object of the program references. */
  restore({ statics, surrogates }: Pick<MembraneState, 'statics' | 'surrogates'>): void {
    for (const [path, number] of statics) {
      const handle = this.#staticHandleAt(path);
      handle.number = number;
      this.#deps.numbers.statics.push(handle);
      this.#proxies.set(number, handle.proxy);
    }
    for (const [number, object, kind] of surrogates) this.#addSurrogate(number, object, kind);
  }

  /** Returns the proxy with a number that the snapshot or an earlier part of the recording has assigned. */
  revive(number: number, kind: number, label: string): object {
    const knownProxy = this.#proxies.get(number);
    if (knownProxy !== undefined) return knownProxy;
    const { proxy } = this.#deps.createHandle(number, undefined, kind, label, undefined);
    this.#proxies.set(number, proxy);
    return proxy;
  }

  release(number: number): void {
    this.#proxies.delete(number);
    this.#surrogateKinds.delete(number);
  }

  /** Notes that the host is done with a surrogate. */
  finishSurrogate(number: number): void {
    this.#surrogateKinds.delete(number);
  }
}
