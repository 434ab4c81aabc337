// What is under way and can be given up, and what could not be done.
import type { JSX } from 'preact';
import type { Session } from '../model/session.ts';
import { useSelected } from './use-selected.ts';

export function Status({ session }: { readonly session: Session }): JSX.Element {
  const busy = useSelected(session, (state) => state.busy);
  const notice = useSelected(session, (state) => state.notice);
  const hello = useSelected(session, (state) => state.hello);
  return (
    <footer class="status">
      {busy !== undefined ? (
        <span class="busy appears" role="status">
          <span class="busy-title">{busy.title}</span>
          {busy.total > 0 ? <progress value={busy.done} max={busy.total} /> : <progress />}
          <button type="button" class="plain" onClick={() => session.cancel()}>
            Cancel <kbd>Esc</kbd>
          </button>
        </span>
      ) : (
        notice !== undefined && (
          <span class={notice.isError ? 'notice is-error' : 'notice'} role={notice.isError ? 'alert' : 'status'}>
            {notice.text}
            <button type="button" class="plain" aria-label="Dismiss" onClick={() => session.dismiss()}>
              ✕
            </button>
          </span>
        )
      )}
      <span class="push" />
      {hello !== undefined && (
        <span class="quiet">
          {hello.stretches.toLocaleString('en-US')} turns ·{' '}
          {hello.threads.length === 1 ? '1 thread' : `${hello.threads.length} threads`} ·{' '}
          {((hello.ends - hello.begins) / 1000).toFixed(3)} s
        </span>
      )}
    </footer>
  );
}
