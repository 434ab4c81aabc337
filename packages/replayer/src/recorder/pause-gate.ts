// Judges the pauses of snapshots. A snapshot that the recording needs may pause the program if its pause is short, or the
// program idle. A long pause is reported once, and from then on snapshots at an interval take at most `MAX_TIME_SHARE` of
// the time.

/** Maximum length of a pause that a busy program may notice. */
const MAX_PAUSE_MS = 50;
/** Minimum sizes of a state whose pause is long because of the state, not because of cold code or a busy machine. */
const MIN_LONG_PAUSE_BYTES = { first: 8 << 20, later: 1 << 20 } as const;
/** Time that writing a megabyte of state takes, until a snapshot has been measured. */
const ESTIMATED_MS_PER_MB = 10;
/** Maximum share of the processor time that an idle program uses. */
const MAX_IDLE_SHARE = 0.05;
/** Maximum share of the time that snapshots at an interval take, once their pauses are long. */
const MAX_TIME_SHARE = 0.01;
/** Number of recent snapshots from which pauses are estimated. The first one may take much longer than later ones. */
const SAMPLES = 3;

/** Pauses for one snapshot, each the maximum of all threads. */
export interface SnapshotPause {
  readonly longestMs: number;
  readonly totalMs: number;
  /** Size of the state, uncompressed. */
  readonly bytes: number;
}

export interface PauseGateDeps {
  /** Current time in milliseconds. */
  now(): number;
  /** Processor time of this process in milliseconds. */
  cpuMs(): number;
  heapBytes(): number;
  /** Reports the first long pause. */
  onLongPause?(pause: SnapshotPause): void;
}

export class PauseGate {
  readonly #deps: PauseGateDeps;
  /** Size of the heap before the program is loaded. */
  readonly #initialHeapBytes: number;
  #recentPauses: readonly SnapshotPause[] = [];
  #lastSnapshotAt = -Infinity;
  #hasReported = false;
  #checkedAt: number;
  #checkedCpuMs: number;

  /** Must be created before the program is loaded. */
  constructor(deps: PauseGateDeps) {
    this.#deps = deps;
    this.#initialHeapBytes = deps.heapBytes();
    this.#checkedAt = deps.now();
    this.#checkedCpuMs = deps.cpuMs();
  }

  /** Must be called with the pauses of each snapshot when it is written. */
  noteSnapshot(pause: SnapshotPause): void {
    this.#recentPauses = [...this.#recentPauses, pause].slice(-SAMPLES);
    this.#lastSnapshotAt = this.#deps.now();
    const minBytes = MIN_LONG_PAUSE_BYTES[this.#recentPauses.length === 1 ? 'first' : 'later'];
    if (this.#hasReported || pause.longestMs <= MAX_PAUSE_MS || pause.bytes < minBytes) return;
    this.#hasReported = true;
    this.#deps.onLongPause?.(pause);
  }

  /** Starts the measurement of idleness for the next `mayPause`. */
  restartIdleCheck(): void {
    this.#checkedAt = this.#deps.now();
    this.#checkedCpuMs = this.#deps.cpuMs();
  }

  /** Whether a snapshot may be taken now. Calls must be some time apart, because idleness is that since the last call. */
  mayPause(): boolean {
    const [now, cpuMs] = [this.#deps.now(), this.#deps.cpuMs()];
    const share = (cpuMs - this.#checkedCpuMs) / Math.max(1, now - this.#checkedAt);
    this.restartIdleCheck();
    const stateMb = (this.#deps.heapBytes() - this.#initialHeapBytes) / 2 ** 20;
    const pauseMs = this.#estimate('longestMs') ?? stateMb * ESTIMATED_MS_PER_MB;
    return pauseMs < MAX_PAUSE_MS || share <= MAX_IDLE_SHARE;
  }

  /** Whether a snapshot at an interval may be taken now. */
  mayTakeAtInterval(): boolean {
    // The pause of the first snapshot says little about the second.
    if (!this.#hasReported || this.#recentPauses.length < 2) return true;
    if ((this.#estimate('longestMs') ?? 0) <= MAX_PAUSE_MS) return true;
    const totalMs = this.#estimate('totalMs') ?? 0;
    return this.#deps.now() - this.#lastSnapshotAt >= totalMs / MAX_TIME_SHARE;
  }

  /** Pause of the next snapshot, from the least pause per byte of the recent ones; undefined before the first one. */
  #estimate(measure: 'longestMs' | 'totalMs'): number | undefined {
    const lastBytes = this.#recentPauses.at(-1)?.bytes;
    if (lastBytes === undefined) return undefined;
    const msPerByte = this.#recentPauses.map((pause) => pause[measure] / Math.max(1, pause.bytes));
    return lastBytes * Math.min(...msPerByte);
  }
}
