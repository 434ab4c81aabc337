// To look into a recording its program is run again: before, somebody has to agree, but where they have asked for it in a terminal, or have agreed to the very same code before.
import { existsSync } from 'node:fs';
import { dialog } from 'electron';
import { codeOf, type Recent } from './recent.ts';

/** Answers what is agreed to; undefined, if nobody agrees. @param isKnownEnough whether it is enough that they have agreed before: not of what came by a link */
export async function agreedTo(
  place: string,
  recent: Recent,
  isKnownEnough: boolean,
): Promise<{ readonly code: string | undefined } | undefined> {
  if (!existsSync(place)) {
    await dialog.showMessageBox({
      type: 'error',
      message: `There is no ${place}`,
      detail: 'It has been moved, or it is of another computer.',
    });
    return undefined;
  }
  const code = await codeOf(place);
  if (isKnownEnough && recent.isAgreed(place, code)) return { code };
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: `Run the program of ${place} again?`,
    detail:
      'To look into a recording its program is run again on this computer, with the code that the recording carries. Open recordings only of whom you would run a program of.',
    buttons: ['Cancel', 'Run it again'],
    defaultId: 0,
    cancelId: 0,
  });
  return response === 1 ? { code } : undefined;
}
