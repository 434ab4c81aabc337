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

/** Performs a request. `snapshot`: after a restore, the snapshot from which the program was restored. */
export type RequestPerformer<Details> = (details: Details, snapshot?: unknown) => Promise<unknown>;

/** Performers of the requests that can be performed again after a restore, by kind. */
export const requestPerformers: Map<string, RequestPerformer<never>> = new Map();

/** A request of an actor that has not been answered: for a snapshot, or for something that is performed again. */
export interface AppRequest {
  readonly number: number;
  /** `snapshot`, or a name in `requestPerformers`. */
  readonly kind: string;
  /** What the request needs to be performed again, as plain data. */
  readonly details: unknown;
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
  request(kind: AppRequest['kind'], details: unknown, perform: () => Promise<unknown>): Eventual {
    const eventual = this.#deps.createEventual();
    const pending = { number: ++this.#lastNumber, kind, details, eventual, actor: this.#deps.currentActor() };
    this.#pending.add(pending);
    // In a replay the answer comes from the trace.
    if (!this.#deps.ingests.isReplaying) this.#perform(pending, perform());
    return eventual;
  }

  #perform(pending: AppRequest, answer: Promise<unknown>): void {
    const { ingests } = this.#deps;
    const key = String(pending.number);
    void answer.then(
      (value) => ingests.add('answered', key, () => this.#settle(pending, FULFIL, value), recordAnswer(value)),
      (reason: unknown) =>
        ingests.add('answered', key, () => this.#settle(pending, REJECT, reason), recordFailure(reason)),
    );
  }

  /** Makes a request with an immediate, deterministic answer. A task re-executed in place gets the recorded answer. */
  requestNow<T>(perform: () => T): T {
    return perform();
  }

  /** After a restore: answers requests for snapshots with `snapshot`, and performs all others again. */
  answerAll(snapshot: unknown): void {
    // In a replay the answers come from the trace.
    if (this.#deps.ingests.isReplaying) return;
    for (const pending of this.#pending) {
      if (pending.kind === 'snapshot') this.#settle(pending, FULFIL, snapshot);
      else {
        const perform = requestPerformers.get(pending.kind);
        if (perform === undefined) this.#settle(pending, REJECT, staleRequestError());
        else this.#perform(pending, perform(pending.details as never, snapshot));
      }
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
