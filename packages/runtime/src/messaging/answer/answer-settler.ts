// Settles the eventual that waits for an answer, in the turn that handles the answer.

import { Eventual, PENDING, type Realm } from '@turntable/core';
import type { PassableTypeChecks } from '../send/argument-copier.ts';
import { addAwaitingFrames } from './stack-frames.ts';
import type { DeadlineTrails } from './deadline-trail.ts';

export interface AnswerSettlerDeps {
  readonly realm: Realm;
  readonly types: PassableTypeChecks;
  readonly trails: DeadlineTrails;
  /** Returns the stack frames of the code that awaits an eventual. */
  awaitingFrames(eventual: object): readonly string[];
}

export class AnswerSettler {
  readonly #deps: AnswerSettlerDeps;
  readonly #realm: Realm;
  readonly #trails: DeadlineTrails;

  constructor(deps: AnswerSettlerDeps) {
    this.#deps = deps;
    this.#realm = deps.realm;
    this.#trails = deps.trails;
  }

  /** Settles an eventual, unless it is settled already: a deadline may have rejected it. */
  settle(eventual: Eventual, value: unknown, isRejected: boolean): void {
    if (this.#trails.hasTrails) this.#trails.onSettled(eventual);
    if (Eventual.state(eventual) !== PENDING) return;
    const { eventuals } = this.#realm.parts;
    if (isRejected) {
      if (this.#deps.types.isNativeError(value)) addAwaitingFrames(value, () => this.#deps.awaitingFrames(eventual));
      eventuals.reject(eventual, value);
    } else eventuals.resolve(eventual, value);
  }
}
