// Where a worker's trace goes: into memory that it shares with the writer's thread. To be made on the worker's own thread.

import { Beginning } from './beginning.ts';
import { ChunkSupply, type TraceHandle } from './chunk-supply.ts';
import { TraceEncoder } from './encoder.ts';
import type { TraceSink, TraceValue } from './events.ts';
import { Pen } from './pen.ts';

export class TraceWriter extends TraceEncoder implements TraceSink {
  readonly isResting = false;
  readonly #pen: Pen;
  readonly #supply: ChunkSupply;
  #hasEnded = false;
  /** What each segment begins with. */
  readonly #beginning = new Beginning();

  constructor(handle: TraceHandle) {
    const supply = new ChunkSupply(handle);
    const pen = new Pen(supply, supply.first());
    super(pen);
    this.#pen = pen;
    this.#supply = supply;
  }

  /** Whether events are kept nowhere: something could not be kept, and no phase has begun since. */
  get isStopped(): boolean {
    return this.#pen.isStopped;
  }

  commit(): void {
    this.#supply.commit(this.#pen.length);
  }

  override outcome(source: number, value: TraceValue): void {
    this.#beginning.note(source, value);
    super.outcome(source, value);
    // What follows may be what a process is killed at.
    this.commit();
  }

  cut(phase: number): void {
    if (this.#hasEnded || phase <= this.#supply.phase) return;
    this.#pen.restart(this.#supply.enter(phase, this.#pen.length));
    this.forget();
    this.#beginning.tell((source, value) => super.outcome(source, value));
  }

  /** Nothing is kept, until a phase begins. */
  rest(): void {
    if (this.#hasEnded) return;
    this.#supply.rest(this.#pen.length);
    this.#pen.restart(undefined);
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#supply.end(this.#pen.length);
    this.#supply.close();
    this.#pen.restart(undefined);
  }
}
