// Signals of the program's that the outside has: where that throws or rejects with what one was aborted for, a run again has to find the program's own,
// which is no other error that says the same. Few come at a time, and reasons are looked for only where an error comes in.

/** The engine's own: the program's are watched. */
const NativeRef = WeakRef;
const { deref } = WeakRef.prototype;
const { apply } = Reflect;
const MIN_SWEEP_SIZE = 32;

export class ExportedAbortSignals {
  #signals: { readonly ref: WeakRef<AbortSignal>; readonly number: number }[] = [];
  #sweepSize = MIN_SWEEP_SIZE;

  add(signal: AbortSignal, number: number): void {
    if (this.#signals.length >= this.#sweepSize) {
      this.#signals = this.#signals.filter(({ ref }) => derefSignal(ref) !== undefined);
      this.#sweepSize = Math.max(MIN_SWEEP_SIZE, 2 * this.#signals.length);
    }
    this.#signals.push({ ref: new NativeRef(signal), number });
  }

  /** The number of one that was aborted for this. */
  signalAbortedWith(reason: object): number | undefined {
    return this.#signals.find(({ ref }) => derefSignal(ref)?.reason === reason)?.number;
  }
}

function derefSignal(ref: WeakRef<AbortSignal>): AbortSignal | undefined {
  return apply(deref, ref, []) as AbortSignal | undefined;
}
