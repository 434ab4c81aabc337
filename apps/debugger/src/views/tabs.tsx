// The tabs of a pane, with the shown one selected.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { Panes } from '../model/panes.ts';
import { useSelector } from './use-selector.ts';

const TABS: { readonly [P in keyof Panes]: readonly (readonly [shown: Panes[P], title: string, tooltip: string])[] } = {
  left: [
    ['turns', 'Tasks', 'Tasks around the current one'],
    ['requests', 'Requests', 'Requests to services, with their responses (3)'],
    ['bookmarks', 'Bookmarks', 'Bookmarks (B sets one)'],
  ],
  middle: [
    ['source', 'Source', 'The file of the current statement'],
    ['system', 'Messages', 'Message graph (2)'],
    ['snapshots', 'Snapshots', 'Contents of snapshots, by class (6)'],
  ],
  top: [
    ['variables', 'Variables', 'Variables of the selected frame'],
    ['state', 'State', 'State of an actor (1)'],
  ],
  below: [
    ['stack', 'Stack', 'Functions, and the senders of the messages that led here'],
    ['writes', 'Writes', 'Write history of a value (Y)'],
    ['promises', 'Promises', 'Pending promises (4)'],
  ],
  bottom: [
    ['expressions', 'Expressions', 'Evaluate expressions (P)'],
    ['output', 'Output', 'Output of the program (5)'],
    ['search', 'Search', 'Search the recording (/)'],
  ],
};

export function Tabs({
  session,
  pane,
}: {
  readonly session: DebuggerSession;
  readonly pane: keyof Panes;
}): JSX.Element {
  const shown = useSelector(session, ({ panes }) => panes[pane]);
  const titles: readonly (readonly [shown: string, title: string, tooltip: string])[] = TABS[pane];
  const show = (id: string): void => session.showPanes({ [pane]: id } as Partial<Panes>);
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const index = titles.findIndex(([id]) => id === shown) + (event.key === 'ArrowLeft' ? -1 : 1);
    const [next] = titles[(index + titles.length) % titles.length] ?? [];
    if (next !== undefined) show(next);
    event.currentTarget.querySelectorAll('button')[(index + titles.length) % titles.length]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="tabs" role="tablist" onKeyDown={onKeyDown}>
      {titles.map(([id, title, description]) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === shown}
          tabIndex={id === shown ? 0 : -1}
          title={description}
          onClick={() => show(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
