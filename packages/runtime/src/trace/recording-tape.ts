// The tape of a worker that is recorded: what its realm asks and who calls it goes into the worker's trace, each in the order in which it
// comes. It is there before the realm; the scheduler, which counts rounds, joins it when there is one.

import type { StepCounter, TapeRecorder, TapeValue } from '@turntable/core';
import type { TraceSink } from '@turntable/recording';

/** Who counts the rounds of a worker. */
export interface RoundCounter {
  readonly roundCount: number;
}

const NO_ROUNDS: RoundCounter = { roundCount: 0 };
const NO_STEPS = { steps: 0 };

export class RecordingTape implements TapeRecorder {
  readonly isReplay = false;
  readonly sink: TraceSink;
  /** While messages are taken: notes those that were, before what they lead to. */
  recordTaken: (() => void) | undefined;
  #rounds = NO_ROUNDS;
  #steps: Pick<StepCounter, 'steps'> = NO_STEPS;

  constructor(sink: TraceSink) {
    this.sink = sink;
  }

  get isPaused(): boolean {
    return this.sink.isPaused;
  }

  attach(steps: StepCounter): void {
    this.#steps = steps;
  }

  attachScheduler(rounds: RoundCounter): void {
    this.#rounds = rounds;
  }

  recordOutcome(source: number, value: TapeValue): void {
    if (this.recordTaken !== undefined) this.recordTaken();
    this.sink.writeOutcome(source, value);
  }

  recordEntry(source: number, id: number, value?: TapeValue): void {
    this.sink.writeEntry(this.#rounds.roundCount, this.#steps.steps, source, id, value);
    // What the program does outside of turns may be seen at once.
    this.sink.commit();
  }
}
