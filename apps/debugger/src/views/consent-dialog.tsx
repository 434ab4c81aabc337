// The dialog that asks before the program of a recording is replayed.
import type { ConsentRequest } from '@turntable/time-machine/recent';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { replayConsentText } from '../consent-text.ts';

interface ConsentDialogProps {
  readonly request: ConsentRequest;
  readonly onAgree: () => void;
  /** Called after each answer, and when the dialog is cancelled. */
  readonly onClose: () => void;
}

export function ConsentDialog({ request, onAgree, onClose }: ConsentDialogProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const { question, detail, action } = replayConsentText(request.path);
  // Only a dialog that is closed, rather than removed, returns the focus.
  const close = (): void => dialog.current?.close();
  return (
    <dialog
      class="consent-dialog"
      ref={dialog}
      role="alertdialog"
      aria-labelledby="consent-question"
      aria-describedby="consent-detail"
      onClose={onClose}
    >
      <h2 id="consent-question">{question}</h2>
      <p id="consent-detail">
        {detail}
        {request.isTrusted && ' The sandbox is off (--trusted): the program can do everything that you can.'}
      </p>
      <div class="dialog-actions">
        <button type="button" class="other" autofocus onClick={close}>
          Cancel
        </button>
        <button
          type="button"
          class="main"
          onClick={() => {
            close();
            onAgree();
          }}
        >
          {action}
        </button>
      </div>
    </dialog>
  );
}
