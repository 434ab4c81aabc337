// Takes the snapshot that a recording needs to continue: its old traces can be deleted only with a snapshot behind them,
// and new ones can begin only with one after a gap.

const { setInterval: nativeSetInterval, clearInterval: nativeClearInterval } = globalThis;
/** Interval of attempts, and the maximum number of skipped attempts. */
const INTERVAL_MS = 1000;
const MAX_SKIPPED = 63;

export interface SnapshotRenewalDeps {
  /** Called when attempts start. */
  onStart(): void;
  /** Whether a snapshot may pause the program now. */
  mayPause(): boolean;
  attempt(): void;
}

export class SnapshotRenewal {
  readonly #deps: SnapshotRenewalDeps;
  #timer: NodeJS.Timeout | undefined;
  /** Last phase in which a snapshot was needed. */
  #neededInPhase = -1;

  constructor(deps: SnapshotRenewalDeps) {
    this.#deps = deps;
  }

  /** Whether a snapshot is needed. */
  get isActive(): boolean {
    return this.#timer !== undefined;
  }

  /** Takes a snapshot as soon as it may pause the program. @param phase phase in which it is needed */
  start(phase: number): void {
    this.#neededInPhase = phase;
    if (this.#timer !== undefined) return;
    this.#deps.onStart();
    let [attempts, skipped] = [0, 0];
    this.#timer = nativeSetInterval(() => {
      // A disk that is still full is tried less and less often.
      if (!this.#deps.mayPause() || skipped++ < Math.min(2 ** attempts - 1, MAX_SKIPPED)) return;
      attempts++;
      skipped = 0;
      this.#deps.attempt();
    }, INTERVAL_MS).unref();
  }

  /** Must be called when a snapshot is written. A gap after its cut needs another one. */
  snapshotWritten(phase: number): void {
    if (phase > this.#neededInPhase) this.end();
  }

  /** Ends the attempts. */
  end(): void {
    nativeClearInterval(this.#timer);
    this.#timer = undefined;
  }
}
