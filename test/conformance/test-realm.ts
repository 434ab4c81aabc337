/*
 * A test realm is one fresh global in which one variant of one test262 file runs. The native and the transformed
 * realm differ only behind this interface, so that a difference in outcome is a difference of the transform.
 * Compiling and linking are steps of their own: negative tests name the phase in which they must fail.
 */

export type TestRealm = {
  readonly global: Record<string, unknown>;
  /** A harness file: evaluated as it stands, as a script of this realm. */
  harness(source: string, file: string): void;
  script(source: string, file: string): { run(): unknown };
  module(source: string, file: string): { link(): void; evaluate(): Promise<unknown> };
  /** Where there is no code of the test on the stack: its program may go on elsewhere from here. */
  interrupt?(): void;
  /** What went wrong with that. */
  readonly failure?: { readonly reason: string; readonly detail: string } | undefined;
};

export type TestRealmOptions = {
  readonly print: (text: string) => void;
  /** Called when the test has a construct that the transform refuses to users (and that is left native here). */
  readonly onRefusal?: (construct: 'eval' | 'with') => void;
  /** Called when the test uses what cannot be captured by nature. */
  readonly onExclusion?: (reason: string) => void;
  /** Called when the test's program goes on elsewhere. */
  readonly onInterruption?: () => void;
};

export type OpenTestRealm = (options: TestRealmOptions) => TestRealm;
