// The membrane of a replaying thread that a debugger can inspect. While the debugger evaluates code, the tape does not
// advance (`isRunningApart`). The evaluated code sees the predicted values, as the program would, and changes neither
// predictions nor numbers. All other values are in the trace, and must not be taken before the program requests them.
import type { TapePlayer } from '@turntable/core';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import { OP, type Op, type OpKey } from './encoding.ts';
import { Handle, UNPREDICTED } from './handle.ts';
import type { MembraneDeps } from './membrane-deps.ts';
import { operationText } from './operation-text.ts';
import { ReplayedMembrane } from './replayed-membrane.ts';

export class InspectableMembrane extends ReplayedMembrane {
  readonly #player: TapePlayer;

  constructor(ports: MembraneDeps) {
    super(ports);
    this.#player = ports.tape as TapePlayer;
  }

  get #isInspecting(): boolean {
    return this.#player.isRunningApart === true;
  }

  /** Returns the known value. Throws if there is none. */
  #requireKnown(op: Op, handle: Handle, key?: PropertyKey, knownValue: unknown = UNPREDICTED): unknown {
    return knownValue === UNPREDICTED
      ? this.#player.outcome(TRACE_SOURCES.device, () => operationText(op, handle, key))
      : knownValue;
  }

  protected override hostCall(op: Op, handle: Handle, predicted: unknown, key: OpKey): unknown {
    return this.#isInspecting
      ? this.#requireKnown(op, handle, key, op === OP.isExtensible ? predicted : UNPREDICTED)
      : super.hostCall(op, handle, predicted, key);
  }

  override get(handle: Handle, key: PropertyKey, receiver: object | undefined): unknown {
    if (!this.#isInspecting) return super.get(handle, key, receiver);
    const surrogate = receiver === undefined ? undefined : this.handleFromProxy(receiver);
    const target = surrogate?.surrogateKind === undefined ? handle : surrogate;
    return this.#requireKnown(OP.get, target, key, this.predictions.predict(target, key));
  }

  override getPrototype(handle: Handle): object | null {
    if (!this.#isInspecting) return super.getPrototype(handle);
    const knownPrototype = this.predictions.prototypeOf(handle);
    return this.#requireKnown(
      OP.prototype,
      handle,
      undefined,
      knownPrototype instanceof Handle ? knownPrototype.proxy : knownPrototype,
    ) as object | null;
  }

  // Operations that export values must fail before the export, because exports get numbers.

  override set(handle: Handle, key: PropertyKey, value: unknown, receiver: object | undefined): boolean {
    if (this.#isInspecting) this.#requireKnown(OP.set, handle, key);
    return super.set(handle, key, value, receiver);
  }

  override delete(handle: Handle, key: PropertyKey): boolean {
    if (this.#isInspecting) this.#requireKnown(OP.delete, handle, key);
    return super.delete(handle, key);
  }

  override define(handle: Handle, key: PropertyKey, descriptor: PropertyDescriptor): boolean {
    if (this.#isInspecting) this.#requireKnown(OP.define, handle, key);
    return super.define(handle, key, descriptor);
  }

  override setPrototype(handle: Handle, prototype: object | null): boolean {
    if (this.#isInspecting) this.#requireKnown(OP.setPrototype, handle);
    return super.setPrototype(handle, prototype);
  }

  override apply(handle: Handle, self: unknown, args: readonly unknown[]): unknown {
    if (this.#isInspecting) this.#requireKnown(OP.apply, handle);
    return super.apply(handle, self, args);
  }

  override construct(handle: Handle, args: readonly unknown[], newTarget: object | undefined): object {
    if (this.#isInspecting) this.#requireKnown(OP.construct, handle);
    return super.construct(handle, args, newTarget);
  }
}
