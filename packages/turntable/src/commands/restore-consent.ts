// Consent to `turntable restore`. A restored program has all rights of the user, so the user confirms it: in the
// terminal, or by the hash of the recording. Each restore needs consent; nothing is remembered.
import { isatty } from 'node:tty';
import { digestCode } from '@turntable/recording/code-digest';
import { sanitizeText } from '@turntable/replayer/entry';
import { printError } from '../printing.ts';
import { readLine } from '../read-line.ts';

/** What a restore would run. */
export interface RestoreSubject {
  /** Path of a recording or state. */
  readonly path: string;
  /** The snapshot of a recording; undefined for a state. */
  readonly phase: number | undefined;
  /** Main file; undefined if it is unknown. */
  readonly program: string | undefined;
  /** When the recording started, or when the state was written. */
  readonly time: string;
}

class ConsentError extends Error {
  readonly code = 'TT_CONSENT';
}

/**
 * Resolves if the user agrees to run the subject. @throws otherwise
 * @param confirmedHash hash that the user has given instead of an answer
 */
export async function requireConsent(subject: RestoreSubject, confirmedHash: string | undefined): Promise<void> {
  const hash = await digestCode(subject.path);
  if (confirmedHash !== undefined) {
    if (confirmedHash === hash) return;
    throw new ConsentError(`its hash is ${hash}, not that of --yes; it has changed, or is another recording`);
  }
  if (!isatty(0) || !isatty(2))
    throw new ConsentError(
      `the program would run with all your rights, and there is no terminal on which to confirm it; confirm this version with --yes ${hash}, or any version of your own program with --trusted`,
    );
  printError(questionText(subject));
  if (!/^y(?:es)?$/i.test(readLine())) throw new ConsentError('not restored');
  if ((await digestCode(subject.path)) !== hash)
    throw new ConsentError('it changed while the question was open; run the command again');
}

function questionText({ path, phase, program, time }: RestoreSubject): string {
  const lines = [
    `Program:   ${program ?? 'unknown'}`,
    `Recorded:  ${time}${phase === undefined ? '' : `, snapshot ${phase}`}`,
    `From:      ${path}`,
    'The program runs with all your rights and performs real I/O. Restore only programs that you would run.',
  ];
  return `${lines.map((line) => `${sanitizeText(line)}\n`).join('')}Restore it? [y/N] `;
}
