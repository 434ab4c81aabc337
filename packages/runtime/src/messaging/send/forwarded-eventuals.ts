// The eventuals in the values of one call out of the program, for example a message's arguments, and the targets to
// which the runtime forwards their outcomes. Used by `interception.ts` in a replay that can undo tasks. When a task is
// re-executed in place, the call is suppressed (docs/internals/replay-process.md, "In-place undo"), but the program has created new
// eventuals. They must have the same waiters as the recorded eventuals, which observers can see.
//
// An eventual is identified by its index in a traversal of the values. The traversal must find the eventuals in the
// same order in both executions, and must run no code of the program.

import { Eventual, type Handover, type Realm } from '@turntable/core';
import { FarReference } from '../../references/far-reference.ts';
import { PipelinedCall } from '../answer/forward-targets.ts';
import { ArgumentCopier, type PassableTypeChecks } from './argument-copier.ts';

/** The effect of the recorded call on its eventuals. */
interface ForwardRecord {
  /** All eventuals in the values, in traversal order. */
  readonly eventuals: readonly object[];
  /** Forwarded eventuals, by index, with their targets. */
  readonly forwards: readonly { readonly index: number; readonly target: object }[];
}

/** Maximum number of objects that the traversal visits. Further objects are ignored. */
const MAX_OBJECTS_VISITED = 10_000;

export interface ForwardedEventualsDeps {
  readonly realm: Realm;
  readonly types: PassableTypeChecks;
}

export class ForwardedEventuals implements Handover<ForwardRecord> {
  readonly #deps: ForwardedEventualsDeps;
  readonly #values: readonly unknown[];
  readonly #forwards: { readonly eventual: object; readonly target: object }[] = [];

  constructor(deps: ForwardedEventualsDeps, values: readonly unknown[]) {
    this.#deps = deps;
    this.#values = values;
  }

  addForward(eventual: object, target: object): void {
    this.#forwards.push({ eventual, target });
  }

  get effect(): ForwardRecord | undefined {
    if (this.#forwards.length === 0) return undefined;
    const eventuals = this.#findEventuals();
    const forwards = this.#forwards
      .map(({ eventual, target }) => ({ index: eventuals.indexOf(eventual), target }))
      .filter(({ index }) => index !== -1);
    return { eventuals, forwards };
  }

  reapply({ eventuals: recorded, forwards }: ForwardRecord): void {
    const current = this.#findEventuals();
    for (const { index, target } of forwards) {
      const eventual = current[index];
      if (!Eventual.is(eventual)) continue;
      const isMessage = target instanceof PipelinedCall;
      const newTarget = isMessage ? this.#withCurrentEventuals(target, recorded, current) : target;
      this.#deps.realm.parts.eventuals.forward(eventual, newTarget);
    }
  }

  /** Returns a copy of the message with the current eventuals, found by index, in place of the recorded ones. */
  #withCurrentEventuals(
    { call, args, replyTo, trail }: PipelinedCall,
    recorded: readonly object[],
    current: readonly object[],
  ): PipelinedCall {
    const referenceFor = (value: object): object | undefined => {
      const index = recorded.indexOf(value);
      if (index !== -1) return current[index];
      return FarReference.has(value) || this.#deps.realm.parts.brands.isNativePromise(value) ? value : undefined;
    };
    const copier = new ArgumentCopier({ referenceFor, types: this.#deps.types });
    return new PipelinedCall(call, copier.copy(args, () => call) as readonly unknown[], replyTo, trail);
  }

  #findEventuals(): object[] {
    const found: object[] = [];
    const visited = new Set<object>();
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || visited.has(value)) return;
      if (visited.size > MAX_OBJECTS_VISITED) return;
      visited.add(value);
      if (Eventual.is(value)) found.push(value);
      else for (const inner of this.#innerValues(value)) visit(inner);
    };
    for (const value of this.#values) visit(value);
    return found;
  }

  /** Returns the values in an object that messages copy; empty for other objects. Reads data properties only. */
  #innerValues(value: object): readonly unknown[] {
    const { types } = this.#deps;
    if (types.isProxy(value)) return [];
    if (value instanceof PipelinedCall) return value.args;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Map.prototype) return [...(value as Map<unknown, unknown>)].flat();
    if (prototype === Set.prototype) return [...(value as Set<unknown>)];
    const isCopied =
      prototype === Object.prototype || prototype === null || Array.isArray(value) || types.isNativeError(value);
    return isCopied ? Object.values(Object.getOwnPropertyDescriptors(value)).map((own) => own.value as unknown) : [];
  }
}
