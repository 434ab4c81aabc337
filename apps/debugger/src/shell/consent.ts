// Consent of the user. Opening a recording runs its program, so the user must agree first, unless the user opened it
// from a terminal or has agreed to the same code before.
import { existsSync } from 'node:fs';
import { dialog } from 'electron';
import { digestCode, type DesktopRecents } from './desktop-recents.ts';

/**
 * Asks the user for consent. Resolves with the digest of the code agreed to; with undefined if the user declines.
 * @param canReuseConsent whether earlier consent to the same code is enough; false for links
 */
export async function requestConsent(
  path: string,
  recent: DesktopRecents,
  canReuseConsent: boolean,
): Promise<{ readonly codeDigest: string | undefined } | undefined> {
  if (!existsSync(path)) {
    await dialog.showMessageBox({
      type: 'error',
      message: `${path} does not exist`,
      detail: 'It was moved or deleted, or it is on another computer.',
    });
    return undefined;
  }
  const codeDigest = await digestCode(path);
  if (canReuseConsent && recent.hasConsent(path, codeDigest)) return { codeDigest };
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: `Replay the program of ${path}?`,
    detail:
      'To debug a recording, its program is replayed on this computer, with the code in the recording. Open only recordings from people whose programs you would run.',
    buttons: ['Cancel', 'Replay'],
    defaultId: 0,
    cancelId: 0,
  });
  return response === 1 ? { codeDigest } : undefined;
}
