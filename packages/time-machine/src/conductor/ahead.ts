// What whoever goes on will ask for next is made before that, when nobody has gone anywhere for a moment, as far as it is near: the statements of the stretches up to the worker's next one, and a process that stands
// where all have come to by turns. Nothing begins a process for it: who only looks at turns has no use for any.
import type { RecordedEngine } from '../replay-process/recorded-engine.ts';
import type { SurveyIndex } from '../survey/survey-index.ts';
import { isBeginning, type Position } from '../position.ts';

export interface AheadParts {
  readonly index: SurveyIndex;
  /** Has noted statements already, if it has been anywhere. */
  readonly scout: RecordedEngine;
  readonly standing: RecordedEngine;
  /** The worker's next stretch; nothing, if that was its last. */
  readonly nextOf: (order: number) => number | undefined;
  readonly trace: (from: number, to: number) => Promise<unknown>;
  readonly stand: (position: Position) => Promise<unknown>;
  readonly later: Later;
}

/** Runs something after a moment; answers what keeps it from that. */
export type Later = (run: () => void) => () => void;

/** Milliseconds in which what is asked for at once has been answered. */
const A_MOMENT = 50;
/** Stretches, and lists of statements in them, that take no longer than somebody takes to read a line. */
const NEAR = 200;
const FEW = 20_000;

export const afterAMoment: Later = (run) => {
  const timer = setTimeout(run, A_MOMENT).unref();
  return () => clearTimeout(timer);
};

export class Ahead {
  readonly #parts: AheadParts;
  #forget: () => void = () => {};
  #tracing: Promise<unknown> = Promise.resolve();

  constructor(parts: AheadParts) {
    this.#parts = parts;
  }

  /** All stand there now. */
  at(position: Position): void {
    this.#forget();
    this.#forget = this.#parts.later(() => this.#prepare(position));
  }

  /** When there is nothing that it makes. */
  traced(): Promise<unknown> {
    return this.#tracing;
  }

  close(): void {
    this.#forget();
  }

  #prepare(position: Position): void {
    const { index, scout, standing, nextOf, trace, stand } = this.#parts;
    const { order } = position;
    if (order > index.count) return;
    const isBegin = isBeginning(position);
    if (isBegin && this.#isNear(standing, order)) void stand(position).catch(() => {});
    const to = isBegin ? order : nextOf(order);
    if (to === undefined || !this.#isNear(scout, to + 1)) return;
    this.#tracing = trace(isBegin ? order : order + 1, to).catch(() => {});
  }

  /** Whether it has been somewhere from where it is not far. @param end the first stretch that it need not run */
  #isNear({ stop }: RecordedEngine, end: number): boolean {
    const from = stop.position.order;
    if (from <= 1 || from > end || end - from > NEAR) return false;
    let lists = 0;
    for (let each = from; each < end; each++) lists += this.#parts.index.survey.stretch(each).lists;
    return lists <= FEW;
  }
}
