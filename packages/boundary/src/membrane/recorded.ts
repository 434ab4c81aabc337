// The membrane of a program that is recorded: there is an outside.
import { Eventual, thrownAgain, type TapeRecorder } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { ask } from './asked.ts';
import type { NumberedContext } from './context-numbers.ts';
import { type Coded, EVENT, FLAG, KIND, OP, type Op } from './crossing.ts';
import { isError } from './errors.ts';
import { HandMadeKinds, HandMadeUnderWay, isOver, SETTLED, type HandMade } from './hand-made.ts';
import { Handle, NOTHING } from './handle.ts';
import { GIVES, Incoming } from './incoming.ts';
import { isWriter, LentBytes } from './lent.ts';
import { BaseMembrane, Exported, kindOf, type MembranePorts } from './membrane.ts';
import type { Belonging } from './membrane-state.ts';
import { Outgoing } from './outgoing.ts';
import { actUpon, Outward } from './outward.ts';
import { isResponse, whenAborted } from './responses.ts';
import { RisingTable } from './rising-table.ts';
import { SharedPlaces } from './shared-places.ts';
import { isDescriptorWriter } from './standard-output.ts';
import { WeakTable } from './weak-table.ts';
import { noteThrownAgain } from '@turntable/loader';
import type { FailureTakers, Thrower } from '../inputs/failures.ts';

const { apply } = Reflect;
const { then: nativeThen } = Promise.prototype as { then: (this: unknown, ...args: unknown[]) => unknown };

export class RecordedMembrane extends BaseMembrane implements FailureTakers {
  readonly #tape: TapeRecorder;
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  readonly #outward: Outward;
  readonly #lent = new LentBytes();
  /** Those that stand for native ones. */
  readonly #promises = new WeakSet<object>();
  readonly #kinds = new HandMadeKinds();
  /** Native code runs that the program has called. */
  #isOutside = false;
  #isInside = false;
  #events = 0;
  #thrown: { readonly error: unknown } | undefined;

