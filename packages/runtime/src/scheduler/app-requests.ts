// Pending requests of a worker's actors to Turntable: stats, snapshots, closing. Requests are part of snapshots. Their
// answers are recorded, and a replay takes them from the trace.

import type { Eventual } from '@turntable/core';
import type { ActorCell } from '../actors/actor-cell.ts';
import type { Ingests } from '../trace/ingests.ts';
import { FULFIL, REJECT } from '../messaging/message-kinds.ts';
import {
  recordAnswer,
  recordFailure,
  staleRequestError,
  readAnswer,
  readFailure,
  type RecordedAnswer,
} from '../trace/recorded-answer.ts';

/** A request of an actor that has not been answered: for a snapshot, or for something else. */
export interface AppRequest {
  readonly number: number;
  readonly kind: 'snapshot' | 'other';
  readonly eventual: Eventual;
  readonly actor: ActorCell;
}

export interface AppRequestsDeps {
  readonly ingests: Ingests;
  createEventual(): Eventual;
  currentActor(): ActorCell;
  /** Settles the request in a turn of the actor that made it. */
  settle(request: AppRequest, kind: typeof FULFIL | typeof REJECT, value: unknown): void;
}

export class AppRequests {
  readonly #deps: AppRequestsDeps;
  #pending = new Set<AppRequest>();
  #lastNumber = 0;

  constructor(deps: AppRequestsDeps) {
    this.#deps = deps;
  }

  /** Makes a request of the current actor. A request for a snapshot is also settled in a program restored from it. */
  request(perform: () => Promise<unknown>, kind: AppRequest['kind'] = 'other'): Eventual {
    const eventual = this.#deps.createEventual();
    const pending = { number: ++this.#lastNumber, kind, eventual, actor: this.#deps.currentActor() };
    this.#pending.add(pending);
    const { ingests } = this.#deps;
    const key = String(pending.number);
    // In a replay the answer comes from the trace.
    if (!ingests.isReplaying)
      void perform().then(
        (value) => ingests.add('answered', key, () => this.#settle(pending, FULFIL, value), recordAnswer(value)),
        (reason: unknown) =>
          ingests.add('answered', key, () => this.#settle(pending, REJECT, reason), recordFailure(reason)),
      );
    return eventual;
  }

  /** Makes a request with an immediate, deterministic answer. A task re-executed in place gets the recorded answer. */
  requestNow<T>(perform: () => T): T {
    return perform();
  }

  /** After a restore: answers requests for snapshots with `snapshot`, and rejects all others as stale. */
  answerAll(snapshot: unknown): void {
    // In a replay the answers come from the trace.
    if (this.#deps.ingests.isReplaying) return;
    for (const pending of this.#pending) {
      if (pending.kind === 'snapshot') this.#settle(pending, FULFIL, snapshot);
      else this.#settle(pending, REJECT, staleRequestError());
    }
  }

  /** In a replay: settles a request with its recorded answer. */
  replayAnswer(number: number, answer: RecordedAnswer): void {
    for (const pending of this.#pending) {
      if (pending.number !== number) continue;
      const isFailure = typeof answer === 'object' && answer !== null && 'failure' in answer;
      if (isFailure) this.#settle(pending, REJECT, readFailure(answer));
      else this.#settle(pending, FULFIL, readAnswer(answer));
      return;
    }
    this.#deps.ingests.replayTape?.reportDivergence(
      `request ${number} to Turntable is answered`,
      'no actor has made this request',
    );
  }

  #settle(pending: AppRequest, kind: typeof FULFIL | typeof REJECT, value: unknown): boolean {
    if (!this.#pending.delete(pending)) return false;
    this.#deps.settle(pending, kind, value);
    return true;
  }

  getState(): { readonly appRequests: readonly AppRequest[]; readonly lastAppRequest: number } {
    return { appRequests: [...this.#pending], lastAppRequest: this.#lastNumber };
  }

  setState(appRequests: readonly AppRequest[], lastAppRequest: number): void {
    this.#pending = new Set(appRequests);
    this.#lastNumber = lastAppRequest;
  }
}
