// The header: the recording and its verdict, the current position, and back and forward in the history of positions.
import type { JSX } from 'preact';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { ServerHello, SessionState } from '../model/session-state.ts';
import { Logo } from './logo.tsx';
import { formatTime } from './timeline/ticks.ts';
import { useSelector } from './use-selector.ts';

interface HeaderProps {
  readonly session: DebuggerSession;
  readonly onPalette: () => void;
  readonly onTheme: () => void;
}

export function Header({ session, onPalette, onTheme }: HeaderProps): JSX.Element {
  const hello = useSelector(session, (state) => state.hello);
  const cursor = useSelector(session, (state) => state.cursor);
  const navigation = useSelector(session, (state) => state.navigation);
  return (
    <header class="head">
      <Logo />
      <h1 title={hello?.recording.name}>
        {hello === undefined ? 'Turntable' : hello.recording.name.split('/').at(-1)}
      </h1>
      {hello?.recording.until !== undefined && <LiveStatus session={session} until={hello.recording.until} />}
      {hello !== undefined && shouldShowVerdict(hello.recording) && (
        <span class="badge is-error" title="Result of the replay">
          {hello.recording.verdict}
        </span>
      )}
      <div class="cursor-title">
        <button
          type="button"
          class="plain"
          aria-label="Go back to the previous position"
          title="Go back to the previous position ([, Alt+Left)"
          disabled={navigation.index <= 0}
          onClick={() => void session.navigate(-1)}
        >
          ←
        </button>
        <button
          type="button"
          class="plain"
          aria-label="Go forward to the next position"
          title="Go forward to the next position (], Alt+Right)"
          disabled={navigation.index >= navigation.positions.length - 1}
          onClick={() => void session.navigate(1)}
        >
          →
        </button>
        <output class="position" aria-label="Position">
          {cursor?.position}
        </output>
        <span class="title">{cursorTitle({ cursor, hello })}</span>
      </div>
      <button type="button" class="palette-button" onClick={onPalette} title="All commands (Ctrl+K)">
        <span>Commands</span>
        <kbd>Ctrl K</kbd>
      </button>
      <button
        type="button"
        class="plain"
        aria-label="Switch between light and dark"
        title="Switch between light and dark"
        onClick={onTheme}
      >
        ◐
      </button>
    </header>
  );
}

/** Whether to show the verdict: not if it is good, nor if only the end of a running program's recording is missing. */
function shouldShowVerdict({ verdict, until }: ServerHello['recording']): boolean {
  return verdict !== 'same' && (until === undefined || verdict !== 'truncated');
}

/** The time up to which a running program's recording is shown, with a button to read its latest events. */
function LiveStatus({ session, until }: { readonly session: DebuggerSession; readonly until: number }): JSX.Element {
  const time = new Date(until).toLocaleTimeString();
  return (
    <>
      <span class="badge" title="Recorded until this time; the program is running">
        until {time}
      </span>
      <button
        type="button"
        class="plain"
        title="Read the latest events; the program keeps running"
        onClick={() => void session.refresh()}
      >
        Latest
      </button>
    </>
  );
}

function cursorTitle({ cursor, hello }: Pick<SessionState, 'cursor' | 'hello'>): string {
  if (cursor === undefined || hello === undefined) return '';
  const { task } = cursor;
  if (task === undefined) return 'the end of the recording';
  return `${task.title} · ${formatTime(task.time - hello.startTime)}`;
}
