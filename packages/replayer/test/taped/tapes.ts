// Tapes in memory: a recording one and a replaying one. Each has its own realm and no scheduler, so positions are steps.
import type { PerformEntry, StepCounter, TapePlayer, TapeRecorder, TapeValue } from '@turntable/core';

export type TapeEvent =
  | { readonly type: 'outcome'; readonly source: number; readonly value: TapeValue }
  | {
      readonly type: 'entry';
      readonly source: number;
      readonly id: number;
      readonly value: TapeValue;
      readonly step: number;
    };

export class MemoryRecorder implements TapeRecorder {
  readonly isReplay = false;
  readonly isPaused = false;
  readonly events: TapeEvent[] = [];
  #steps: StepCounter | undefined;

  noteOutput(): void {}

  attach(steps: StepCounter): void {
    this.#steps = steps;
  }

  recordOutcome(source: number, value: TapeValue): void {
    this.events.push({ type: 'outcome', source, value });
  }

  recordEntry(source: number, id: number, value?: TapeValue): void {
    this.events.push({ type: 'entry', source, id, value, step: this.#steps?.steps ?? 0 });
  }
}

const { setImmediate } = globalThis;

export class MemoryPlayer implements TapePlayer {
  readonly isReplay = true;
  readonly #events: readonly TapeEvent[];
  readonly #performers = new Map<number, PerformEntry>();
  #steps: StepCounter | undefined;
  #at = 0;
  #isPumping = false;
  divergence: string | undefined;

  constructor(events: readonly TapeEvent[]) {
    this.#events = events;
  }

  noteOutput(): void {}

  attach(steps: StepCounter): void {
    this.#steps = steps;
    steps.onBeforeStep(() => this.#performDue());
  }

  get remaining(): readonly TapeEvent[] {
    return this.#events.slice(this.#at);
  }

  outcome(source: number): TapeValue {
    const next = this.#events[this.#at];
    if (next?.type !== 'outcome' || next.source !== source)
      return this.diverge(next === undefined ? 'nothing more' : describeEvent(next), `source ${source} is asked`);
    this.#at++;
    this.wake();
    return next.value;
  }

  peek(source: number): TapeValue {
    const next = this.#events[this.#at];
    return next?.type === 'outcome' && next.source === source ? next.value : undefined;
  }

  setPerformer(source: number, perform: PerformEntry): void {
    this.#performers.set(source, perform);
  }

  skipEntry(source: number, matches: (value: TapeValue) => boolean): TapeValue | undefined {
    const next = this.#events[this.#at];
    if (next?.type !== 'entry' || next.source !== source || next.step !== this.#steps?.steps || !matches(next.value))
      return undefined;
    this.#at++;
    this.wake();
    return next.value;
  }

  wake(): void {
    if (this.#isPumping || this.#events[this.#at]?.type !== 'entry') return;
    this.#isPumping = true;
    setImmediate(() => this.#pump());
  }

  diverge(expected: string, actual: string): never {
    this.divergence ??= `event ${this.#at}: expected ${expected}; ${actual}`;
    throw new Error(this.divergence);
  }

  #performDue(): void {
    for (;;) {
      const next = this.#events[this.#at];
      if (next?.type !== 'entry' || next.step !== this.#steps?.steps || !this.#perform(next)) return;
    }
  }

  /** Called when the event loop is empty. */
  #pump(): void {
    this.#isPumping = false;
    const next = this.#events[this.#at];
    if (next?.type !== 'entry') return;
    if (this.#steps?.hasWork() === true) return this.wake();
    if (next.step === this.#steps?.steps) this.#perform(next);
    else if (next.step < (this.#steps?.steps ?? 0)) this.diverge(describeEvent(next), `step ${this.#steps?.steps}`);
    else return;
    this.wake();
  }

  #perform(entry: TapeEvent & { type: 'entry' }): boolean {
    this.#at++;
    try {
      if (this.#performers.get(entry.source)?.(entry.id, entry.value) !== false) return true;
    } finally {
      setImmediate(() => this.wake());
    }
    this.#at--;
    return false;
  }
}

function describeEvent(event: TapeEvent): string {
  return event.type === 'outcome'
    ? `an answer of source ${event.source}: ${JSON.stringify(event.value)}`
    : `entry ${event.id} of source ${event.source} at step ${event.step}`;
}
