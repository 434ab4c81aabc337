// When the next snapshot is due by what the program has computed since the last one: who runs it again has to compute about as much from there on. Snapshots take no more than
// a share of the processor, however large the state is: then they are rarer.

/** What has to be computed for each one, as so many times what writing it takes: a tenth. */
const SHARE = 10;
/** Of so many the one that took least counts: the first takes longer than others, and so does one while the machine is busy. */
const LOOKED_AT = 3;

/** So many times as often there is a bare cut (docs/snapshots.md): what is to be run again from a state behind one is as much less. */
const BARE = 5;

export class WorkDue {
  readonly #work: number;
  /** Milliseconds of the processor's that the process has taken. */
  readonly #spent: () => number;
  #since: number;
  /** The same, since the last cut of any kind. */
  #sinceCut: number;
  /** What the last ones have taken. */
  #costs: readonly number[] = Array.from({ length: LOOKED_AT }, () => 0);

  /** @param work milliseconds */
  constructor(work: number, spent: () => number) {
    this.#work = work;
    this.#spent = spent;
    this.#since = this.#sinceCut = spent();
  }

  /** Whether a bare cut is, until there is one. */
  isBareDue(): boolean {
    return this.#spent() - this.#sinceCut >= this.#work / BARE;
  }

  /** There is a bare one. */
  cut(): void {
    this.#sinceCut = this.#spent();
  }

  /** One is about to be taken: answers who is told when it is on the disk, and for how long it has kept the threads, all together. */
  begins(): (kept: number) => void {
    const before = this.#spent();
    this.#sinceCut = before;
    return (kept) => {
      const spent = this.#spent();
      this.#since = spent;
      // What else was computed meanwhile is in the one, what else the machine has done in the other.
      this.#costs = [...this.#costs.slice(1), Math.min(kept, spent - before)];
    };
  }

  /** Whether it is; says so once. */
  look(): boolean {
    const spent = this.#spent();
    if (spent - this.#since < Math.max(this.#work, SHARE * Math.min(...this.#costs))) return false;
    this.#since = spent;
    return true;
  }
}
