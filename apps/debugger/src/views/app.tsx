// The interface of an open recording: all views of its current position, and the keys that work in all of them.
import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MoveCommand } from '../model/commands.ts';
import type { RecordingOpener } from '../model/opener.ts';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { Panes } from '../model/panes.ts';
import { WINDOW_KEYS } from '../model/window-keys.ts';
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
import { TimelineView } from './timeline/timeline.tsx';
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
      <TimelineView session={session} />
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
    {
      title: 'Go back to the previous position',
      key: WINDOW_KEYS.previousPosition,
      run: () => void session.navigate(-1),
    },
    { title: 'Go forward to the next position', key: WINDOW_KEYS.nextPosition, run: () => void session.navigate(1) },
    { title: 'Set a bookmark here', key: WINDOW_KEYS.bookmark, run: () => void session.bookmarks.add('') },
    {
      title: 'Show the write history of a value',
      key: WINDOW_KEYS.writeHistory,
      run: () => {
        session.showPanes({ below: 'writes' });
        session.showNotice('Select a value, or put the caret on a name in the source, then press Y.');
      },
    },
    {
      title: 'Go to the statement that sent this message',
      key: WINDOW_KEYS.send,
      run: () => void session.moveToSend(),
    },
    toggle('Show the state of an actor, or variables', WINDOW_KEYS.state, 'top', 'state', 'variables'),
    toggle('Show the message graph, or the source', WINDOW_KEYS.messageGraph, 'middle', 'system', 'source'),
    toggle('Show requests, or tasks', WINDOW_KEYS.requests, 'left', 'requests', 'turns'),
    {
      title: 'Show failed requests',
      run: () => {
        session.showPanes({ left: 'requests' });
        void session.requests.setQuery({ filter: 'failed' });
      },
    },
    toggle('Show pending promises, or the stack', WINDOW_KEYS.promises, 'below', 'promises', 'stack'),
    toggle('Show output, or expressions', WINDOW_KEYS.output, 'bottom', 'output', 'expressions'),
    toggle('Show snapshots, or the source', WINDOW_KEYS.snapshots, 'middle', 'snapshots', 'source'),
    {
      title: 'Search the recording',
      key: WINDOW_KEYS.search,
      run: () => {
        session.showPanes({ bottom: 'search' });
        // The input exists only after the tab has been rendered.
        requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#search')?.select());
      },
    },
    {
      title: 'Evaluate an expression',
      key: WINDOW_KEYS.expression,
      run: () => {
        session.showPanes({ bottom: 'expressions' });
        // The input exists only after the tab has been rendered.
        requestAnimationFrame(() => document.querySelector<HTMLElement>('#expression')?.focus());
      },
    },
    {
      title: 'Move the focus to the timeline',
      key: WINDOW_KEYS.timeline,
      run: () => document.querySelector<HTMLElement>('.plot canvas')?.focus(),
    },
    { title: 'Switch between light and dark', run: toggleTheme },
    { title: 'Show the whole recording', run: () => session.focusOn(undefined) },
  ];
}

function openerActions(opener: RecordingOpener | undefined): PaletteAction[] {
  if (opener === undefined) return [];
  return [
    { title: 'Open a recording directory', run: () => void opener.pick('directory') },
    { title: 'Open a packed recording (.ttr)', run: () => void opener.pick('file') },
    { title: 'Show recent recordings', run: () => void opener.showStartPage() },
  ];
}
