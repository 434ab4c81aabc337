// The dialog shown when the connection is lost or the recording was refused: the reason, and buttons for the overrides
// with which the server would open the recording.
import type { Override } from '@turntable/time-machine/protocol';
import type { JSX } from 'preact';
import type { RecordingOpener } from '../model/opener.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { useSelector } from './use-selector.ts';

/** Labels of the buttons. Overrides of a newer server may be missing here. */
const OVERRIDE_TITLES: Readonly<Record<Override, string>> = {
  force: 'Open anyway',
  key: 'Choose the key…',
};

interface LostDialogProps {
  readonly session: DebuggerSession;
  readonly opener: RecordingOpener | undefined;
}

export function LostDialog({ session, opener }: LostDialogProps): JSX.Element | null {
  const stage = useSelector(session, (state) => state.stage);
  const reason = useSelector(session, (state) => state.lostReason);
  const refusal = useSelector(session, (state) => state.refusal);
  if (stage !== 'lost') return null;
  const overrides = (refusal?.overrides ?? []).filter((override) => Object.hasOwn(OVERRIDE_TITLES, override));
  return (
    <div class="lost-dialog" role="alertdialog" aria-labelledby="lost-title" aria-describedby="lost-reason">
      <h2 id="lost-title">
        {refusal === undefined ? 'The connection to the debugger was lost' : 'This recording cannot be opened'}
      </h2>
      <p id="lost-reason" class="error-reason">
        {refusal?.reason ?? reason}
      </p>
      {refusal === undefined && opener === undefined && (
        <p class="quiet">
          If it has ended, run turntable debug DIR --browser again, and open the address that it prints.
        </p>
      )}
      <div class="dialog-actions">
        {overrides.map((override) => (
          <button key={override} type="button" class="main" onClick={() => void session.open(override)}>
            {OVERRIDE_TITLES[override]}
          </button>
        ))}
        <button
          type="button"
          class={overrides.length === 0 ? 'main' : 'other'}
          autofocus={overrides.length === 0}
          onClick={() => void session.open()}
        >
          {refusal === undefined ? 'Reconnect' : 'Try again'}
        </button>
        {opener !== undefined && (
          <button type="button" class="other" onClick={() => void opener.showStartPage()}>
            Open another recording…
          </button>
        )}
      </div>
    </div>
  );
}
