// The interface of an open recording: all views of its current position, and the keys that work in all of them.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MoveCommand } from '../model/commands.ts';
import type { RecordingOpener } from '../model/opener.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { Panes } from '../model/panes.ts';
import { ActorStateView } from './actor-state.tsx';
import { BookmarksView } from './bookmarks.tsx';
import { BreakpointsView } from './breakpoints.tsx';
import { ConsoleView } from './console.tsx';
import { Header } from './header.tsx';
import { isTyping } from './typing.ts';
import { MovesBar } from './moves-bar.tsx';
import { WriteHistoryView } from './write-history.tsx';
import { Palette, type PaletteAction } from './palette.tsx';
import { PromisesView } from './promises.tsx';
import { RequestsView } from './requests.tsx';
import { TurnsView } from './turns.tsx';
import { SnapshotsView } from './snapshots.tsx';
import { SourceView } from './source.tsx';
import { StackView } from './stack.tsx';
import { LostDialog } from './lost-dialog.tsx';
import { StatusBar } from './status.tsx';
import { SystemView } from './system.tsx';
import { toggleTheme } from './theme.ts';
import { TimeLineView } from './time-line/time-line.tsx';
import { useSelector } from './use-selector.ts';
import { VariablesView } from './variables.tsx';

interface PaletteState {
  readonly initialCommand: MoveCommand | undefined;
}

interface AppProps {
  readonly session: DebuggerSession;
  /** Opens other recordings; undefined in a browser, which shows only the recording that it was opened with. */
  readonly opener?: RecordingOpener | undefined;
}

export function DebuggerApp({ session, opener }: AppProps): JSX.Element {
  const [palette, setPalette] = useState<PaletteState>();
  const panes = useSelector(session, (state) => state.panes);
  const actions = useMemo(() => [...sessionActions(session), ...openerActions(opener)], [session, opener]);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog[open]') !== null) return;
      if ((event.key === 'k' && (event.ctrlKey || event.metaKey)) || event.key === 'F1')
        setPalette({ initialCommand: undefined });
      else if (event.altKey && event.key === 'ArrowLeft') void session.navigate(-1);
      else if (event.altKey && event.key === 'ArrowRight') void session.navigate(1);
      else if (event.ctrlKey || event.metaKey || event.altKey) return;
      else if (event.key === 'Escape') session.escape();
      else if (isTyping(event)) return;
      else if (!handleKey(event, session, actions, (first) => setPalette({ initialCommand: first }))) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [session, actions]);

  return (
    <div class="window">
      <Header session={session} onPalette={() => setPalette({ initialCommand: undefined })} onTheme={toggleTheme} />
      <MovesBar session={session} />
      <TimeLineView session={session} />
      <main class="panes">
        <LeftPane session={session} shown={panes.left} />
        <div class="middle">
          <MiddlePane session={session} shown={panes.middle} />
          <ConsoleView session={session} />
        </div>
        <div class="side">
          {panes.top === 'variables' ? <VariablesView session={session} /> : <ActorStateView session={session} />}
          <BelowPane session={session} shown={panes.below} />
          <BreakpointsView session={session} />
        </div>
      </main>
      <StatusBar session={session} />
      <LostDialog session={session} opener={opener} />
      {palette !== undefined && (
        <Palette
          session={session}
          actions={actions}
          initialCommand={palette.initialCommand}
          onClose={() => setPalette(undefined)}
        />
      )}
    </div>
  );
}

interface PaneProps<P extends keyof Panes> {
  readonly session: DebuggerSession;
  readonly shown: Panes[P];
}

function LeftPane({ session, shown }: PaneProps<'left'>): JSX.Element {
  if (shown === 'turns') return <TurnsView session={session} />;
  return shown === 'requests' ? <RequestsView session={session} /> : <BookmarksView session={session} />;
}

