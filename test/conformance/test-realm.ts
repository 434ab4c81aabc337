/*
 * A test realm is a fresh global that runs one variant of one test262 file. The native and the transformed realm have
 * the same interface, so that a different result is a difference of the transform. Compiling and linking are separate
 * steps: negative tests name the phase in which they must fail.
 */

export type TestRealm = {
  readonly global: Record<string, unknown>;
  /** Evaluates a harness file unchanged, as a script of this realm. */
  harness(source: string, file: string): void;
  script(source: string, file: string): { run(): unknown };
  module(source: string, file: string): { link(): void; evaluate(): Promise<unknown> };
  /** Moves the program to another realm. Called while no code of the test is on the stack. */
  interrupt?(): void;
  /** The failure of an interruption. */
  readonly failure?: { readonly reason: string; readonly detail: string } | undefined;
};

export type TestRealmOptions = {
  readonly print: (text: string) => void;
  /** Called when the test uses a construct that the transform refuses to users and that stays native here. */
  readonly onRefusal?: (construct: 'eval' | 'with') => void;
  /** Called when the test's state cannot be captured in principle. */
  readonly onExclusion?: (reason: string) => void;
  /** Called when the program has moved to another realm. */
  readonly onInterruption?: () => void;
};

export type OpenTestRealm = (options: TestRealmOptions) => TestRealm;
