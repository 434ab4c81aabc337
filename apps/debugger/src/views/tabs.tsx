// The tabs of a pane, with the shown one selected.
import type { JSX, TargetedKeyboardEvent } from 'preact';
import type { DebuggerSession } from '../model/debugger-session.ts';
import type { Panes } from '../model/panes.ts';
import { useSelector } from './use-selector.ts';

const TABS: { readonly [P in keyof Panes]: readonly (readonly [shown: Panes[P], title: string, tooltip: string])[] } = {
  left: [
    ['turns', 'Turns', 'The turns around here'],
    ['requests', 'Requests', 'To services of the program, with their answers (Q)'],
    ['bookmarks', 'Bookmarks', 'Places that you have marked (K marks one)'],
  ],
  middle: [
    ['source', 'Source', 'The file where you stand'],
    ['system', 'System', 'Message graph (Z)'],
    ['snapshots', 'Snapshots', 'What each holds, by classes (,)'],
  ],
  top: [
    ['variables', 'Variables', 'Of the function where you stand'],
    ['state', 'State', 'Of any actor (U)'],
  ],
  below: [
    ['stack', 'Stack', 'Functions, and turns that have sent what led here'],
    ['writes', 'Origin', 'Where a value comes from: press Y on one'],
    ['promises', 'Promises', 'Pending promises (.)'],
  ],
  bottom: [
    ['expressions', 'Expressions', 'With the variables where you stand (X)'],
    ['output', 'Output', 'What the program printed (;)'],
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