  constructor(ports: MembranePorts) {
    super(ports);
    const tape = (this.#tape = ports.tape as TapeRecorder);
    const { statics, symbols, marks, numbers } = this;
    this.#contexts = new WeakTable(ports.engine);
    this.#outward = new Outward({
      outerOf: (value) => this.#outgoing.outerOf(value),
      nativeOf: (proxy) => this.nativeOf(proxy),
      isNeutral: (value) => statics.isNeutral(value),
      methodOf: (key, value) => (this.predictions.isMethod(key, value) ? this.#methodOf(value) : value),
      act: (what, inside, key, values) => this.#act(what, inside, key, values),
    });
    this.#outgoing = new Outgoing({
      tape,
      statics,
      marks,
      numbers,
      outward: this.#outward,
      engine: ports.engine,
      crossing: (value) => this.crossing(value),
      copies: () => this.copies(),
      meetSymbol: (symbol) => symbols.meet(symbol),
      home: () => ports.home(),
      cannotReplay: (what) => ports.cannotReplay(what),
    });
    this.#incoming = new Incoming({
      statics,
      symbols,
      marks,
      numbers,
      epoch: () => this.predictions.epoch,
      staticHandle: (native) => this.#staticHandle(native),
      newHandle: (native, kind, label) => {
        const handle = this.newHandle(numbers.handles++, undefined, kind, label, native);
        marks.put(native, handle);
        this.#outgoing.watch(handle);
        if (isResponse(label)) whenAborted(native, () => this.#aborts(handle));
        return handle;
      },
      kindBelow: (prototype) => this.#kinds.below(prototype),
      source: (kind) => this.sources[kind] as HandMade,
      newHandMade: (native, kind, object, facts) => {
        const handle = this.newHandle(numbers.handles++, undefined, KIND.object, '', native, { kind, object });
        marks.put(native, handle);
        this.#outgoing.watch(handle);
        const behind = facts.map((fact) =>
          typeof fact === 'object' && fact !== null ? this.handleAt(fact) : undefined,
        );
        this.#underWay.add(handle, behind);
        return handle;
      },
      knowAbove: (handle, above) => this.predictions.knowAbove(handle, above),
      adopt: (value) => void this.#outgoing.export(value, value),
      promise: (native) => this.#promise(native),
      signalAbortedBy: (reason) => this.#outgoing.signals.abortedBy(reason),
      cannotReplay: (what) => ports.cannotReplay(what),
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
    const isKnown = this.marks.of(native) instanceof Handle || this.statics.pathOf(native) !== undefined;
    return (isKnown ? this.#staticHandle(native).proxy : this.#incoming.in(native, false)) as T;
  }

  #staticHandle(native: object): Handle {
    const mark = this.marks.of(native);
    if (mark instanceof Handle) return mark;
    const path = this.statics.pathOf(native) ?? '';
    const handle = this.newHandle(-1, path, kindOf(native), path, native);
    this.marks.put(native, handle);
    return handle;
  }

  /** Of something outside that has got to the program's objects past the membrane. */
  handleBehind(native: object): Handle | undefined {
    const mark = this.marks.of(native);
    return mark instanceof Handle && mark.native === native ? mark : undefined;
  }

  /** What of the program's native code has this for. */
  standsFor(outer: object): object | undefined {
    const mark = this.marks.of(outer);
    return mark instanceof Exported && mark.outer === outer && mark.inside !== outer ? mark.inside : undefined;
  }

  protected exports(): Belonging[] {
    return this.#outgoing.exports();
  }

  readonly #underWay = new HandMadeUnderWay(
    ({ native, handMade }) => isOver(native, this.sources[handMade as number]?.over ?? []),
    (numbers) => this.#outgoing.tellOver(numbers),
  );

  protected handMade(): [number, object, number][] {
    return this.#underWay.all().map(({ number, proxy, handMade }) => [number, proxy, handMade as number]);
  }

  protected handMadeBefore(): undefined {}

  protected handMakeBelow(prototype: object | undefined, kind: number): void {
    if (prototype !== undefined) this.#kinds.place(prototype, kind);
  }

  readonly #unsettled = new RisingTable<{ readonly promise: object; readonly home: object }>();

  protected pending(): Belonging[] {
    return this.#unsettled.entries().map(([number, { promise, home }]) => [number, promise, home]);
  }

  readonly #contexts: WeakTable<NumberedContext>;

  protected contexts(): [number, object][] {
    return this.#contexts.entries().map(([number, { context }]) => [number, context]);
  }

  protected contextNumbered(numbered: NumberedContext): void {
    const gone = this.#contexts.addForGood(numbered);
    if (gone.length > 0) this.#outgoing.releaseContexts(gone);
  }

  /** Nobody looks on. */
  answered(): void {}

  uncaught(error: unknown, thrower: Thrower): unknown {
    const thrown = this.#thrown;
    this.#thrown = undefined;
    if (thrower === 'program') return error;
    if (thrown === undefined || thrown.error !== error) return this.#fail(EVENT.failed, error, thrower === 'outside');
    this.#tape.entry(SOURCES.device, 0, [EVENT.uncaught]);
    return error;
  }

  rejected(reason: unknown, isOfProgram: boolean): unknown {
    return isOfProgram ? reason : this.#fail(EVENT.rejected, reason, true);
  }

  /** A native promise, which stays one: that somebody is told of it does not handle it. */
  seen(promise: object): object {
    return this.#incoming.promiseItself(promise);
  }

  /** To standard output or error, by the outside. */
  written(descriptor: number, bytes: Uint8Array): void {
    if (this.#isOutside) this.#note([this.silent, EVENT.shown, descriptor, bytes]);
    else {
      this.#events++;
      this.#tape.entry(SOURCES.device, 0, [EVENT.shown, descriptor, bytes, this.ports.isRejecting()]);
    }
  }

  /** A client has gone: nobody tells the program of it that has not asked, and who looks at its requests wants to know. */
  #aborts(handle: Handle): void {
    if (this.#tape.isResting) return;
    this.#incoming.handle(handle);
    const { coded } = this.#incoming;
    if (this.#isOutside) return this.#note([this.silent, EVENT.aborted, coded]);
    this.#events++;
    this.#tape.entry(SOURCES.device, 0, [EVENT.aborted, coded, this.ports.isRejecting()]);
  }

  /** `isOutside`: it is none of the program's, which may know it all the same. */
  #fail(what: number, error: unknown, isOutside: boolean): unknown {
    if (!this.#lent.isEmpty) this.#look(false);
    const incoming = this.#incoming;
    let seen = error;
    const isUnsure = !isOutside && typeof error === 'object' && error !== null && !incoming.isKnown(error);
    if (!isUnsure) seen = incoming.in(error, false);
    else if (isError(error)) incoming.errorAlone(error);
    else return error;
    this.#events++;
    this.#tape.entry(SOURCES.device, 0, isUnsure ? [what, incoming.coded, true] : [what, incoming.coded]);
    return seen;
  }

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    if (!(handle.isWriter ??= isWriter(handle.label) || isDescriptorWriter(handle.path)))
      return super.apply(handle, self, args);
    if (isDescriptorWriter(handle.path)) return this.ports.output.byProgram(() => super.apply(handle, self, args));
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
    // What was written meanwhile is told as it is then.
    if (this.#tape.isResting) return;
    this.#lent.look((view, offset, bytes) => {
      const { number } = this.marks.of(view) as Exported;
      if (isNested) this.#note([this.silent, OP.fill | FLAG.call, number, offset, bytes]);
      else this.#tape.entry(SOURCES.device, number, [OP.fill | FLAG.call, 0, offset, bytes]);
    });
  }

  #places: SharedPlaces | undefined;

  /** The program has the runner of tests. */
  watchPlaces(): void {
    this.#places ??= new SharedPlaces();
  }

  #lookAtPlaces(): void {
    this.#places?.look((holder, key, value) => {
      if (this.#tape.isResting) return this.#incoming.atRest(value, false);
      const came: unknown[] = [];
      this.#noteAct(OP.set, holder, key, [value], false, came);
      return came[0];
    });
  }

  // Nothing is predicted either: at the cut with which a recording begins all that was known is forgotten, by both runs. What a snapshot has, numbers and
  // who has them, is there all the time.

  #getAtRest(handle: Handle, key: string): unknown {
    this.noteContext();
    const native = handle.native as Record<PropertyKey, unknown>;
    const wasOutside = this.#isOutside;
    this.#isOutside = true;
    let result: unknown;
    try {
      result = native[key];
    } catch (error) {
      throw this.#incoming.atRest(error, false);
    } finally {
      this.#isOutside = wasOutside;
    }
    const value = this.#seenAtRest(OP.get, handle, key, result);
    this.learn(handle, key, value, value);
    return value;
  }

  /** What was asked, as the program is to see it. */
  #seenAtRest(op: Op, handle: Handle, key: PropertyKey | undefined, result: unknown): unknown {
    const incoming = this.#incoming;
    const native = handle.native as object;
    switch (op) {
      case OP.apply: {
        const given = (handle.gives ??= incoming.gives(handle));
        return given === GIVES.nothing ? incoming.atRest(result, true) : incoming.givenAs(given, result);
      }
      case OP.describe:
        return incoming.descriptor(result as PropertyDescriptor | undefined);
      case OP.get:
        if (typeof result === 'function' && this.isOpened(native, key as PropertyKey, result))
          return this.boundHandle(result);
        return incoming.atRest(result, false);
      default:
        return incoming.atRest(result, isFresh(op, native));
    }
  }

  protected perform(
    op: Op,
    handle: Handle,
    predicted: unknown,
    key: PropertyKey | undefined,
    one: unknown,
    other: unknown,
  ): unknown {
    this.noteContext();
    const events = this.#events;
    const wasOutside = this.#isOutside;
    this.#isOutside = true;
    let result: unknown;
    let hasThrown = false;
    try {
      result = ask(op, handle.native as object, key, one, other);
    } catch (error) {
      hasThrown = true;
      result = error;
    } finally {
      if (this.#places !== undefined) this.#lookAtPlaces();
      this.#isOutside = wasOutside;
    }
    return this.#answered(op, handle, predicted, key, result, hasThrown, events);
  }

  /** Most of what is asked, and mostly what it was, or a method. As `perform` does it, with less to decide. */
  override get(handle: Handle, key: PropertyKey, heir: object | undefined): unknown {
    if (heir !== undefined || typeof key === 'symbol') return super.get(handle, key, heir);
    if (this.#tape.isResting) return this.#getAtRest(handle, key as string);
    const predicted = this.predictions.predict(handle, key);
    this.noteContext();
    const events = this.#events;
    const wasOutside = this.#isOutside;
    this.#isOutside = true;
    let result: unknown;
    let hasThrown = false;
    try {
      result = (handle.native as Record<PropertyKey, unknown>)[key];
    } catch (error) {
      hasThrown = true;
      result = error;
    }
    this.#isOutside = wasOutside;
    const isAsPredicted =
      this.#events === events && !hasThrown && this.#lent.isEmpty && this.#isSame(result, predicted);
    if (isAsPredicted) this.silent++;
    const value = isAsPredicted ? predicted : this.#answered(OP.get, handle, predicted, key, result, hasThrown, events);
    this.learn(handle, key, value, predicted);
    return value;
  }

  /** Whether the program sees `outer` as what was predicted: false means that it is to be looked at. */
  #isSame(outer: unknown, predicted: unknown): boolean {
    if (outer === predicted) return true;
    if ((typeof predicted !== 'object' && typeof predicted !== 'function') || predicted === null) return false;
    const mark = this.marks.of(predicted);
    if (mark === undefined) return false;
    return mark instanceof Handle
      ? mark.native === outer && mark.proxy === predicted
      : mark.outer === outer && mark.inside === predicted;
  }

  /** What was asked has had this result, after so many events: as the program is to see it. */
  #answered(
    op: Op,
    handle: Handle,
    predicted: unknown,
    key: PropertyKey | undefined,
    result: unknown,
    hasThrown: boolean,
    events: number,
  ): unknown {
    if (this.#tape.isResting) {
      if (hasThrown) throw this.#incoming.atRest(result, false);
      return this.#seenAtRest(op, handle, key, result);
    }
    if (!this.#lent.isEmpty) this.#look(true);
    const incoming = this.#incoming;
    let inside: unknown;
    if (hasThrown) inside = incoming.in(result, false);
    else if (op === OP.apply) {
      const given = (handle.gives ??= incoming.gives(handle));
      inside = given === GIVES.nothing ? incoming.in(result, true) : incoming.givenAs(given, result);
    } else {
      const native = handle.native as object;
      const isOpened = op === OP.get && typeof result === 'function' && this.isOpened(native, key as string, result);
      const seen = isOpened ? this.boundHandle(result as object) : incoming.seen(result, NOTHING);
      if (this.#events === events && Object.is(seen, predicted) && predicted !== NOTHING) {
        this.silent++;
        return predicted;
      }
      if (isOpened) inside = incoming.handle(this.handleAt(seen as object) as Handle);
      else if (op === OP.describe) inside = incoming.descriptor(result as PropertyDescriptor | undefined);
      else inside = incoming.in(result, isFresh(op, native));
    }
    const { coded } = incoming;
    const what = hasThrown ? op | FLAG.threw : op;
    const isNamed = op === OP.get || op === OP.has || op === OP.read || op === OP.invoke;
    this.#note(isNamed ? [this.silent, what, coded, incoming.codeKey(key as PropertyKey)] : [this.silent, what, coded]);
    if (hasThrown) throw inside;
    return inside;
  }

  #note(value: Coded): void {
    this.#events++;
    this.silent = 0;
    this.#tape.outcome(SOURCES.device, value);
  }

  listen(listener: object): (...values: unknown[]) => void {
    this.out(listener);
    return (...values) => void this.#act(OP.apply, listener, undefined, [undefined, ...values], true);
  }

  /** For the outside to call something that both sides know. */
  calling(shared: (...args: never[]) => unknown): (...args: unknown[]) => object {
    return (...args) => this.#act(OP.apply, shared, undefined, [undefined, ...args]) as object;
  }

  /** The outside does something to the program: it is noted, then done. `isKept`: data that it is called with is alive. */
  #act(
    what: Op,
    inside: object,
    key: PropertyKey | undefined,
    values: readonly unknown[],
    isKept: boolean = false,
  ): unknown {
    const isNested = this.#isOutside;
    if (this.#places !== undefined) this.#lookAtPlaces();
    if (!this.#lent.isEmpty) {
      this.#look(isNested);
      if (what === OP.apply) this.#lent.end(inside);
    }
    // `this` is no data that nobody keeps, nor what is put somewhere.
    const isCall = (what === OP.apply && !isKept) || what === OP.construct;
    const came: unknown[] = [];
    if (this.#tape.isResting)
      for (let i = 0; i < values.length; i++) came.push(this.#incoming.atRest(values[i], isCall && i > 0));
    else this.#noteAct(what, inside, key, values, isCall, came);
    this.#isOutside = false;
    const wasInside = this.#isInside;
    this.#isInside = true;
    try {
      const follower = what === OP.apply ? this.followerOf(came) : undefined;
      const result = actUpon(what, inside, key, came);
      if (follower?.follow !== undefined && Eventual.has(result)) return this.followed.add(follower.follow(result));
      return this.out(result);
    } catch (error) {
      if (!isNested) this.#thrown = { error };
      noteThrownAgain(error);
      throw thrownAgain(this.out(error), 'node-do-not-add-exception-line');
    } finally {
      this.#isOutside = isNested;
      this.#isInside = wasInside;
    }
  }

  /** `came` gets what the program is to see of `values`. */
  #noteAct(
    what: Op,
    inside: object,
    key: PropertyKey | undefined,
    values: readonly unknown[],
    isCall: boolean,
    came: unknown[],
  ): void {
    const incoming = this.#incoming;
    const mark = this.marks.of(inside);
    const exported = mark instanceof Exported && mark.inside === inside ? mark : undefined;
    const code = exported === undefined ? what | FLAG.call | FLAG.neutral : what | FLAG.call;
    const number = exported?.number ?? 0;
    // The first three are known once all has come in.
    const list: Coded[] = this.#isOutside ? [0, code, number] : [code, 0];
    if (exported === undefined) list.push(this.statics.neutralPathOf(inside));
    if (key !== undefined) list.push(incoming.codeKey(key));
    for (let i = 0; i < values.length; i++) {
      came.push(incoming.in(values[i], isCall && i > 0));
      list.push(incoming.coded);
    }
    if (this.#isOutside) {
      list[0] = this.silent;
      this.#note(list);
      return;
    }
    this.#events++;
    if (this.ports.isRejecting()) list[0] = code | FLAG.chained;
    if (this.ports.isInMicrotask()) list[0] = (list[0] as number) | FLAG.microtask;
    list[1] = this.contextNow();
    this.#tape.entry(SOURCES.device, number, list);
  }

  #promise(native: object): object {
    const { promise, settle, failing } = this.ports.promise();
    const number = this.numbers.promises++;
    this.#promises.add(promise);
    this.#unsettled.add(number, { promise, home: this.ports.home() });
    this.#outgoing.export(promise, native);
    const settled =
      (isFulfilled: boolean) =>
      (value: unknown): void => {
        if (this.#places !== undefined) this.#lookAtPlaces();
        if (!this.#lent.isEmpty) {
          this.#look(false);
          this.#lent.end(promise);
        }
        this.#unsettled.take(number);
        if (!isFulfilled) failing(value);
        if (this.#tape.isResting) return settle(isFulfilled, this.#incoming.atRest(value, isFulfilled));
        const inside = this.#incoming.in(value, isFulfilled);
        this.#events++;
        this.#tape.entry(SOURCES.settled, number, [isFulfilled, this.#incoming.coded, this.ports.isRejecting()]);
        settle(isFulfilled, inside);
      };
    apply(nativeThen, native, [settled(true), settled(false)]);
    return promise;
  }

  protected out(value: unknown): unknown {
    return this.#outgoing.out(value);
  }

  readonly #methods = new WeakMap<object, object>();

  /** A neutral method that the outside calls on something of the program's. */
  #methodOf(fn: object): object {
    let outer = this.#methods.get(fn);
    if (outer === undefined) this.#methods.set(fn, (outer = this.#outward.standIn(fn, 'function')));
    return outer;
  }
}

/** Whether nobody outside keeps what was answered, if it is data. */
function isFresh(op: Op, native: object): boolean {
  if (op === OP.read) return (native as Record<PropertyKey, unknown>)[SETTLED] === true;
  return op === OP.apply || op === OP.invoke || op === OP.keys;
}
