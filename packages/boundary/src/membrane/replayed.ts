// The membrane of a program that runs again: there is no outside. What the program asks the trace answers, and the trace calls what the outside called.
import { Eventual, thrownAgain, type TapePlayer, type TapeValue } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { type Coded, type CodedList, EVENT, FLAG, FORM, KIND, OP, type Op, opText } from './crossing.ts';
import { NOTHING, type Handle } from './handle.ts';
import { BaseMembrane, BOUND, kindOf, type MembranePorts, type Settleable } from './membrane.ts';
import { fill } from './lent.ts';
import type { NumberedContext } from './context-numbers.ts';
import type { Belonging, Held, MembraneState } from './membrane-state.ts';
import { OutgoingAgain } from './outgoing-again.ts';
import { actUpon, hasKey } from './outward.ts';
import { OutcomeDecoder } from './outcome-decoder.ts';
import { isDescriptorWriter, writtenBy } from './standard-output.ts';
import { deviceWatch } from './watched-devices.ts';
import { isOutsideMember, noteThrownAgain } from '@turntable/loader';
import type { FailureTakers } from '../inputs/failures.ts';

const NativePromise = Promise;

/** Not what may be the program's, which throws it by itself. */
function isThrownHere(value: TapeValue): boolean {
  const [what, , isUnsure] = value as CodedList;
  return what === EVENT.uncaught || (what === EVENT.failed && isUnsure !== true);
}

function isFlagged(entry: TapeValue, flag: number): boolean {
  const [what] = entry as CodedList;
  return typeof what === 'number' && (what & flag) !== 0;
}

/** What computes is here, and goes by what it is told: `buffer.INSPECT_MAX_BYTES`. A function it would call is the trace's to call. */
function isSettingInside({ path, native }: Handle, key: PropertyKey, value: unknown): boolean {
  if (path === undefined || native === undefined || typeof key !== 'string') return false;
  return typeof value !== 'function' && typeof value !== 'object' && !path.includes('.') && !isOutsideMember(path, key);
}

interface Pending {
  readonly its: Settleable;
  readonly home: object | undefined;
}

export class ReplayedMembrane extends BaseMembrane implements FailureTakers {
  readonly #tape: TapePlayer;
  readonly #proxies = new Map<number, object>();
  /** Of those that were made by hand, how. They are few; all others are as many as the recorded run's collector had still to take. */
  readonly #handMade = new Map<number, number>();
  readonly #statics = new WeakMap<object, object>();
  readonly #outgoing: OutgoingAgain;
  readonly #contextByNumber = new Map<number, object>();
  readonly #pending = new Map<number, Pending>();
  #isBegun = true;
  /** What the last entry has thrown. */
  #thrown: { readonly error: unknown } | undefined;
  /** What is thrown in the place of Node's code, and promises are rejected with. */
  #raised: { readonly error: unknown } | undefined;
  readonly #rejections = new Set<unknown>();
  readonly #decoder: OutcomeDecoder;
  /** Calls the program, or changes what is its own. */
  calls: <T>(call: () => T) => T = (call) => call();
  /** The same of what it makes for them. */
  makes: <T>(make: () => T) => T = (make) => make();

