// Passes the parts of checkpoints from the main thread to the parent process, which stores them, and reports which
// checkpoints are complete. It keeps no parts itself.
import type { WorkerPart } from '@turntable/runtime';
import { sendToParent } from './parent-messages.ts';
import type { CheckpointCuts } from './checkpoint-cuts.ts';

/** Size limit of incomplete checkpoints; above it, the oldest are dropped. Lost threads never send their parts. */
const MAX_PENDING_BYTES = 256 << 20;

interface PendingCheckpoint {
  /** Workers whose parts complete the checkpoint; known after the main thread's cut. */
  workers: readonly number[] | undefined;
  readonly epochs: Map<number, number>;
  bytes: number;
}

export class CheckpointCollector {
  readonly #checkpointCuts: Pick<CheckpointCuts, 'noteComplete'>;
  readonly #send: typeof sendToParent;
  readonly #maxPendingBytes: number;
  readonly #pending = new Map<number, PendingCheckpoint>();
  /** Last phase that was completed or dropped. A thread sends its parts in order, so no earlier phase can complete. */
  #closedPhase = 0;

  constructor(
    checkpointCuts: Pick<CheckpointCuts, 'noteComplete'>,
    send: typeof sendToParent = sendToParent,
    maxPendingBytes: number = MAX_PENDING_BYTES,
  ) {
    this.#checkpointCuts = checkpointCuts;
    this.#send = send;
    this.#maxPendingBytes = maxPendingBytes;
  }

  /** Must be called when the main thread has cut. */
  mainCut(phase: number, workers: readonly number[]): void {
    if (phase <= this.#closedPhase) return;
    this.#pendingOf(phase).workers = workers;
    this.#checkComplete(phase);
  }

  addPart({ phase, worker, epoch, bytes }: Pick<WorkerPart, 'phase' | 'worker' | 'epoch' | 'bytes'>): void {
    if (bytes === undefined || phase <= this.#closedPhase) return;
    this.#send({ checkpointPart: { phase, worker } }, bytes);
    const pending = this.#pendingOf(phase);
    pending.epochs.set(worker, epoch);
    pending.bytes += bytes.length;
    this.#checkComplete(phase);
    this.#dropOverLimit();
  }

  #dropOverLimit(): void {
    const bytes = (): number => [...this.#pending.values()].reduce((sum, each) => sum + each.bytes, 0);
    while (bytes() > this.#maxPendingBytes) this.#closeUpTo(Math.min(...this.#pending.keys()));
  }

  /** Drops the pending checkpoints up to this phase, and ignores their parts from now on. */
  #closeUpTo(phase: number): void {
    this.#closedPhase = phase;
    const dropped = [...this.#pending.keys()].filter((each) => each <= phase);
    for (const each of dropped) this.#pending.delete(each);
    if (dropped.length > 0) this.#send({ droppedPhases: dropped });
  }

  #pendingOf(phase: number): PendingCheckpoint {
    let pending = this.#pending.get(phase);
    if (pending === undefined)
      this.#pending.set(phase, (pending = { workers: undefined, epochs: new Map(), bytes: 0 }));
    return pending;
  }

  #checkComplete(phase: number): void {
    const { workers, epochs } = this.#pendingOf(phase);
    if (workers?.every((worker) => epochs.has(worker)) !== true) return;
    this.#pending.delete(phase);
    this.#checkpointCuts.noteComplete();
    this.#send({ completeCheckpoint: { phase, epochs: Object.fromEntries(epochs) } });
    this.#closeUpTo(phase);
  }
}
