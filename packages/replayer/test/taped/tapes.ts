// Tapes in memory: one that writes down, one that plays, each with a realm of its own and no scheduler, so that all positions are steps.
import type { PerformEntry, Steps, TapePlayer, TapeRecorder, TapeValue } from '@turntable/core';

export type Noted =
  | { readonly what: 'outcome'; readonly source: number; readonly value: TapeValue }
  | {
      readonly what: 'entry';
      readonly source: number;
      readonly id: number;
      readonly value: TapeValue;
      readonly step: number;
    };

export class MemoryRecorder implements TapeRecorder {
  readonly isReplay = false;
  readonly isResting = false;
  readonly events: Noted[] = [];
  #steps: Steps | undefined;

  attach(steps: Steps): void {
    this.#steps = steps;
  }

  outcome(source: number, value: TapeValue): void {
    this.events.push({ what: 'outcome', source, value });
  }

  entry(source: number, id: number, value?: TapeValue): void {
    this.events.push({ what: 'entry', source, id, value, step: this.#steps?.steps ?? 0 });
  }
}

const { setImmediate } = globalThis;

export class MemoryPlayer implements TapePlayer {
  readonly isReplay = true;
  readonly #events: readonly Noted[];
  readonly #performers = new Map<number, PerformEntry>();
  #steps: Steps | undefined;
  #at = 0;
  #isPumping = false;
  difference: string | undefined;

  constructor(events: readonly Noted[]) {
    this.#events = events;
  }

  attach(steps: Steps): void {
    this.#steps = steps;
    steps.beforeSteps(() => this.#performDue());
  }

  get left(): readonly Noted[] {
    return this.#events.slice(this.#at);
  }

  outcome(source: number): TapeValue {
    const next = this.#events[this.#at];
    if (next?.what !== 'outcome' || next.source !== source)
      return this.diverge(next === undefined ? 'nothing more' : show(next), `source ${source} is asked`);
    this.#at++;
    this.wake();
    return next.value;
  }

  peek(source: number): TapeValue {
    const next = this.#events[this.#at];
    return next?.what === 'outcome' && next.source === source ? next.value : undefined;
  }

  on(source: number, perform: PerformEntry): void {
    this.#performers.set(source, perform);
  }

  pass(source: number, isIt: (value: TapeValue) => boolean): TapeValue | undefined {
    const next = this.#events[this.#at];
    if (next?.what !== 'entry' || next.source !== source || next.step !== this.#steps?.steps || !isIt(next.value))
      return undefined;
    this.#at++;
    this.wake();
    return next.value;
  }

  wake(): void {
    if (this.#isPumping || this.#events[this.#at]?.what !== 'entry') return;
    this.#isPumping = true;
    setImmediate(() => this.#pump());
  }

  diverge(expected: string, actual: string): never {
    this.difference ??= `event ${this.#at}: expected ${expected}; ${actual}`;
    throw new Error(this.difference);
  }

  #performDue(): void {
    for (;;) {
      const next = this.#events[this.#at];
      if (next?.what !== 'entry' || next.step !== this.#steps?.steps || !this.#perform(next)) return;
    }
  }

  /** When nothing is left to do. */
  #pump(): void {
    this.#isPumping = false;
    const next = this.#events[this.#at];
    if (next?.what !== 'entry') return;
    if (this.#steps?.isLeft() === true) return this.wake();
    if (next.step === this.#steps?.steps) this.#perform(next);
    else if (next.step < (this.#steps?.steps ?? 0)) this.diverge(show(next), `step ${this.#steps?.steps}`);
    else return;
    this.wake();
  }

  #perform(entry: Noted & { what: 'entry' }): boolean {
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

function show(event: Noted): string {
  return event.what === 'outcome'
    ? `an answer of source ${event.source}: ${JSON.stringify(event.value)}`
    : `entry ${event.id} of source ${event.source} at step ${event.step}`;
}
