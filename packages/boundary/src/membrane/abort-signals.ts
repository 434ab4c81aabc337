// Signals of the program's that the outside has: where that throws or rejects with what one was aborted for, a run again has to find the program's own,
// which is no other error that says the same. Few come at a time, and reasons are looked for only where an error comes in.

/** The engine's own: the program's are watched. */
const NativeRef = WeakRef;
const { deref } = WeakRef.prototype;
const { apply } = Reflect;
const FEWEST = 32;

export class AbortSignals {
  #signals: { readonly ref: WeakRef<AbortSignal>; readonly number: number }[] = [];
  #most = FEWEST;

  add(signal: AbortSignal, number: number): void {
    if (this.#signals.length >= this.#most) {
      this.#signals = this.#signals.filter(({ ref }) => signalOf(ref) !== undefined);
      this.#most = Math.max(FEWEST, 2 * this.#signals.length);
    }
    this.#signals.push({ ref: new NativeRef(signal), number });
  }

  /** The number of one that was aborted for this. */
  abortedBy(reason: object): number | undefined {
    return this.#signals.find(({ ref }) => signalOf(ref)?.reason === reason)?.number;
  }
}

function signalOf(ref: WeakRef<AbortSignal>): AbortSignal | undefined {
  return apply(deref, ref, []) as AbortSignal | undefined;
}
