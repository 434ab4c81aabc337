// The header: the recording and its verdict, the current position, and back and forward in the history of positions.
import type { JSX } from 'preact';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { ServerHello, SessionState } from '../model/session-state.ts';
import { Logo } from './logo.tsx';
import { formatTime } from './time-line/ticks.ts';
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
        <span class="badge is-error" title="When it was replayed">
          {hello.recording.verdict}
        </span>
      )}
      <div class="cursor-title">
        <button
          type="button"
          class="plain"
          aria-label="Back to where you were"
          title="Back to where you were ([, Alt+Left)"
          disabled={navigation.index <= 0}
          onClick={() => void session.navigate(-1)}
        >
          ←
        </button>
        <button
          type="button"
          class="plain"
          aria-label="Forward again"
          title="Forward again (], Alt+Right)"
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
      <button type="button" class="palette-button" onClick={onPalette} title="Everything that can be done (Ctrl+K)">
        <span>Go to anything</span>
        <kbd>Ctrl K</kbd>
      </button>
      <button type="button" class="plain" aria-label="Light or dark" title="Light or dark" onClick={onTheme}>
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
      <span class="badge" title="The program still runs: recorded up to this time">
        until {time}
      </span>
      <button
        type="button"
        class="plain"
        title="What the program has recorded by now; it is not stopped"
        onClick={() => void session.refresh()}
      >
        Now
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
