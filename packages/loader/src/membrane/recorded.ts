// The membrane of a program that is recorded: there is an outside.
import { types } from 'node:util';
import type { TapeRecorder } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import {
  CALL,
  CHAINED,
  codeBytes,
  FORM,
  NEUTRAL,
  OP,
  RELEASE,
  THREW,
  UNCAUGHT,
  type Coded,
  type Op,
} from './crossing.ts';
import { codeError, isError } from './errors.ts';
import { ABOVE, proxyOf, type Handle } from './handle.ts';
import { BaseMembrane, Bound, Kept, kindOf, type Exported, type MembranePorts } from './membrane.ts';
import { isWriter, LentBytes } from './lent.ts';
import { actUpon, Outward } from './outward.ts';

const { apply, getPrototypeOf, getOwnPropertyDescriptor, ownKeys } = Reflect;
const { isProxy, isPromise, isDate, isAnyArrayBuffer, isSharedArrayBuffer } = types;
/** The engine's own: the program's are watched. */
const NativeRegistry = FinalizationRegistry;
const NativeWeakRef = WeakRef;
const { deref } = WeakRef.prototype;
const { then: nativeThen } = Promise.prototype as { then: (this: unknown, ...args: unknown[]) => unknown };
const later = setImmediate;

interface Crossed extends Exported {
  /** What the outside has of it. */
  outer: WeakRef<object>;
}

/** Holds neither side, so that the collector can have either. */
interface Token {
  readonly number: number;
  readonly outer: WeakRef<object>;
}

/** The same of a proxy: what is known of a handle may lead to it again. */
interface HeldToken {
  readonly number: number;
  readonly native: WeakRef<object>;
}

/** A handle whose proxy nobody may have any more. */
interface Held {
  readonly handle: Handle;
  proxy: WeakRef<object> | object;
}

export class RecordedMembrane extends BaseMembrane {
  readonly #tape: TapeRecorder;
  /** By what is outside. */
  readonly #held = new WeakMap<object, Held>();
  /** By what the outside has. */
  readonly #inside = new WeakMap<object, Crossed>();
  /** By what is inside. */
  readonly #crossed = new WeakMap<object, Crossed>();
  readonly #byNumber = new Map<number, WeakRef<object>>();
  readonly #outward: Outward;
  readonly #lent = new LentBytes();
  /** Those that stand for native ones. */
  readonly #promises = new WeakSet<object>();
  /** Native code runs that the program has called. */
  #isOutside = false;
  #isInside = false;
  #events = 0;
  /** What `in` has made of the last value, for the trace. */
  #coded: Coded;
  #thrown: { readonly error: unknown } | undefined;
  readonly #gone: { readonly outers: Token[]; readonly proxies: HeldToken[] } = { outers: [], proxies: [] };
  #isReleasing = false;
  readonly #outersGone = new NativeRegistry((token: Token) => this.#release(() => this.#gone.outers.push(token)));
  readonly #proxiesGone = new NativeRegistry((token: HeldToken) => this.#release(() => this.#gone.proxies.push(token)));

