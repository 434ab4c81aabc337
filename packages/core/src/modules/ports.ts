// The port of module records to the rest of core: frames and eventuals.

/** Members of core's `Frame` that module evaluation uses. */
export interface ModuleFrame {
  pc: number;
  s0: unknown;
  s1: unknown;
}

export type ModuleStep = (frame: ModuleFrame, value: unknown, how: 0 | 1 | 2) => unknown;

/** Operations on frames and eventuals. Core settles these eventuals directly, never through a patched `then`. */
export interface ModuleRealm {
  createFrame(step: ModuleStep): ModuleFrame;
  /** Runs the first step of `frame` now, and returns the eventual of its result. */
  async(frame: ModuleFrame): object;
  /** Suspends `frame` at point `k` until `value` has settled. */
  await(frame: ModuleFrame, k: number, value: unknown): unknown;
  createEventual(): object;
  resolveEventual(eventual: object, value: unknown): void;
  rejectEventual(eventual: object, reason: unknown): void;
  /** The realm object that transformed code receives as `$$R`. */
  readonly realmForCode: unknown;
}
