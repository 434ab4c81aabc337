// What module records need of the rest of core: frames and eventuals.

/** As much of core's `Frame` as module evaluation uses. */
export interface ModuleFrame {
  pc: number;
  s0: unknown;
  s1: unknown;
}

export type ModuleStep = (frame: ModuleFrame, value: unknown, how: 0 | 1 | 2) => unknown;

/** The eventual operations evaluation is built on: settled by core itself, never through a patched `then`. */
export interface ModuleRealm {
  createFrame(step: ModuleStep): ModuleFrame;
  /** Runs the first step of `frame` now; the eventual of its end. */
  async(frame: ModuleFrame): object;
  /** Suspends `frame` at point `k` until `value` has settled. */
  await(frame: ModuleFrame, k: number, value: unknown): unknown;
  createEventual(): object;
  resolveEventual(eventual: object, value: unknown): void;
  rejectEventual(eventual: object, reason: unknown): void;
  /** The realm object handed to transformed code as `$$R`. */
  readonly realmForCode: unknown;
}
