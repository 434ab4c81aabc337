// What actors of a worker have asked Turntable and are not answered yet: stats, snapshots, the end. Questions are part of a snapshot, and what they
// are answered is noted: in a run again nobody is asked, the answers stand in the trace.

import type { Eventual } from '@turntable/core';
import type { Actor } from '../actors/actor.ts';
import type { Ingests } from '../trace/ingests.ts';
import { FULFIL, REJECT } from '../messaging/message-kinds.ts';
import { answerOf, failureFor, noAnswer, readAnswer, readFailure, type Answer } from '../trace/answers.ts';

/** An actor waits for a snapshot, or for what else Turntable is asked. */
export interface Asked {
  readonly number: number;
  readonly what: 'snapshot' | 'other';
  readonly eventual: Eventual;
  readonly actor: Actor;
}

export interface QuestionsPorts {
  readonly ingests: Ingests;
  createEventual(): Eventual;
  currentActor(): Actor;
  /** In a turn of who has asked. */
  settle(asked: Asked, kind: typeof FULFIL | typeof REJECT, value: unknown): void;
}

export class Questions {
  readonly #ports: QuestionsPorts;
  #asked = new Set<Asked>();
  /** So many so far. */
  #count = 0;

  constructor(ports: QuestionsPorts) {
    this.#ports = ports;
  }

  /** An eventual of whose code runs; one that waits for a snapshot is settled where that goes on, too. */
  ask(ask: () => Promise<unknown>, what: Asked['what'] = 'other'): Eventual {
    const eventual = this.#ports.createEventual();
    const asked = { number: ++this.#count, what, eventual, actor: this.#ports.currentActor() };
    this.#asked.add(asked);
    const { ingests } = this.#ports;
    const key = String(asked.number);
    // What it is answered in a run again stands in the trace.
    if (!ingests.isFollowing)
      void ask().then(
        (value) => ingests.happened('answered', key, () => this.#answer(asked, FULFIL, value), answerOf(value)),
        (reason: unknown) =>
          ingests.happened('answered', key, () => this.#answer(asked, REJECT, reason), failureFor(reason)),
      );
    return eventual;
  }

  /** A question with an immediate and deterministic answer. A task that is re-executed in place gets the recorded answer. */
  askNow<T>(ask: () => T): T {
    return ask();
  }

  /** Who has asked for snapshots before this life began gets this one; other questions were of that life. */
  answerAll(taken: unknown): void {
    // What they were answered stands in the trace.
    if (this.#ports.ingests.isFollowing) return;
    for (const asked of this.#asked) {
      if (asked.what === 'snapshot') this.#answer(asked, FULFIL, taken);
      else this.#answer(asked, REJECT, noAnswer());
    }
  }

  /** In a run again: as it was. */
  answerAgain(number: number, answer: Answer): void {
    for (const asked of this.#asked) {
      if (asked.number !== number) continue;
      const isFailure = typeof answer === 'object' && answer !== null && 'failure' in answer;
      if (isFailure) this.#answer(asked, REJECT, readFailure(answer));
      else this.#answer(asked, FULFIL, readAnswer(answer));
      return;
    }
    this.#ports.ingests.following?.differ(`question ${number} to Turntable is answered`, 'nobody has asked it');
  }

  #answer(asked: Asked, kind: typeof FULFIL | typeof REJECT, value: unknown): boolean {
    if (!this.#asked.delete(asked)) return false;
    this.#ports.settle(asked, kind, value);
    return true;
  }

  read(): { readonly asked: readonly Asked[]; readonly questions: number } {
    return { asked: [...this.#asked], questions: this.#count };
  }

  write(asked: readonly Asked[], questions: number): void {
    this.#asked = new Set(asked);
    this.#count = questions;
  }
}
