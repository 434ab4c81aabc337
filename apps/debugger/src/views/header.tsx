// Of which recording, where in it, and back and forward through where one has been.
import type { JSX } from 'preact';
import type { Session } from '../model/session.ts';
import type { Hello, State } from '../model/state.ts';
import { Mark } from './mark.tsx';
import { timeText } from './time-line/ticks.ts';
import { useSelected } from './use-selected.ts';

interface HeaderProps {
  readonly session: Session;
  readonly onPalette: () => void;
  readonly onTheme: () => void;
}

export function Header({ session, onPalette, onTheme }: HeaderProps): JSX.Element {
  const hello = useSelected(session, (state) => state.hello);
  const where = useSelected(session, (state) => state.where);
  const trail = useSelected(session, (state) => state.trail);
  return (
    <header class="head">
      <Mark />
      <h1 title={hello?.recording.name}>
        {hello === undefined ? 'Turntable' : hello.recording.name.split('/').at(-1)}
      </h1>
      {hello?.recording.until !== undefined && <SoFar session={session} until={hello.recording.until} />}
      {hello !== undefined && isOtherwise(hello.recording) && (
        <span class="badge is-error" title="When it was run again">
          {hello.recording.verdict}
        </span>
      )}
      <div class="place">
        <button
          type="button"
          class="plain"
          aria-label="Back to where you were"
          title="Back to where you were ([, Alt+Left)"
          disabled={trail.at <= 0}
          onClick={() => void session.turn(-1)}
        >
          ←
        </button>
        <button
          type="button"
          class="plain"
          aria-label="Forward again"
          title="Forward again (], Alt+Right)"
          disabled={trail.at >= trail.places.length - 1}
          onClick={() => void session.turn(1)}
        >
          →
        </button>
        <output class="position" aria-label="Position">
          {where?.position}
        </output>
        <span class="title">{placeText({ where, hello })}</span>
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

/** What goes on is cut off wherever it is looked at. */
function isOtherwise({ verdict, until }: Hello['recording']): boolean {
  return verdict !== 'same' && (until === undefined || verdict !== 'truncated');
}

/** The program goes on: until when this is what it has recorded. */
function SoFar({ session, until }: { readonly session: Session; readonly until: number }): JSX.Element {
  const time = new Date(until).toLocaleTimeString();
  return (
    <>
      <span class="badge" title="The program goes on: what it has recorded until then">
        until {time}
      </span>
      <button
        type="button"
        class="plain"
        title="What the program has recorded by now; it is not stopped"
        onClick={() => void session.renew()}
      >
        Now
      </button>
    </>
  );
}

function placeText({ where, hello }: Pick<State, 'where' | 'hello'>): string {
  if (where === undefined || hello === undefined) return '';
  const { stretch } = where;
  if (stretch === undefined) return 'the end of the recording';
  return `${stretch.title} · ${timeText(stretch.time - hello.begins)}`;
}
