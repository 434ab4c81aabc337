// Consent of the user. Opening a recording runs its program in the sandbox, and the Turntable of its project outside of
// it. The user must agree to both first, unless the user named them in a terminal or has agreed to the same before.
import { existsSync } from 'node:fs';
import { codeDigestOf, type RecentRecordings } from '@turntable/time-machine/recent';
import { dialog } from 'electron';
import { replayConsentText, type ConsentText } from '../consent-text.ts';
import { changeableByOthers, type ConfirmedCommands } from './debug-server-command.ts';

/**
 * Asks the user for consent. Resolves with the digest of the code agreed to; with undefined if the user declines.
 * @param canReuseConsent whether earlier consent to the same code is enough; false for links
 */
export async function requestConsent(
  path: string,
  recent: RecentRecordings,
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
  const codeDigest = await codeDigestOf(path);
  if (canReuseConsent && codeDigest !== undefined && recent.hasConsent(path, codeDigest)) return { codeDigest };
  return (await ask(replayConsentText(path))) ? { codeDigest } : undefined;
}

/** Asks the user whether the Turntable of a project may run. Returns the reason if it may not. */
export async function requestCommand(cli: string, confirmed: ConfirmedCommands): Promise<string | undefined> {
  const shared = changeableByOthers(cli);
  if (shared !== undefined)
    return `other users of this computer can change ${shared}, from which the debugger would run; move the recording, or name a Turntable with TURNTABLE_CLI`;
  if (confirmed.has(cli)) return undefined;
  const isAgreed = await ask({
    question: `Run the Turntable at ${cli}?`,
    detail:
      'A recording is debugged with the Turntable of its project, which can do everything that you can. Run it only if the project is yours or you trust it.',
    action: 'Run',
  });
  if (!isAgreed) return `the Turntable at ${cli} was not confirmed`;
  confirmed.add(cli);
  return undefined;
}

async function ask({ question, detail, action }: ConsentText): Promise<boolean> {
  const buttons = ['Cancel', action];
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: question,
    detail,
    buttons,
    defaultId: 0,
    cancelId: 0,
  });
  return response === 1;
}
