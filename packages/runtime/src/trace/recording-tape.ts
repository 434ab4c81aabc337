// The tape of a recorded worker: requests of its realm and host callbacks go into the worker's trace, in order. It
// exists before the realm and the scheduler; the scheduler, which counts rounds, is attached later.

import type { StepCounter, TapeRecorder, TapeValue } from '@turntable/core';
import type { TraceSink } from '@turntable/recording';

/** Counter of a worker's rounds. */
export interface RoundCounter {
  readonly roundCount: number;
}

const NO_ROUNDS: RoundCounter = { roundCount: 0 };
const NO_STEPS = { steps: 0 };

export class RecordingTape implements TapeRecorder {
  readonly isReplay = false;
  readonly sink: TraceSink;
  /** Records the messages taken so far, before anything that they cause. Set while messages are taken. */
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

  noteOutput(stream: number, output: string | Uint8Array): void {
    this.sink.noteOutput(stream, output);
  }

  recordEntry(source: number, id: number, value?: TapeValue): void {
    this.sink.writeEntry(this.#rounds.roundCount, this.#steps.steps, source, id, value);
    // Output that the program writes outside of turns may be visible at once.
    this.sink.commit();
  }
}