function MiddlePane({ session, shown }: PaneProps<'middle'>): JSX.Element {
  if (shown === 'source') return <SourceView session={session} />;
  return shown === 'system' ? <SystemView session={session} /> : <SnapshotsView session={session} />;
}

function BelowPane({ session, shown }: PaneProps<'below'>): JSX.Element {
  if (shown === 'stack') return <StackView session={session} />;
  return shown === 'writes' ? <WriteHistoryView session={session} /> : <PromisesView session={session} />;
}

function handleKey(
  event: KeyboardEvent,
  session: DebuggerSession,
  actions: readonly PaletteAction[],
  requestArguments: (command: MoveCommand) => void,
): boolean {
  const action = actions.find(({ key }) => key === event.key);
  if (action !== undefined) {
    action.run();
    return true;
  }
  const command = session.state.commands.find(({ key }) => key === event.key);
  if (command === undefined) return false;
  if (command.needsArguments) requestArguments(command);
  else void session.runMove(command);
  return true;
}

function sessionActions(session: DebuggerSession): PaletteAction[] {
  const toggle = <P extends keyof Panes>(
    title: string,
    key: string,
    pane: P,
    first: Panes[P],
    second: Panes[P],
  ): PaletteAction => ({
    title,
    key,
    run: () => session.showPanes({ [pane]: session.state.panes[pane] === first ? second : first }),
  });
  return [
    { title: 'Back to where you were', key: '[', run: () => void session.navigate(-1) },
    { title: 'Forward again', key: ']', run: () => void session.navigate(1) },
    { title: 'Mark where you stand with a bookmark', key: 'k', run: () => void session.bookmarks.add('') },
    {
      title: 'Who last wrote this value (on one, or on a name in the source)',
      key: 'y',
      run: () => {
        session.showPanes({ below: 'writes' });
        session.showNotice('Choose a value, or put the caret into a name in the source, and press Y there.');
      },
    },
    { title: 'Go to the statement that has sent this', key: 'f', run: () => void session.moveToSend() },
    toggle('State of an actor, or variables', 'u', 'top', 'state', 'variables'),
    toggle('Message graph, or the source', 'z', 'middle', 'system', 'source'),
    toggle('Requests, or the turns around here', 'q', 'left', 'requests', 'turns'),
    {
      title: 'Requests that failed',
      run: () => {
        session.showPanes({ left: 'requests' });
        void session.requests.setQuery({ filter: 'failed' });
      },
    },
    toggle('Pending promises, or the stack', '.', 'below', 'promises', 'stack'),
    toggle('What the program printed, or expressions', ';', 'bottom', 'output', 'expressions'),
    toggle('Snapshots and their contents, or the source', ',', 'middle', 'snapshots', 'source'),
    {
      title: 'Find a text in the recording',
      key: '/',
      run: () => {
        session.showPanes({ bottom: 'search' });
        // The input exists only after the tab has been rendered.
        requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#search')?.select());
      },
    },
    {
      title: 'Evaluate an expression',
      key: 'x',
      run: () => {
        session.showPanes({ bottom: 'expressions' });
        // The input exists only after the tab has been rendered.
        requestAnimationFrame(() => document.querySelector<HTMLElement>('#expression')?.focus());
      },
    },
    {
      title: 'Point at turns in the time line',
      key: 'l',
      run: () => document.querySelector<HTMLElement>('.plot canvas')?.focus(),
    },
    { title: 'Switch between light and dark', run: toggleTheme },
    { title: 'Show all again, and not a piece of the recording', run: () => session.focusOn(undefined) },
  ];
}

function openerActions(opener: RecordingOpener | undefined): PaletteAction[] {
  if (opener === undefined) return [];
  return [
    { title: 'Open another recording, a directory', run: () => void opener.pick('directory') },
    { title: 'Open another recording, a packed one (.ttr)', run: () => void opener.pick('file') },
    { title: 'Recordings that were opened lately', run: () => void opener.showStartPage() },
  ];
}