  constructor(ports: MembranePorts) {
    super(ports);
    const tape = (this.#tape = ports.tape as TapePlayer);
    const { statics, symbols, marks, numbers } = this;
    const outgoing = (this.#outgoing = new OutgoingAgain({
      statics,
      marks,
      numbers,
      crossing: (value) => this.crossing(value),
      copies: () => this.copies(),
      meetSymbol: (symbol) => symbols.meet(symbol),
      home: () => ports.home(),
    }));
    this.#decoder = new OutcomeDecoder({
      tape,
      statics,
      symbols,
      exported: (number) => outgoing.at(number),
      adopt: (value) => outgoing.adopt(value),
      handle: (number, kind, label) =>
        this.#proxies.get(number) ?? (kind === undefined ? undefined : this.revive(number, kind, label ?? '')),
      newHandle: (list) => this.#newHandle(list),
      staticAt: (path) => this.#static(path),
      makeByHand: (list) => this.#makeByHand(list),
      promise: () => this.#promise(),
    });
    tape.on(
      SOURCES.device,
      (number, value) => this.#isBegun && this.#enter(number, value as CodedList),
      (value) => (isFlagged(value, FLAG.microtask) ? 'microtask' : 'macrotask'),
      (value) => {
        const [what, , , isChained] = value as CodedList;
        if (what === EVENT.uncaught || what === EVENT.failed || what === EVENT.rejected) return 'apart';
        if (what === EVENT.shown) return isChained === true ? 'chained' : undefined;
        if (what === EVENT.aborted) return (value as CodedList)[2] === true ? 'chained' : undefined;
        return isFlagged(value, FLAG.chained) ? 'chained' : undefined;
      },
    );
    tape.on(
      SOURCES.settled,
      (number, value) => this.#isBegun && this.#settle(number, value as CodedList),
      () => 'microtask',
      (value) => ((value as CodedList)[2] === true ? 'chained' : undefined),
    );
  }

  /** A state is still to come, to which all of this will happen. */
  hold(): void {
    this.#isBegun = false;
  }

  override forget(): void {
    super.forget();
    if (this.#isBegun) return;
    this.#isBegun = true;
    this.#tape.wake();
  }

  get isOutside(): boolean {
    return false;
  }

  get isInside(): boolean {
    return true;
  }

  handleOf<T extends object>(native: T): T {
    let proxy = this.#statics.get(native);
    if (proxy === undefined) {
      const path = this.statics.pathOf(native) ?? '';
      proxy = this.newHandle(-1, path, kindOf(native), path, native).proxy;
      this.#statics.set(native, proxy);
    }
    return proxy as T;
  }

  listen(listener: object): () => void {
    // One of a snapshot has its number.
    if (this.#isBegun) this.out(listener);
    return () => undefined;
  }

  standsFor(outer: object): object | undefined {
    return this.#standing.has(outer) ? outer : undefined;
  }

  /** Of a snapshot that this run goes on from: what had the number. */
  revive(number: number, kind: number, label: string): object {
    const known = this.#proxies.get(number);
    if (known !== undefined) return known;
    const { proxy } = this.newHandle(number, undefined, kind, label, undefined);
    this.#proxies.set(number, proxy);
    return proxy;
  }

  protected exports(): Belonging[] {
    return this.#outgoing.exports();
  }

  protected pending(): Belonging[] {
    return [...this.#pending].map(([number, { its, home }]) => [number, its.promise, home]);
  }

  protected contexts(): [number, object][] {
    return [...this.#contextByNumber];
  }

  /** Where the recorded run stood when its snapshot was taken. Handles have come back with the state. */
  write(state: MembraneState): void {
    const { numbers } = this;
    [numbers.handles, numbers.exports, numbers.promises] = state.counts;
    this.symbols.write(state.symbols);
    for (const [path, number] of state.statics) {
      const proxy = this.#staticAt(path);
      const handle = this.handleAt(proxy) as Handle;
      handle.number = number;
      numbers.statics.push(handle);
      this.#proxies.set(number, proxy);
    }
    this.sources.push(...state.sources);
    for (const [number, object, kind] of state.handMade) this.#handMadeOne(number, object, kind);
    this.contextNumbers.count = state.contextCount;
    this.hand(undefined, state);
  }

  /** What the outside had of somebody's. */
  hand(home: object | undefined, { exports, pending, contexts }: Held): void {
    for (const [number, inside] of exports) this.#outgoing.restore(number, inside, home);
    for (const [number, promise] of pending) this.#pending.set(number, { its: this.ports.settleable(promise), home });
    for (const [number, context] of contexts) {
      this.contextNumbers.give(number, context);
      this.#contextByNumber.set(number, context);
    }
  }

  /** What the program has thrown by itself is not thrown again. */
  uncaught(error: unknown): unknown {
    const raised = this.#raised;
    this.#raised = undefined;
    if (raised === undefined || raised.error !== error) this.#pass(EVENT.failed, error);
    return error;
  }

  rejected(reason: unknown): unknown {
    if (!this.#rejections.delete(reason)) this.#pass(EVENT.rejected, reason);
    return reason;
  }

  seen(): object {
    return this.#newHandle([FORM.newHandle, KIND.object, 'Promise', null]);
  }

  #pass(what: number, error: unknown): void {
    const noted = this.#tape.pass(SOURCES.device, (value) => (value as CodedList)[0] === what) as CodedList | undefined;
    const coded = noted?.[1];
    if (Array.isArray(coded) && coded[0] === FORM.error && typeof error === 'object' && error !== null)
      this.#outgoing.adopt(error);
  }

  protected perform(op: Op, handle: Handle, predicted: unknown, key: PropertyKey | undefined): unknown {
    // Whoever puts the state back asks what is there in every process, and nothing of the trace.
    if (!this.#isBegun) {
      if (predicted !== NOTHING) return predicted;
      // A class is made again that extends one from outside: what its prototype is below comes with the state.
      if (op === OP.get && key === 'prototype') return null;
    }
    this.noteContext();
    for (let guess = predicted; ; guess = NOTHING) {
      const next = this.#tape.peek(SOURCES.device) as CodedList | undefined;
      if (next === undefined || (next[0] as number) > this.silent) {
        if (guess !== NOTHING) {
          this.silent++;
          return guess;
        }
        // The trace says what stands there instead.
        if (next === undefined) this.#tape.outcome(SOURCES.device, () => askedText(op, handle, key));
      }
      const [silent, what, ...rest] = (next ?? []) as [number, number, ...Coded[]];
      const isAct = (what & FLAG.call) !== 0;
      const noted = rest[1];
      if (silent !== this.silent)
        this.#tape.diverge(
          `the program does what is known ${silent - this.silent} more times before this is asked`,
          `the program asks device: ${askedText(op, handle, key)}`,
        );
      if (
        !isAct &&
        ((what & ~FLAG.threw) !== op || (key !== undefined && typeof noted === 'string' && noted !== String(key)))
      )
        this.#tape.diverge(
          `the program asks device: ${opText(what, undefined, noted)}`,
          `the program asks device: ${askedText(op, handle, key)}`,
        );
      this.#tape.outcome(SOURCES.device);
      this.silent = 0;
      if (this.#happens(what, rest)) continue;
      if (isAct) {
        const [number, ...values] = rest;
        this.#act(what & ~FLAG.call, number as number, values);
        continue;
      }
      const value = this.#decoder.value(rest[0]);
      if (typeof noted !== 'string' && key !== undefined && rest.length > 1) {
        const its = this.#decoder.key(noted);
        if (its !== key)
          this.#tape.diverge(
            `the program asks device: ${opText(what, undefined, String(its))}`,
            `the program asks device: ${askedText(op, handle, key)}`,
          );
      }
      if ((what & FLAG.threw) !== 0) throw value;
      return value;
    }
  }

  override get(handle: Handle, key: PropertyKey, heir: object | undefined): unknown {
    const value = super.get(handle, key, heir);
    deviceWatch()?.reads(handle.proxy, key, value);
    return value;
  }

  override set(handle: Handle, key: PropertyKey, value: unknown, heir: object | undefined): boolean {
    deviceWatch()?.sets(handle.proxy, key, value);
    const isSet = super.set(handle, key, value, heir);
    if (isSet && (isSettingInside(handle, key, value) || this.#isGlobal(handle, value)))
      Reflect.set(handle.native as object, key, value);
    return isSet;
  }

  /** Put where native code would have what stands for it: the program looks at its global object, and sees that something is there. */
  readonly #standing = new WeakSet<object>();

  #isGlobal({ path }: Handle, value: unknown): boolean {
    if (path !== 'web') return false;
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return true;
    if (this.handleAt(value) !== undefined) return false;
    this.#standing.add(value);
    return true;
  }

  /** A class of the program's gives an object that comes back the fields of a new one: it has what it had. */
  override define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    return !this.#isBegun || super.define(handle, key, descriptor);
  }

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    const watch = deviceWatch();
    if (watch !== undefined) {
      const [its] = this.#labelled(self);
      watch.calls(calledName(handle, its), its, args);
    }
    const answer = super.apply(handle, self, args);
    if (isDescriptorWriter(handle.path)) {
      const written = writtenBy(args, answer);
      if (written !== undefined) this.ports.output.show(...written);
    }
    return answer;
  }

  override construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object {
    deviceWatch()?.calls(`new ${calledName(handle, undefined)}`, undefined, args);
    return super.construct(handle, args, newTarget);
  }

  override invoke(object: object, key: PropertyKey, args: readonly unknown[]): unknown {
    const over = deviceWatch()?.invokes(object, key, args);
    const answer = super.invoke(object, key, args);
    over?.();
    return answer;
  }

  override answered(object: object, status: unknown): void {
    deviceWatch()?.answersOutside(object, status);
  }

  override settle(number: number, isFulfilled: boolean, value: unknown): void {
    const over = deviceWatch()?.settles(number, isFulfilled, value);
    super.settle(number, isFulfilled, value);
    over?.();
  }

  /** The outside has what comes of it, and what is thrown. */
  #act(code: number, number: number, given: readonly Coded[]): { readonly error: unknown } | undefined {
    const isNeutral = (code & FLAG.neutral) !== 0;
    const what = (code & ~FLAG.neutral) as Op;
    const rest = isNeutral ? given.slice(1) : given;
    const inside = isNeutral ? this.statics.at(given[0] as string) : this.#outgoing.at(number);
    if (inside === undefined)
      return this.#tape.diverge(`the outside calls what it was given as number ${number}`, 'it was not given that');
    if (what === OP.fill) {
      this.calls(() => fill(inside, rest[0] as number, rest[1] as Uint8Array));
      return undefined;
    }
    const key = hasKey(what) ? this.#decoder.key(rest[0], inside) : undefined;
    const values = (key === undefined ? rest : rest.slice(1)).map(this.#decoder.value);
    const watch = deviceWatch();
    const over = watch?.enters(values.flatMap((value) => this.#labelled(value)));
    const follower = what === OP.apply ? this.followerOf(values) : undefined;
    if (follower !== undefined) watch?.meets(values);
    try {
      let followed: number | undefined;
      const result = this.calls(() => {
        const its = actUpon(what, inside, key, values);
        if (follower?.follow !== undefined && Eventual.has(its)) followed = follower.follow(its);
        return its;
      });
      if (followed !== undefined) watch?.follows(followed, values);
      else {
        this.out(result);
        if (follower !== undefined) watch?.returns(values, result);
      }
      return undefined;
    } catch (error) {
      this.out(error);
      if (follower !== undefined) watch?.throws(values, error);
      return { error };
    } finally {
      over?.();
    }
  }

  #labelled(value: unknown): Handle[] {
    const handle = typeof value === 'object' && value !== null ? this.handleAt(value) : undefined;
    return handle === undefined ? [] : [handle];
  }

  #enter(number: number, [what, ...rest]: CodedList): true {
    if (what === EVENT.released) {
      this.#release(...(rest as unknown as readonly (readonly number[])[]));
      return true;
    }
    if (what === EVENT.uncaught || what === EVENT.failed) {
      this.#raise([what, ...rest]);
      return true;
    }
    if (this.#happens(what as number, rest)) return true;
    if (what === EVENT.rejected) {
      const reason = this.#decoder.value(rest[0]);
      this.#rejections.add(reason);
      void NativePromise.reject(reason);
      return true;
    }
    const [context, ...values] = rest;
    const act = (): void => {
      this.#thrown = this.#act((what as number) & ~(FLAG.call | FLAG.chained | FLAG.microtask), number, values);
      // Natively it comes at once, before whatever ticks and jobs the act has made.
      const next = this.#tape.pass(SOURCES.device, isThrownHere) as CodedList | undefined;
      if (next !== undefined) this.#raise(next);
    };
    const its = this.#contextByNumber.get(context as number);
    // Entries are performed in that of nobody.
    if (its === undefined) act();
    else this.ports.runIn(its, act);
    return true;
  }

  /** What happens outside and calls nothing of the program: output, and a client that has gone. */
  #happens(what: number, rest: readonly Coded[]): boolean {
    if (what === EVENT.shown) this.ports.output.show(rest[0] as number, rest[1] as Uint8Array);
    else if (what !== EVENT.aborted) return false;
    else for (const handle of this.#labelled(this.#decoder.value(rest[0]))) deviceWatch()?.aborts(handle);
    return true;
  }

  #raise([what, coded]: CodedList): void {
    this.#raised = what === EVENT.failed ? { error: this.#decoder.value(coded) } : this.#thrown;
    this.#thrown = undefined;
    if (this.#raised === undefined) return;
    const { error } = this.#raised;
    noteThrownAgain(error);
    throw thrownAgain(error, 'node-do-not-add-exception-line');
  }

  #settle(number: number, [isFulfilled, coded]: CodedList): boolean {
    const pending = this.#pending.get(number);
    if (pending === undefined) return false;
    this.#pending.delete(number);
    const value = this.#decoder.value(coded);
    this.calls(() => pending.its.settle(isFulfilled as boolean, value));
    return true;
  }

  #release(...[exports = [], handles = [], contexts = [], over = []]: readonly (readonly number[])[]): void {
    for (const number of exports) this.#outgoing.release(number);
    for (const number of handles) {
      this.#proxies.delete(number);
      this.#handMade.delete(number);
    }
    for (const number of contexts) this.#contextByNumber.delete(number);
    for (const number of over) this.#handMade.delete(number);
  }

  protected contextNumbered({ number, context }: NumberedContext): void {
    this.#contextByNumber.set(number, context);
  }

  #newHandle([, kind, label, above]: CodedList): object {
    const handle = this.newHandle(this.numbers.handles++, undefined, kind as number, label as string, undefined);
    const { proxy } = handle;
    this.#proxies.set(handle.number, proxy);
    if (above !== null) this.predictions.knowAbove(handle, this.#decoder.value(above as TapeValue) as object);
    return proxy;
  }

  #makeByHand([, kind, ...coded]: CodedList): object {
    const facts = coded.map(this.#decoder.value);
    const source = this.sources[kind as number];
    if (source === undefined)
      return this.#tape.diverge('a data source makes an object for what the outside brings', 'there is no such source');
    const object = this.makes(() => source.make(...facts));
    this.#handMadeOne(this.numbers.handles++, object, kind as number);
    deviceWatch()?.makes(object, source.facts, facts);
    return object;
  }

  #handMadeOne(number: number, object: object, kind: number): void {
    this.newHandle(number, undefined, KIND.object, '', undefined, { kind, object });
    this.#proxies.set(number, object);
    this.#handMade.set(number, kind);
  }

  protected handMadeBefore(object: object): Handle {
    return this.newHandle(-1, undefined, KIND.object, '', undefined, { kind: 0, object });
  }

  protected handMakeBelow(): void {}

  protected handMade(): [number, object, number][] {
    return [...this.#handMade].map(([number, kind]) => [number, this.#proxies.get(number) as object, kind]);
  }

  #staticAt(path: string): object {
    const isBound = path.startsWith(BOUND);
    const native = this.statics.at(isBound ? path.slice(BOUND.length) : path);
    if (native === undefined) return this.#tape.diverge(`the outside has ${path}`, 'there is none here');
    return isBound ? this.boundHandle(native) : this.handleOf(native);
  }

  #static(path: string): object {
    const proxy = this.#staticAt(path);
    const handle = this.handleAt(proxy) as Handle;
    this.numbers.giveTo(handle);
    this.#proxies.set(handle.number, proxy);
    return proxy;
  }

  #promise(): object {
    const settleable = this.ports.promise();
    this.#pending.set(this.numbers.promises++, { its: settleable, home: this.ports.home() });
    return this.#outgoing.adopt(settleable.promise);
  }

  protected out(value: unknown): unknown {
    return this.#outgoing.out(value);
  }
}

/** By its path, or by the class of what it is a method of. */
function calledName({ path, label }: Handle, self: Handle | undefined): string {
  if (path !== undefined) return path.replace(BOUND, '').replace('.prototype.', '.');
  return self === undefined || self.label === '' ? label : `${self.label}.${label}`;
}

/** For who is told of it. */
export function askedText(op: Op, { number, path, label }: Handle, key: PropertyKey | undefined): string {
  const whom = path?.replace(BOUND, '') ?? `${label === '' ? 'object' : label}#${number}`;
  return opText(op, whom, key);
}
