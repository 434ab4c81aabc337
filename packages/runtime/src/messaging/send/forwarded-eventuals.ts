// Eventuals that the program hands over with a message: where their outcomes go stands among who waits for them. Once more the program hands over those that it has
// made once more, and nobody takes the message; but who waits is to be seen (docs/engine.md, "Back in place").

import { Eventual, type Handover, type Realm } from '@turntable/core';
import { FarReference } from '../../references/far-reference.ts';
import { PipelinedCall } from '../answer/forward-targets.ts';
import { ArgumentCopier, type PassableTypeChecks } from './argument-copier.ts';

interface ForwardRecord {
  /** Those that were handed over. */
  readonly eventuals: readonly object[];
  /** Which of them, and where its outcome goes. */
  readonly forwards: readonly { readonly index: number; readonly target: object }[];
}

/** What is further inside than so many objects is not looked for. */
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
    const current = this.#eventuals();
    const forwards = this.#forwards
      .map(({ eventual, target }) => ({ index: current.indexOf(eventual), target }))
      .filter(({ index }) => index !== -1);
    return { eventuals: current, forwards };
  }

  reapply({ eventuals: recorded, forwards }: ForwardRecord): void {
    const { eventuals } = this.#deps.realm.parts;
    const current = this.#eventuals();
    for (const { index, target } of forwards) {
      const eventual = current[index];
      if (!Eventual.is(eventual)) continue;
      const isMessage = target instanceof PipelinedCall;
      eventuals.forward(eventual, isMessage ? this.#withCurrentEventuals(target, recorded, current) : target);
    }
  }

  /** The message waits with what it was given: with the eventuals of now, once it is sent. */
  #withCurrentEventuals(
    { call, args, replyTo, trail }: PipelinedCall,
    recorded: readonly object[],
    current: readonly object[],
  ): PipelinedCall {
    const reference = (value: object): object | undefined => {
      const index = recorded.indexOf(value);
      if (index !== -1) return current[index];
      return FarReference.has(value) || this.#deps.realm.parts.brands.isNativePromise(value) ? value : undefined;
    };
    const copier = new ArgumentCopier({ referenceFor: reference, types: this.#deps.types });
    return new PipelinedCall(call, copier.copy(args, () => call) as readonly unknown[], replyTo, trail);
  }

  /** In an order that is the same once more. Runs nothing of the program. */
  #eventuals(): object[] {
    const found: object[] = [];
    const visited = new Set<object>();
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || visited.has(value) || visited.size > MAX_OBJECTS_VISITED)
        return;
      visited.add(value);
      if (Eventual.is(value)) found.push(value);
      else for (const inner of this.#innerValues(value)) visit(inner);
    };
    for (const value of this.#values) visit(value);
    return found;
  }

  /** Of what passes as a copy. */
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
