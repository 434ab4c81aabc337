// Eventuals that the program hands over with a message: where their outcomes go stands among who waits for them. Once more the program hands over those that it has
// made once more, and nobody takes the message; but who waits is to be seen (docs/engine.md, "Back in place").

import { Eventual, type Handover, type Realm } from '@turntable/core';
import { FarRef } from '../../references/far-ref.ts';
import { Later } from '../answer/outcomes.ts';
import { Passing, type TypeChecks } from './passing.ts';

interface Done {
  /** Those that were handed over. */
  readonly eventuals: readonly object[];
  /** Which of them, and where its outcome goes. */
  readonly forwards: readonly { readonly place: number; readonly target: object }[];
}

/** What is further inside than so many objects is not looked for. */
const MOST_MET = 10_000;

export interface HandedParts {
  readonly realm: Realm;
  readonly types: TypeChecks;
}

export class Handed implements Handover<Done> {
  readonly #parts: HandedParts;
  readonly #values: readonly unknown[];
  readonly #forwards: { readonly eventual: object; readonly target: object }[] = [];

  constructor(parts: HandedParts, values: readonly unknown[]) {
    this.#parts = parts;
    this.#values = values;
  }

  forwards(eventual: object, target: object): void {
    this.#forwards.push({ eventual, target });
  }

  get done(): Done | undefined {
    if (this.#forwards.length === 0) return undefined;
    const handed = this.#eventuals();
    const forwards = this.#forwards
      .map(({ eventual, target }) => ({ place: handed.indexOf(eventual), target }))
      .filter(({ place }) => place !== -1);
    return { eventuals: handed, forwards };
  }

  again({ eventuals: before, forwards }: Done): void {
    const { eventuals } = this.#parts.realm.parts;
    const handed = this.#eventuals();
    for (const { place, target } of forwards) {
      const eventual = handed[place];
      if (!Eventual.has(eventual)) continue;
      const isMessage = target instanceof Later;
      eventuals.forward(eventual, isMessage ? this.#withThose(target, before, handed) : target);
    }
  }

  /** The message waits with what it was given: with the eventuals of now, once it is sent. */
  #withThose({ call, args, settles, trail }: Later, before: readonly object[], handed: readonly object[]): Later {
    const reference = (value: object): object | undefined => {
      const place = before.indexOf(value);
      if (place !== -1) return handed[place];
      return FarRef.has(value) || this.#parts.realm.parts.brands.isNativePromise(value) ? value : undefined;
    };
    const passing = new Passing({ reference, types: this.#parts.types });
    return new Later(call, passing.pass(args, () => call) as readonly unknown[], settles, trail);
  }

  /** In an order that is the same once more. Runs nothing of the program. */
  #eventuals(): object[] {
    const found: object[] = [];
    const met = new Set<object>();
    const look = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || met.has(value) || met.size > MOST_MET) return;
      met.add(value);
      if (Eventual.has(value)) found.push(value);
      else for (const inner of this.#inside(value)) look(inner);
    };
    for (const value of this.#values) look(value);
    return found;
  }

  /** Of what passes as a copy. */
  #inside(value: object): readonly unknown[] {
    const { types } = this.#parts;
    if (types.isProxy(value)) return [];
    if (value instanceof Later) return value.args;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Map.prototype) return [...(value as Map<unknown, unknown>)].flat();
    if (prototype === Set.prototype) return [...(value as Set<unknown>)];
    const isCopied =
      prototype === Object.prototype || prototype === null || Array.isArray(value) || types.isNativeError(value);
    return isCopied ? Object.values(Object.getOwnPropertyDescriptors(value)).map((own) => own.value as unknown) : [];
  }
}
