// Forwards the outcome of a settled eventual to a target outside the realm, such as the caller of an actor.

import { Eventual, type Realm } from '@turntable/core';

export class EventualForwarder {
  readonly #realm: Realm;

  constructor(realm: Realm) {
    this.#realm = realm;
  }

  /** Whether the value is an eventual, or a native promise. */
  isEventual(value: unknown): value is object {
    return Eventual.is(value) || this.#realm.parts.brands.isNativePromise(value);
  }

  /** Forwards an outcome: when it is known, `AnswerSender.onForwardedOutcome` receives the target and the outcome. */
  forward(value: object, target: object): void {
    const { eventuals } = this.#realm.parts;
    eventuals.forward(eventuals.toEventual(value), target);
  }
}
