// What a command says when it cannot do what it is asked to: what has a code is told in a line, anything else is a defect of ours and thrown on.
import type { WayPast } from '@turntable/time-machine/protocol';

interface Failure {
  readonly code?: unknown;
  readonly message?: string;
  readonly waysPast?: readonly WayPast[];
}

/** Behind why something is not done. */
export const FORCE = 'to try it all the same: --force';

/** Answers the exit code. `place`: what it is about, unless the error says it. */
export function toldFailure(command: string, place: string | undefined, error: unknown): number {
  const { code, message, waysPast } = (error ?? {}) as Failure;
  if (typeof code !== 'string') throw error;
  const force = waysPast?.includes('force') === true ? `\n${FORCE}` : '';
  process.stderr.write(`turntable ${command}: ${place === undefined ? '' : `${place}: `}${message}${force}\n`);
  return 1;
}

/** Reports what is wrong with the arguments of a command; returns the exit code. */
export function usageError(command: string, why: string | undefined): number {
  process.stderr.write(`turntable ${command}: ${why}\n`);
  return 2;
}
