// To look into a recording its program is run again: before, somebody has to agree, but where they have asked for it in a terminal, or have agreed to the very same code before.
import { existsSync } from 'node:fs';
import { dialog } from 'electron';
import { digestCode, type DesktopRecents } from './desktop-recents.ts';

/** Answers what is agreed to; undefined, if nobody agrees. @param canReuseConsent whether it is enough that they have agreed before: not of what came by a link */
export async function requestConsent(
  path: string,
  recent: DesktopRecents,
  canReuseConsent: boolean,
): Promise<{ readonly codeDigest: string | undefined } | undefined> {
  if (!existsSync(path)) {
    await dialog.showMessageBox({
      type: 'error',
      message: `There is no ${path}`,
      detail: 'It has been moved, or it is of another computer.',
    });
    return undefined;
  }
  const codeDigest = await digestCode(path);
  if (canReuseConsent && recent.hasConsent(path, codeDigest)) return { codeDigest };
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: `Run the program of ${path} again?`,
    detail:
      'To look into a recording its program is run again on this computer, with the code that the recording carries. Open recordings only of whom you would run a program of.',
    buttons: ['Cancel', 'Run it again'],
    defaultId: 0,
    cancelId: 0,
  });
  return response === 1 ? { codeDigest } : undefined;
}
