// The status bar: the operation in progress, with a button to cancel it, and the last notice or error.
import type { JSX } from 'preact';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { useSelector } from './use-selector.ts';

export function StatusBar({ session }: { readonly session: DebuggerSession }): JSX.Element {
  const busy = useSelector(session, (state) => state.busy);
  const notice = useSelector(session, (state) => state.notice);
  const hello = useSelector(session, (state) => state.hello);
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
            <button type="button" class="plain" aria-label="Dismiss" onClick={() => session.dismissNotice()}>
              ✕
            </button>
          </span>
        )
      )}
      <span class="push" />
      {hello !== undefined && (
        <span class="quiet">
          {hello.taskCount.toLocaleString('en-US')} tasks ·{' '}
          {hello.threads.length === 1 ? '1 thread' : `${hello.threads.length} threads`} ·{' '}
          {((hello.endTime - hello.startTime) / 1000).toFixed(3)} s
        </span>
      )}
    </footer>
  );
}
