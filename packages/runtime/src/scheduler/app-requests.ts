// What actors of a worker have asked Turntable and are not answered yet: stats, snapshots, the end. Questions are part of a snapshot, and what they
// are answered is noted: in a run again nobody is asked, the answers stand in the trace.

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

/** An actor waits for a snapshot, or for what else Turntable is asked. */
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
  /** In a turn of who has asked. */
  settle(request: AppRequest, kind: typeof FULFIL | typeof REJECT, value: unknown): void;
}

export class AppRequests {
  readonly #deps: AppRequestsDeps;
  #pending = new Set<AppRequest>();
  /** So many so far. */
  #lastNumber = 0;

  constructor(deps: AppRequestsDeps) {
    this.#deps = deps;
  }

  /** An eventual of whose code runs; one that waits for a snapshot is settled where that goes on, too. */
  request(perform: () => Promise<unknown>, kind: AppRequest['kind'] = 'other'): Eventual {
    const eventual = this.#deps.createEventual();
    const pending = { number: ++this.#lastNumber, kind, eventual, actor: this.#deps.currentActor() };
    this.#pending.add(pending);
    const { ingests } = this.#deps;
    const key = String(pending.number);
    // What it is answered in a run again stands in the trace.
    if (!ingests.isReplaying)
      void perform().then(
        (value) => ingests.add('answered', key, () => this.#settle(pending, FULFIL, value), recordAnswer(value)),
        (reason: unknown) =>
          ingests.add('answered', key, () => this.#settle(pending, REJECT, reason), recordFailure(reason)),
      );
    return eventual;
  }

  /** A question with an immediate and deterministic answer. A task that is re-executed in place gets the recorded answer. */
  requestNow<T>(perform: () => T): T {
    return perform();
  }

  /** Who has asked for snapshots before this life began gets this one; other questions were of that life. */
  answerAll(snapshot: unknown): void {
    // What they were answered stands in the trace.
    if (this.#deps.ingests.isReplaying) return;
    for (const pending of this.#pending) {
      if (pending.kind === 'snapshot') this.#settle(pending, FULFIL, snapshot);
      else this.#settle(pending, REJECT, staleRequestError());
    }
  }

  /** In a run again: as it was. */
  replayAnswer(number: number, answer: RecordedAnswer): void {
    for (const pending of this.#pending) {
      if (pending.number !== number) continue;
      const isFailure = typeof answer === 'object' && answer !== null && 'failure' in answer;
      if (isFailure) this.#settle(pending, REJECT, readFailure(answer));
      else this.#settle(pending, FULFIL, readAnswer(answer));
      return;
    }
    this.#deps.ingests.replayTape?.reportDivergence(
      `question ${number} to Turntable is answered`,
      'nobody has asked it',
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
