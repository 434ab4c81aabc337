// The membrane of a run again into which somebody looks. What he evaluates (the tape is apart then) is told what is known of the outside, as the program would be, and changes nothing by that: not what is known, and no
// number that anything has. The rest stands in the trace, if the program asks for it, and is not to be taken before it does.
import type { TapePlayer } from '@turntable/core';
import { SOURCES } from '@turntable/recording/sources';
import { OP, type Op } from './crossing.ts';
import { Handle, NOTHING } from './handle.ts';
import type { MembranePorts } from './membrane.ts';
import { askedText, ReplayedMembrane } from './replayed.ts';

export class LookedAtMembrane extends ReplayedMembrane {
  readonly #player: TapePlayer;

  constructor(ports: MembranePorts) {
    super(ports);
    this.#player = ports.tape as TapePlayer;
  }

  get #isApart(): boolean {
    return this.#player.isApart === true;
  }

  /** Throws where nothing is known. */
  #told(op: Op, handle: Handle, key?: PropertyKey, known: unknown = NOTHING): unknown {
    return known === NOTHING ? this.#player.outcome(SOURCES.device, () => askedText(op, handle, key)) : known;
  }

  protected override perform(op: Op, handle: Handle, predicted: unknown, key: PropertyKey | undefined): unknown {
    return this.#isApart
      ? this.#told(op, handle, key, op === OP.isExtensible ? predicted : NOTHING)
      : super.perform(op, handle, predicted, key);
  }

  override get(handle: Handle, key: PropertyKey, heir: object | undefined): unknown {
    if (!this.#isApart) return super.get(handle, key, heir);
    const own = heir === undefined ? undefined : this.handleAt(heir);
    const its = own?.handMade === undefined ? handle : own;
    return this.#told(OP.get, its, key, this.predictions.predict(its, key));
  }

  override prototype(handle: Handle): object | null {
    if (!this.#isApart) return super.prototype(handle);
    const known = this.predictions.aboveOf(handle);
    return this.#told(OP.prototype, handle, undefined, known instanceof Handle ? known.proxy : known) as object | null;
  }

  // What would be given to the outside would get numbers before it is known that nobody takes it.

  override set(handle: Handle, key: PropertyKey, value: unknown, heir: object | undefined): boolean {
    if (this.#isApart) this.#told(OP.set, handle, key);
    return super.set(handle, key, value, heir);
  }

  override delete(handle: Handle, key: PropertyKey): boolean {
    if (this.#isApart) this.#told(OP.delete, handle, key);
    return super.delete(handle, key);
  }

  override define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    if (this.#isApart) this.#told(OP.define, handle, key);
    return super.define(handle, key, descriptor);
  }

  override setPrototype(handle: Handle, prototype: object | null): boolean {
    if (this.#isApart) this.#told(OP.setPrototype, handle);
    return super.setPrototype(handle, prototype);
  }

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    if (this.#isApart) this.#told(OP.apply, handle);
    return super.apply(handle, self, args);
  }

  override construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object {
    if (this.#isApart) this.#told(OP.construct, handle);
    return super.construct(handle, args, newTarget);
  }
}
