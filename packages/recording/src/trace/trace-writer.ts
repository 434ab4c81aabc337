// Where a worker's trace goes: into memory that it shares with the writer's thread. To be made on the worker's own thread.

import { ChunkSupply, type TraceHandle } from './chunk-supply.ts';
import { TraceEncoder } from './encoder.ts';
import type { TraceSink } from './events.ts';
import { Pen } from './pen.ts';

export class TraceWriter extends TraceEncoder implements TraceSink {
  readonly #pen: Pen;
  readonly #supply: ChunkSupply;
  #hasEnded = false;

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

  cut(phase: number): void {
    if (this.#hasEnded || phase <= this.#supply.phase) return;
    this.#pen.restart(this.#supply.enter(phase, this.#pen.length));
    this.forget();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#supply.end(this.#pen.length);
    this.#supply.close();
    this.#pen.restart(undefined);
  }
}
