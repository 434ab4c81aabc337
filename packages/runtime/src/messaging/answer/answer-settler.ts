// Settles the eventual that waits for an answer, in the turn in which the answer is taken.

import { Eventual, PENDING, type Realm } from '@turntable/core';
import type { TypeChecks } from '../send/passing.ts';
import { awaitedBy } from './journey.ts';
import type { Trails } from './trail.ts';

export interface AnswerSettlerDeps {
  readonly realm: Realm;
  readonly types: TypeChecks;
  readonly trails: Trails;
  /** Frames of the code that awaits an eventual, as in a stack. */
  awaitedBy(eventual: object): readonly string[];
}

export class AnswerSettler {
  readonly #deps: AnswerSettlerDeps;
  readonly #realm: Realm;
  readonly #trails: Trails;

  constructor(deps: AnswerSettlerDeps) {
    this.#deps = deps;
    this.#realm = deps.realm;
    this.#trails = deps.trails;
  }

  /** The eventual may be settled already, by a deadline. */
  settle(eventual: Eventual, value: unknown, isRejected: boolean): void {
    if (this.#trails.areAny) this.#trails.answer(eventual);
    if (Eventual.state(eventual) !== PENDING) return;
    const { eventuals } = this.#realm.parts;
    if (isRejected) {
      if (this.#deps.types.isNativeError(value)) awaitedBy(value, () => this.#deps.awaitedBy(eventual));
      eventuals.reject(eventual, value);
    } else eventuals.resolve(eventual, value);
  }
}
