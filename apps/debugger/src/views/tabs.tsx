// The tabs of a pane, with the shown one selected.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import type { DebuggerSession } from '../model/debugger-session.ts';
import { formatKey } from '../model/commands.ts';
import type { Panes } from '../model/panes.ts';
import { WINDOW_KEYS } from '../model/window-keys.ts';
import { useSelector } from './use-selector.ts';

const TABS: { readonly [P in keyof Panes]: readonly (readonly [shown: Panes[P], title: string, tooltip: string])[] } = {
  left: [
    ['turns', 'Turns', 'The turns around here'],
    ['requests', 'Requests', withKey('Requests to services of the program, with their responses', 'requests')],
    ['bookmarks', 'Bookmarks', `Bookmarked positions (${formatKey(WINDOW_KEYS.bookmark)} sets one)`],
  ],
  middle: [
    ['source', 'Source', 'The file where you stand'],
    ['system', 'System', withKey('Message graph', 'messageGraph')],
    ['snapshots', 'Snapshots', withKey('Contents of snapshots by class', 'snapshots')],
  ],
  top: [
    ['variables', 'Variables', 'Of the function where you stand'],
    ['state', 'State', withKey('State of any actor', 'state')],
  ],
  below: [
    ['stack', 'Stack', 'Functions, and turns that have sent what led here'],
    ['writes', 'Origin', 'Origin of a value: press Y on one'],
    ['promises', 'Promises', withKey('Pending promises', 'promises')],
  ],
  bottom: [
    ['expressions', 'Expressions', withKey('Expressions with the variables at this position', 'expression')],
    ['output', 'Output', withKey('Output of the program', 'output')],
    ['search', 'Search', withKey('Search the recording', 'search')],
  ],
};

function withKey(text: string, action: keyof typeof WINDOW_KEYS): string {
  return `${text} (${formatKey(WINDOW_KEYS[action])})`;
}

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
