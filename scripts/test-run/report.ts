// Structured report of one Vitest run on one Node version: what the reporter writes and the test command reads. It
// holds everything that decides whether a failed file may be flaky, so that the decision needs nothing else.

/** An error as Vitest serializes it, without its causes nested. */
export interface ErrorReport {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
  readonly diff: string;
  /** Own property of the error, such as `TT_DIVERGED` or `ETIMEDOUT`. */
  readonly code: string | number | undefined;
  /** Signal that ended the child process which the error is about. */
  readonly signal: string | undefined;
  /** Whether the test's own process sent that signal, for instance when its timeout for the child was over. */
  readonly wasKilled: boolean;
  readonly expected: string | undefined;
  readonly actual: string | undefined;
}

export type TestState = 'passed' | 'failed' | 'skipped';

export interface TestReport {
  readonly id: string;
  /** Names of the suites and of the test, joined by ` > `. */
  readonly name: string;
  readonly state: TestState;
  readonly durationMs: number;
  readonly errors: readonly ErrorReport[];
}

/** A piece of text that the test file's console or one of its child processes wrote. */
export interface OutputReport {
  readonly source: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Ids of the tests that were running then; empty in hooks of suites and while the module is loaded. */
  readonly during: readonly string[];
  readonly text: string;
}

/** A child process of the test file's process. */
export interface ChildReport {
  readonly pid: number | undefined;
  readonly command: string;
  /** Whether it had ended when the file ended. */
  readonly hasEnded: boolean;
  /** Ids of the tests that were running when it ended. */
  readonly endedDuring: readonly string[];
  readonly code: number | null;
  readonly signal: string | null;
  /** Whether the test's own process sent a signal to it. */
  readonly wasKilled: boolean;
}

export interface ProcessReport {
  readonly pid: number;
  readonly command: string;
}

export interface FileReport {
  /** Path from the root of the repository, with `/`. */
  readonly file: string;
  readonly node: number;
  readonly state: TestState;
  readonly durationMs: number;
  readonly tests: readonly TestReport[];
  /** Errors of the module, of suites and of their hooks. */
  readonly errors: readonly ErrorReport[];
  readonly output: readonly OutputReport[];
  readonly children: readonly ChildReport[];
  /** Processes that the file started and that outlived it; undefined where the system cannot tell. */
  readonly processesLeft: readonly ProcessReport[] | undefined;
}

export interface RunReport {
  readonly files: readonly FileReport[];
  /** Errors that Vitest could assign to no test or hook, such as unhandled rejections and lost test workers. */
  readonly errorsOutsideTests: readonly ErrorReport[];
}

/** Observations of a test worker, written if its file failed or is a rerun. */
export type Observed = Pick<FileReport, 'output' | 'children'>;
