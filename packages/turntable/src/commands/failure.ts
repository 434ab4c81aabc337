// Reports why a command failed. An error with a code is reported in one line; any other error is a defect and is
// thrown.
import type { Override } from '@turntable/time-machine/protocol';
import { printError } from '../printing.ts';

interface Failure {
  readonly code?: unknown;
  readonly message?: string;
  readonly overrides?: readonly Override[];
}

/** Hint after the reason of a refusal that --force overrides. */
export const FORCE_HINT = 'try it anyway with --force';

/** Reports an error; returns the exit code. @param path the recording, unless the message already names it */
export function reportFailure(command: string, path: string | undefined, error: unknown): number {
  const { code, message, overrides } = (error ?? {}) as Failure;
  if (typeof code !== 'string') throw error;
  const hint = overrides?.includes('force') === true ? `\n${FORCE_HINT}` : '';
  printError(`turntable ${command}: ${path === undefined ? '' : `${path}: `}${message}${hint}\n`);
  return 1;
}

/** Reports a usage problem; returns the exit code. */
export function reportUsageError(command: string, problem: string | undefined): number {
  printError(`turntable ${command}: ${problem}\nRun turntable ${command} --help\n`);
  return 2;
}

/** Warns about an old name of a command, flag or variable. */
export function warnRenamed(oldName: string, newName: string): void {
  printError(`turntable: ${oldName} is now ${newName}; the next release removes the old name\n`);
}
