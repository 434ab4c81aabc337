// What a command says when it cannot do what it is asked to: what has a code is told in a line, anything else is a defect of ours and thrown on.
import type { Override } from '@turntable/time-machine/protocol';

interface Failure {
  readonly code?: unknown;
  readonly message?: string;
  readonly overrides?: readonly Override[];
}

/** Behind why something is not done. */
export const FORCE_HINT = 'to try it all the same: --force';

/** Answers the exit code. `place`: what it is about, unless the error says it. */
export function reportFailure(command: string, path: string | undefined, error: unknown): number {
  const { code, message, overrides } = (error ?? {}) as Failure;
  if (typeof code !== 'string') throw error;
  const hint = overrides?.includes('force') === true ? `\n${FORCE_HINT}` : '';
  process.stderr.write(`turntable ${command}: ${path === undefined ? '' : `${path}: `}${message}${hint}\n`);
  return 1;
}

/** Reports what is wrong with the arguments of a command; returns the exit code. */
export function reportUsageError(command: string, problem: string | undefined): number {
  process.stderr.write(`turntable ${command}: ${problem}\n`);
  return 2;
}
