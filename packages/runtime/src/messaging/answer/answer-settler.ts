// Settles the eventual that waits for an answer, in the turn in which the answer is taken.

import { Eventual, PENDING, type Realm } from '@turntable/core';
import type { PassableTypeChecks } from '../send/argument-copier.ts';
import { addAwaitingFrames } from './stack-frames.ts';
import type { DeadlineTrails } from './deadline-trail.ts';

export interface AnswerSettlerDeps {
  readonly realm: Realm;
  readonly types: PassableTypeChecks;
  readonly trails: DeadlineTrails;
  /** Frames of the code that awaits an eventual, as in a stack. */
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

  /** The eventual may be settled already, by a deadline. */
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
