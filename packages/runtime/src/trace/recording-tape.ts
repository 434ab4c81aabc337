// The tape of a worker that is recorded: what its realm asks and who calls it goes into the worker's trace, each in the order in which it
// comes. It is there before the realm; the scheduler, which counts rounds, joins it when there is one.

import type { Steps, TapeRecorder, TapeValue } from '@turntable/core';
import type { TraceSink } from '@turntable/recording';

/** Who counts the rounds of a worker. */
export interface RoundCount {
  readonly count: number;
}

const NONE_YET: RoundCount = { count: 0 };
const NO_STEPS = { steps: 0 };

export class RecordingTape implements TapeRecorder {
  readonly isReplay = false;
  readonly sink: TraceSink;
  /** While messages are taken: notes those that were, before what they lead to. */
  noteTaken: (() => void) | undefined;
  #rounds = NONE_YET;
  #steps: Pick<Steps, 'steps'> = NO_STEPS;

  constructor(sink: TraceSink) {
    this.sink = sink;
  }

  get isResting(): boolean {
    return this.sink.isResting;
  }

  attach(steps: Steps): void {
    this.#steps = steps;
  }

  join(rounds: RoundCount): void {
    this.#rounds = rounds;
  }

  outcome(source: number, value: TapeValue): void {
    if (this.noteTaken !== undefined) this.noteTaken();
    this.sink.outcome(source, value);
  }

  entry(source: number, id: number, value?: TapeValue): void {
    this.sink.entry(this.#rounds.count, this.#steps.steps, source, id, value);
    // What the program does outside of turns may be seen at once.
    this.sink.commit();
  }
}