  constructor(ports: MembranePorts) {
    super(ports);
    this.#tape = ports.tape as TapeRecorder;
    this.#outward = new Outward({
      outerOf: (value) => this.#outerOf(value),
      nativeOf: (proxy) => this.nativeOf(proxy),
      isNeutral: (value) => this.statics.isNeutral(value),
      methodOf: (key, value) => (this.isMethod(key, value) ? this.#methodOf(value) : value),
      act: (what, inside, key, values) => this.#act(what, inside, key, values),
    });
  }

  /** Code of Node's or of a device runs, on behalf of the program. */
  get isOutside(): boolean {
    return this.#isOutside;
  }

  /** The outside has called the program. */
  get isInside(): boolean {
    return this.#isInside;
  }

  handleOf<T extends object>(native: T): T {
    const held = this.#held.get(native);
    if (held !== undefined) return this.#proxyOf(held) as T;
    const path = this.statics.pathOf(native);
    if (path === undefined) return this.#newHandle(native) as T;
    const proxy = this.newStatic(native, path);
    this.#held.set(native, { handle: this.handles.get(proxy) as Handle, proxy });
    return proxy as T;
  }

  /** What of the program's native code has this for. */
  standsFor(outer: object): object | undefined {
    return isProxy(outer) ? this.#inside.get(outer)?.inside : undefined;
  }

  /** What the outside has of the program, by number: for captures. */
  exports(): [number, object][] {
    const found: [number, object][] = [];
    for (const number of this.#byNumber.keys()) {
      const inside = this.#insideOf(number);
      if (inside !== undefined) found.push([number, inside]);
    }
    return found;
  }

  readonly #unsettled = new Map<number, object>();

  protected pending(): [number, object][] {
    return [...this.#unsettled];
  }

  readonly #contextRefs = new Map<number, WeakRef<object>>();

  protected contexts(): [number, object][] {
    const found: [number, object][] = [];
    for (const [number, ref] of this.#contextRefs) {
      const context = apply(deref, ref, []) as object | undefined;
      if (context === undefined) this.#contextRefs.delete(number);
      else found.push([number, context]);
    }
    return found;
  }

  protected override contextNumbered(number: number, context: object): void {
    this.#contextRefs.set(number, new NativeWeakRef(context));
  }

  #insideOf(number: number): object | undefined {
    const ref = this.#byNumber.get(number);
    return ref === undefined ? undefined : (apply(deref, ref, []) as object | undefined);
  }

  /** An exception of the program's that nobody has caught. */
  uncaught(error: unknown): void {
    const thrown = this.#thrown;
    this.#thrown = undefined;
    if (thrown !== undefined && thrown.error === error) this.#tape.entry(SOURCES.device, 0, [UNCAUGHT]);
  }

  // ── Bytes that are lent ──────────────────────────────────────────────────────────────────────────────────────────────

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    if (!isWriter(handle.label)) return super.apply(handle, self, args);
    const callback = args.findLast((each) => typeof each === 'function');
    const call = {};
    this.#lent.lend(args, callback ?? call);
    try {
      const answer = super.apply(handle, self, args);
      if (typeof answer === 'object' && answer !== null && this.#promises.has(answer)) this.#lent.pass(call, answer);
      return answer;
    } finally {
      this.#lent.end(call);
    }
  }

  #look(isNested: boolean): void {
    this.#lent.look((view, offset, bytes) => {
      const { number } = this.#crossed.get(view) as Crossed;
      if (isNested) this.#note([this.silent, OP.fill | CALL, number, offset, bytes]);
      else this.#tape.entry(SOURCES.device, number, [OP.fill | CALL, 0, offset, bytes]);
    });
  }

  // ── Asks ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

  protected perform(op: Op, predicted: unknown, isFresh: boolean, ask: () => unknown, key?: PropertyKey): unknown {
    this.noteContext();
    const events = this.#events;
    const wasOutside = this.#isOutside;
    this.#isOutside = true;
    let result: unknown;
    let hasThrown = false;
    try {
      result = ask();
    } catch (error) {
      hasThrown = true;
      result = error;
    } finally {
      this.#isOutside = wasOutside;
    }
    if (!this.#lent.isEmpty) this.#look(true);
    const { handleCount } = this;
    const inside = this.#in(result, isFresh && !hasThrown);
    if (!hasThrown && this.#events === events && Object.is(inside, predicted)) {
      this.silent++;
      if (this.handleCount > handleCount) this.#takeBack(inside as object);
      return inside;
    }
    const coded = this.#coded;
    const what = hasThrown ? op | THREW : op;
    this.#note(key === undefined ? [this.silent, what, coded] : [this.silent, what, coded, this.#codeKey(key)]);
    if (hasThrown) throw inside;
    return inside;
  }

  /** A number was given that no trace tells of. */
  #takeBack(proxy: object): void {
    (this.handles.get(proxy) as Handle).number = -1;
    this.handleCount--;
    this.crossedStatics.pop();
  }

  #lastTurn = -1;

  /** Whether something of the membrane has happened in this turn of Node's before. */
  #isChained(): boolean {
    const now = this.ports.turns();
    const isChained = now === this.#lastTurn;
    this.#lastTurn = now;
    return isChained;
  }

  #note(value: Coded): void {
    this.#lastTurn = this.ports.turns();
    this.#events++;
    this.silent = 0;
    this.#tape.outcome(SOURCES.device, value);
  }

  /** The outside does something to the program: it is noted, then done. */
  #act(what: Op, inside: object, key: PropertyKey | undefined, values: readonly unknown[]): unknown {
    const crossed = this.#crossed.get(inside);
    const target: Coded[] = crossed === undefined ? [this.statics.neutralPathOf(inside)] : [];
    const code = crossed === undefined ? what | CALL | NEUTRAL : what | CALL;
    const number = crossed?.number ?? 0;
    const isNested = this.#isOutside;
    if (!this.#lent.isEmpty) {
      this.#look(isNested);
      if (what === OP.apply) this.#lent.end(inside);
    }
    const coded: Coded[] = [];
    // `this` is no data that nobody keeps, nor what is put somewhere.
    const isCall = what === OP.apply || what === OP.construct;
    const came = values.map((each, i) => {
      const own = this.#in(each, isCall && i > 0);
      coded.push(this.#coded);
      return own;
    });
    const codedKey = key === undefined ? [] : [this.#codeKey(key)];
    if (isNested) this.#note([this.silent, code, number, ...target, ...codedKey, ...coded]);
    else {
      this.#events++;
      const chained = this.#isChained() ? code | CHAINED : code;
      this.#tape.entry(SOURCES.device, number, [chained, this.contextNow(), ...target, ...codedKey, ...coded]);
    }
    this.#isOutside = false;
    const wasInside = this.#isInside;
    this.#isInside = true;
    try {
      return this.out(actUpon(what, inside, key, came));
    } catch (error) {
      if (!isNested) this.#thrown = { error };
      throw this.out(error);
    } finally {
      this.#isOutside = isNested;
      this.#isInside = wasInside;
    }
  }

  // ── Inwards ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** As the program is to see it; `#coded` is what the trace says. `isFresh`: nobody outside keeps it, if it is data. */
  #in(value: unknown, isFresh: boolean): unknown {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      this.#coded = typeof value === 'symbol' ? this.symbols.code(value) : (value as Coded);
      return value;
    }
    if (Kept.is(value)) return new Kept(this.#in(Kept.in(value), false));
    const bound = Bound.in(value);
    if (bound !== undefined) return this.#static(this.boundHandle(bound));
    const crossed = this.#inside.get(value);
    if (crossed !== undefined) {
      this.#coded = [FORM.exported, crossed.number];
      return crossed.inside;
    }
    const held = this.#held.get(value);
    if (held !== undefined) {
      const proxy = this.#proxyOf(held);
      if (held.handle.path !== undefined) return this.#static(proxy);
      this.#coded = [FORM.handle, held.handle.number];
      return proxy;
    }
    const own = this.handles.get(value);
    if (own !== undefined) {
      if (own.path !== undefined) return this.#static(value);
      this.#coded = [FORM.handle, own.number];
      return value;
    }
    if (this.statics.isNeutral(value)) {
      this.#coded = [FORM.neutral, this.statics.neutralPathOf(value) ?? ''];
      return value;
    }
    if (this.statics.pathOf(value) !== undefined) return this.#static(this.handleOf(value));
    return this.#meet(value, isFresh);
  }

  #static(proxy: object): object {
    const handle = this.handles.get(proxy) as Handle;
    if (handle.number >= 0) this.#coded = [FORM.handle, handle.number];
    else {
      handle.number = this.handleCount++;
      this.crossedStatics.push(handle);
      this.#coded = [FORM.static, handle.path];
    }
    return proxy;
  }

  /** For the first time. */
  #meet(value: object, isFresh: boolean): unknown {
    if (!isProxy(value)) {
      if (typeof value === 'object') {
        if (isFresh && isPlain(value)) return this.#copy(value, new Set());
        if (isBytes(value)) {
          this.#adopt(value);
          this.#coded = codeBytes(value);
          return value;
        }
        if (isDate(value)) {
          this.#adopt(value);
          this.#coded = [FORM.date, value.getTime()];
          return value;
        }
        if (isError(value)) {
          this.#adopt(value);
          this.#coded = codeError(value, this.#codeKey, (held) => {
            const inside = this.#in(held, true);
            return { inside, coded: this.#coded };
          });
          return value;
        }
        if (isPromise(value)) return this.#promise(value);
        if (isSharedArrayBuffer(value)) this.ports.cannotReplay('SharedArrayBuffer');
      }
    }
    return this.#newHandle(value);
  }

  #copy(value: object, within: Set<object>): object {
    within.add(value);
    const part = (each: unknown): unknown => {
      if (typeof each === 'object' && each !== null && !isProxy(each) && isPlain(each) && !this.#isKnown(each))
        return within.has(each) ? this.#in(each, false) : this.#copy(each, within);
      return this.#in(each, true);
    };
    let copy: object;
    if (Array.isArray(value)) {
      const list: unknown[] = (copy = Array.from({ length: value.length }));
      const coded: Coded[] = [FORM.array];
      for (let i = 0; i < value.length; i++) {
        list[i] = part(value[i]);
        coded.push(this.#coded);
      }
      this.#coded = coded;
    } else {
      const isBare = getPrototypeOf(value) === null;
      const record = (copy = (isBare ? Object.create(null) : {}) as Record<string, unknown>) as Record<string, unknown>;
      const coded: Coded[] = [FORM.plain, isBare];
      for (const key of ownKeys(value)) {
        if (getOwnPropertyDescriptor(value, key)?.enumerable !== true) continue;
        const inside = part((value as Record<PropertyKey, unknown>)[key]);
        Object.defineProperty(record, key, { value: inside, writable: true, enumerable: true, configurable: true });
        coded.push(this.#codeKey(key), this.#coded);
      }
      this.#coded = coded;
    }
    within.delete(value);
    return copy;
  }

  readonly #codeKey = (key: PropertyKey): Coded => (typeof key === 'symbol' ? this.symbols.code(key) : String(key));

  #isKnown(value: object): boolean {
    return this.#inside.has(value) || this.#held.has(value) || this.statics.isNeutral(value);
  }

  /** It is the program's from now on. */
  #adopt(value: object): void {
    this.#export(value, value);
  }

  #newHandle(native: object): object {
    const handle: Handle = {
      number: this.handleCount++,
      path: undefined,
      kind: kindOf(native),
      label: labelOf(native),
      native,
      known: undefined,
      epoch: this.epoch,
    };
    const held: Held = { handle, proxy: native };
    const proxy = this.#makeProxy(held);
    this.#held.set(native, held);
    const above = typeof native === 'function' ? null : getPrototypeOf(native);
    let codedAbove: Coded = null;
    if (above !== null && !isProxy(above) && this.statics.pathOf(above) !== undefined) {
      const known = this.#static(this.handleOf(above));
      codedAbove = this.#coded;
      this.know(handle, ABOVE, known);
    }
    this.#coded = [FORM.newHandle, handle.kind, handle.label, codedAbove];
    return proxy;
  }

  #makeProxy(held: Held): object {
    const proxy = proxyOf(held.handle, this);
    held.proxy = new NativeWeakRef(proxy);
    this.handles.set(proxy, held.handle);
    const { number, native } = held.handle;
    this.#proxiesGone.register(proxy, { number, native: new NativeWeakRef(native as object) });
    return proxy;
  }

  #proxyOf(held: Held): object {
    if (held.handle.path !== undefined) return held.proxy;
    return (apply(deref, held.proxy as WeakRef<object>, []) as object | undefined) ?? this.#makeProxy(held);
  }

  #promise(native: object): object {
    const { promise, settle } = this.ports.promise();
    const number = this.promiseCount++;
    this.#promises.add(promise);
    this.#unsettled.set(number, promise);
    this.#export(promise, native);
    const settled =
      (isFulfilled: boolean) =>
      (value: unknown): void => {
        if (!this.#lent.isEmpty) {
          this.#look(false);
          this.#lent.end(promise);
        }
        this.#unsettled.delete(number);
        const inside = this.#in(value, isFulfilled);
        this.#events++;
        this.#tape.entry(SOURCES.settled, number, [isFulfilled, this.#coded, this.#isChained()]);
        settle(isFulfilled, inside);
      };
    apply(nativeThen, native, [settled(true), settled(false)]);
    this.#coded = [FORM.promise];
    return promise;
  }

  // ── Outwards ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  protected out(value: unknown): unknown {
    if (typeof value === 'symbol') this.symbols.meet(value);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
    const handle = this.handles.get(value);
    if (handle !== undefined) return handle.native;
    if (this.statics.isNeutral(value)) return value;
    const known = this.#outerOf(value);
    if (known !== undefined) return known;
    const kind = this.crossing(value);
    if (kind === 'plain' || kind === 'array') return this.#copyOut(value, kind, new Map());
    if (kind === 'raw') {
      this.#export(value, value);
      return value;
    }
    const outer = this.#outward.standIn(value, kind);
    this.#export(value, outer);
    return outer;
  }

  readonly #methods = new WeakMap<object, object>();

  /** A neutral method that the outside calls on something of the program's. */
  #methodOf(fn: object): object {
    let outer = this.#methods.get(fn);
    if (outer === undefined) this.#methods.set(fn, (outer = this.#outward.standIn(fn, 'function')));
    return outer;
  }

  /** What the outside has of it already. */
  #outerOf(value: object): object | undefined {
    const crossed = this.#crossed.get(value);
    if (crossed === undefined) return undefined;
    const outer = apply(deref, crossed.outer, []) as object | undefined;
    if (outer !== undefined) return outer;
    // Its number is still its: nobody has been told that it is free.
    const again = this.#outward.standIn(value, typeof value === 'function' ? 'function' : 'object');
    crossed.outer = new NativeWeakRef(again);
    this.#inside.set(again, crossed);
    this.#watch(again, crossed);
    return again;
  }

  /** Each crossing makes a copy: what becomes of the original is not the outside's. */
  #copyOut(value: object, kind: 'plain' | 'array', within: Map<object, object>): object {
    const copy: object = kind === 'array' ? [] : (Object.create(getPrototypeOf(value)) as object);
    within.set(value, copy);
    this.#inside.set(copy, this.#numbered(value, copy));
    const part = (each: unknown): unknown => {
      if (typeof each !== 'object' || each === null || this.handles.has(each) || this.statics.isNeutral(each))
        return this.out(each);
      const known = within.get(each);
      if (known !== undefined) return known;
      const its = this.crossing(each);
      return its === 'plain' || its === 'array' ? this.#copyOut(each, its, within) : this.out(each);
    };
    if (kind === 'array') for (const each of value as unknown[]) (copy as unknown[]).push(part(each));
    else
      for (const key of Reflect.ownKeys(value)) {
        if (getOwnPropertyDescriptor(value, key)?.enumerable !== true) continue;
        const inner = part((value as Record<PropertyKey, unknown>)[key]);
        Object.defineProperty(copy, key, { value: inner, writable: true, enumerable: true, configurable: true });
      }
    return copy;
  }

  #numbered(inside: object, outer: object): Crossed {
    const crossed: Crossed = { number: this.exportCount++, inside, outer: new NativeWeakRef(outer) };
    this.#byNumber.set(crossed.number, new NativeWeakRef(inside));
    this.#watch(outer, crossed);
    return crossed;
  }

  #watch(outer: object, { number, outer: ref }: Crossed): void {
    this.#outersGone.register(outer, { number, outer: ref });
  }

  #export(inside: object, outer: object): void {
    const crossed = this.#numbered(inside, outer);
    this.#crossed.set(inside, crossed);
    this.#inside.set(outer, crossed);
  }

  // ── Numbers that are free again ──────────────────────────────────────────────────────────────────────────────────────

  #release(note: () => void): void {
    note();
    if (this.#isReleasing) return;
    this.#isReleasing = true;
    later(() => this.#releaseAll()).unref();
  }

  #releaseAll(): void {
    this.#isReleasing = false;
    const { outers, proxies } = this.#gone;
    const numbers = (list: readonly { readonly number: number }[]): number[] => list.map(({ number }) => number);
    const exports = outers.splice(0).filter(({ number, outer }) => {
      const inside = this.#insideOf(number);
      const crossed = inside === undefined ? undefined : this.#crossed.get(inside);
      if (crossed?.number === number) {
        // Another one has taken the place of that which is gone.
        if (crossed.outer !== outer) return false;
        this.#crossed.delete(inside as object);
      }
      return this.#byNumber.delete(number);
    });
    const handles = proxies.splice(0).filter((each) => {
      const native = apply(deref, each.native, []) as object | undefined;
      if (native === undefined) return true;
      const held = this.#held.get(native);
      // It has been released, or another one has taken the place of that which is gone.
      if (held?.handle.number !== each.number || apply(deref, held.proxy as WeakRef<object>, []) !== undefined)
        return false;
      return this.#held.delete(native);
    });
    if (exports.length + handles.length === 0) return;
    this.#tape.entry(SOURCES.device, 0, [RELEASE, numbers(exports), numbers(handles)]);
  }
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const above = getPrototypeOf(value);
  return above === null || above === Object.prototype;
}

function isBytes(value: object): value is ArrayBufferView | ArrayBuffer {
  return ArrayBuffer.isView(value) || (isAnyArrayBuffer(value) && !isSharedArrayBuffer(value));
}

function labelOf(native: object): string {
  if (typeof native === 'function') {
    const name: unknown = isProxy(native) ? '' : getOwnPropertyDescriptor(native, 'name')?.value;
    return typeof name === 'string' ? name : '';
  }
  for (let at = isProxy(native) ? null : getPrototypeOf(native); at !== null && !isProxy(at); at = getPrototypeOf(at)) {
    const type: unknown = getOwnPropertyDescriptor(at, 'constructor')?.value;
    if (typeof type === 'function' && !isProxy(type)) return type.name;
  }
  return '';
}
