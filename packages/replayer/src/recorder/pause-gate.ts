// Decides whether a snapshot that was not requested may pause the program: if its pause is short, or the program idle.

/** Maximum length of a pause that a busy program may notice. */
const MAX_PAUSE_MS = 50;
/** Time that writing a megabyte of state takes, until a snapshot has been measured. */
const ESTIMATED_MS_PER_MB = 10;
/** Maximum share of the processor time that an idle program uses. */
const MAX_IDLE_SHARE = 0.05;

export interface PauseGateDeps {
  /** Current time in milliseconds. */
  now(): number;
  /** Processor time of this process in milliseconds. */
  cpuMs(): number;
  heapBytes(): number;
}

export class PauseGate {
  readonly #deps: PauseGateDeps;
  /** Size of the heap before the program is loaded. */
  readonly #initialHeapBytes: number;
  #lastPauseMs: number | undefined;
  #checkedAt: number;
  #checkedCpuMs: number;

  constructor(deps: PauseGateDeps) {
    this.#deps = deps;
    this.#initialHeapBytes = deps.heapBytes();
    this.#checkedAt = deps.now();
    this.#checkedCpuMs = deps.cpuMs();
  }

  /** Must be called with the longest pause of each snapshot. */
  notePause(pauseMs: number): void {
    this.#lastPauseMs = pauseMs;
  }

  /** Whether a snapshot may be taken now. Calls must be some time apart, because idleness is that since the last call. */
  mayPause(): boolean {
    const [now, cpuMs] = [this.#deps.now(), this.#deps.cpuMs()];
    const share = (cpuMs - this.#checkedCpuMs) / Math.max(1, now - this.#checkedAt);
    this.#checkedAt = now;
    this.#checkedCpuMs = cpuMs;
    const stateMb = (this.#deps.heapBytes() - this.#initialHeapBytes) / 2 ** 20;
    const pauseMs = this.#lastPauseMs ?? stateMb * ESTIMATED_MS_PER_MB;
    return pauseMs < MAX_PAUSE_MS || share <= MAX_IDLE_SHARE;
  }
}
