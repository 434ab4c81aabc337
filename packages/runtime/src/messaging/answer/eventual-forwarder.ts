// Forwards outcomes: once an eventual is settled, its outcome goes to a target outside of the realm, such as the asker of a call.

import { Eventual, type Realm } from '@turntable/core';

export class EventualForwarder {
  readonly #realm: Realm;

  constructor(realm: Realm) {
    this.#realm = realm;
  }

  /** Whether the value will have an outcome later: an eventual, or a promise of Node's. */
  isEventual(value: unknown): value is object {
    return Eventual.is(value) || this.#realm.parts.brands.isNativePromise(value);
  }

  /** `target` is passed to `AnswerSender.forwarded` with the outcome. */
  forward(value: object, target: object): void {
    const { eventuals } = this.#realm.parts;
    eventuals.forward(eventuals.toEventual(value), target);
  }
}
