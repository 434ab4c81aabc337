// The window: all views of one position, and the keys that hold everywhere.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MoveCommand } from '../model/commands.ts';
import type { Opener } from '../model/opener.ts';
import type { Session } from '../model/session.ts';
import type { Panes } from '../model/panes.ts';
import { StateView } from './actor-state.tsx';
import { BookmarksView } from './bookmarks.tsx';
import { BreakpointsView } from './breakpoints.tsx';
import { ConsoleView } from './console.tsx';
import { Header } from './header.tsx';
import { isTyping } from './keys.ts';
import { MovesBar } from './moves-bar.tsx';
import { OriginView } from './origin.tsx';
import { Palette, type Action } from './palette.tsx';
import { PromisesView } from './promises.tsx';
import { RequestsView } from './requests.tsx';
import { SequenceView } from './sequence.tsx';
import { SnapshotsView } from './snapshots.tsx';
import { SourceView } from './source.tsx';
import { StackView } from './stack.tsx';
import { Lost } from './lost.tsx';
import { Status } from './status.tsx';
import { SystemView } from './system.tsx';
import { turnTheme } from './theme.ts';
import { TimeLineView } from './time-line/time-line.tsx';
import { useSelected } from './use-selected.ts';
import { ValuesView } from './values.tsx';

interface PaletteShown {
  readonly first: MoveCommand | undefined;
}

interface AppProps {
  readonly session: Session;
  /** Of other recordings, where there can be any. */
  readonly opener?: Opener | undefined;
}

export function App({ session, opener }: AppProps): JSX.Element {
  const [palette, setPalette] = useState<PaletteShown>();
  const panes = useSelected(session, (state) => state.panes);
  const actions = useMemo(() => [...ownActions(session), ...openActions(opener)], [session, opener]);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog[open]') !== null) return;
      if ((event.key === 'k' && (event.ctrlKey || event.metaKey)) || event.key === 'F1')
        setPalette({ first: undefined });
      else if (event.altKey && event.key === 'ArrowLeft') void session.turn(-1);
      else if (event.altKey && event.key === 'ArrowRight') void session.turn(1);
      else if (event.ctrlKey || event.metaKey || event.altKey) return;
      else if (event.key === 'Escape') session.escape();
      else if (isTyping(event)) return;
      else if (!keyDone(event, session, actions, (first) => setPalette({ first }))) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [session, actions]);

  return (
    <div class="window">
      <Header session={session} onPalette={() => setPalette({ first: undefined })} onTheme={turnTheme} />
      <MovesBar session={session} />
      <TimeLineView session={session} />
      <main class="panes">
        <Left session={session} shown={panes.left} />
        <div class="middle">
          <Middle session={session} shown={panes.middle} />
          <ConsoleView session={session} />
        </div>
        <div class="side">
          {panes.top === 'variables' ? <ValuesView session={session} /> : <StateView session={session} />}
          <Below session={session} shown={panes.below} />
          <BreakpointsView session={session} />
        </div>
      </main>
      <Status session={session} />
      <Lost session={session} opener={opener} />
      {palette !== undefined && (
        <Palette session={session} actions={actions} first={palette.first} onClose={() => setPalette(undefined)} />
      )}
    </div>
  );
}

interface PlaceProps<P extends keyof Panes> {
  readonly session: Session;
  readonly shown: Panes[P];
}

function Left({ session, shown }: PlaceProps<'left'>): JSX.Element {
  if (shown === 'turns') return <SequenceView session={session} />;
  return shown === 'requests' ? <RequestsView session={session} /> : <BookmarksView session={session} />;
}

function Middle({ session, shown }: PlaceProps<'middle'>): JSX.Element {
  if (shown === 'source') return <SourceView session={session} />;
  return shown === 'system' ? <SystemView session={session} /> : <SnapshotsView session={session} />;
}

function Below({ session, shown }: PlaceProps<'below'>): JSX.Element {
  if (shown === 'stack') return <StackView session={session} />;
  return shown === 'origin' ? <OriginView session={session} /> : <PromisesView session={session} />;
}

function keyDone(
  event: KeyboardEvent,
  session: Session,
  actions: readonly Action[],
  ask: (command: MoveCommand) => void,
): boolean {
  const own = actions.find(({ key }) => key === event.key);
  if (own !== undefined) {
    own.run();
    return true;
  }
  const command = session.state.commands.find(({ key }) => key === event.key);
  if (command === undefined) return false;
  if (command.needs) ask(command);
  else void session.go(command);
  return true;
}

function ownActions(session: Session): Action[] {
  const toggle = <P extends keyof Panes>(
    title: string,
    key: string,
    place: P,
    one: Panes[P],
    other: Panes[P],
  ): Action => ({
    title,
    key,
    run: () => session.show({ [place]: session.state.panes[place] === one ? other : one }),
  });
  return [
    { title: 'Back to where you were', key: '[', run: () => void session.turn(-1) },
    { title: 'Forward again', key: ']', run: () => void session.turn(1) },
    { title: 'Mark where you stand with a bookmark', key: 'k', run: () => void session.bookmarks.add('') },
    {
      title: 'Who last wrote this value (on one, or on a name in the source)',
      key: 'y',
      run: () => {
        session.show({ below: 'origin' });
        session.say('Choose a value, or put the caret into a name in the source, and press Y there.');
      },
    },
    { title: 'Go to the statement that has sent this', key: 'f', run: () => void session.goToSending() },
    toggle('State of an actor, or variables', 'u', 'top', 'state', 'variables'),
    toggle('Who sends to whom, or the source', 'z', 'middle', 'system', 'source'),
    toggle('Requests, or the turns around here', 'q', 'left', 'requests', 'turns'),
    {
      title: 'Requests that failed',
      run: () => {
        session.show({ left: 'requests' });
        void session.requests.wish({ which: 'failed' });
      },
    },
    toggle('Promises that somebody waits for here, or the stack', '.', 'below', 'promises', 'stack'),
    toggle('What the program printed, or expressions', ';', 'bottom', 'output', 'expressions'),
    toggle('Snapshots and what they hold, or the source', ',', 'middle', 'snapshots', 'source'),
    {
      title: 'Find a text in the recording',
      key: '/',
      run: () => {
        session.show({ bottom: 'search' });
        // When it is there.
        requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#search')?.select());
      },
    },
    {
      title: 'Evaluate an expression',
      key: 'x',
      run: () => {
        session.show({ bottom: 'expressions' });
        // When it is there.
        requestAnimationFrame(() => document.querySelector<HTMLElement>('#expression')?.focus());
      },
    },
    {
      title: 'Point at turns in the time line',
      key: 'l',
      run: () => document.querySelector<HTMLElement>('.plot canvas')?.focus(),
    },
    { title: 'Switch between light and dark', run: turnTheme },
    { title: 'Show all again, and not a piece of the recording', run: () => session.focusOn(undefined) },
  ];
}

function openActions(opener: Opener | undefined): Action[] {
  if (opener === undefined) return [];
  return [
    { title: 'Open another recording, a directory', run: () => void opener.choose('directory') },
    { title: 'Open another recording, a packed one (.ttr)', run: () => void opener.choose('file') },
    { title: 'Recordings that were opened lately', run: () => void opener.startAgain() },
  ];
}
