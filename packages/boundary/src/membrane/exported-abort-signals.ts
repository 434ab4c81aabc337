// Abort signals of the program that the host references. Where host code throws a signal's reason or rejects with it, a
// replay must use the program's own reason, not an equal error. Few signals are live at a time, and they are searched
// only when an error crosses.

/** The engine's own class. The program uses an instrumented one. */
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

  /** Returns the export number of the signal that was aborted with this reason; undefined if there is none. */
  signalAbortedWith(reason: object): number | undefined {
    return this.#signals.find(({ ref }) => derefSignal(ref)?.reason === reason)?.number;
  }
}

function derefSignal(ref: WeakRef<AbortSignal>): AbortSignal | undefined {
  return apply(deref, ref, []) as AbortSignal | undefined;
}
