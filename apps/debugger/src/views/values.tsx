// The variables where one stands, or of a function that waits there for another one.
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { AskedAt } from '../model/origin.ts';
import type { Session } from '../model/session.ts';
import { Tabs } from './tabs.tsx';
import { TreeView, type Asking } from './tree-view.tsx';
import { useSelected } from './use-selected.ts';

export function ValuesView({ session }: { readonly session: Session }): JSX.Element {
  const tree = useSelected(session, (state) => state.tree);
  const where = useSelected(session, (state) => state.where);
  const isLooking = useSelected(session, (state) => state.isLooking);
  const frame = useSelected(session, (state) => (state.frame === 0 ? undefined : state.frames[state.frame]));
  const asking = useMemo(() => askingOf(session), [session]);
  return (
    <section class="pane values" aria-label="Variables" aria-busy={isLooking}>
      <header class="pane-head">
        <Tabs session={session} place="top" />
        {frame !== undefined && (
          <span class="badge is-relation">
            {frame.function === '' ? 'the file itself' : frame.function}
            <button
              type="button"
              class="plain"
              aria-label="Back to the innermost function"
              title="Back to the innermost function"
              onClick={() => void session.chooseFrame(0)}
            >
              ✕
            </button>
          </span>
        )}
        {isLooking && <span class="quiet appears">running there…</span>}
      </header>
      <TreeView label="Variables" tree={tree} branches={session.variables} isOld={isLooking} asking={asking} />
      {tree.roots.length === 0 && !isLooking && (
        <p class="empty">
          {where?.statement === undefined
            ? 'Before the first statement of a turn there are none.'
            : 'There are no variables here.'}
        </p>
      )}
    </section>
  );
}

/** Of variables: where their function has come to. */
function askingOf(session: Session): Asking {
  const place = (): AskedAt => {
    const { frame, frames } = session.state;
    return { position: frame === 0 ? undefined : frames[frame]?.position };
  };
  return {
    wrote: (expression) => void session.origins.ask(expression, place()),
    sent: (expression) => void session.origins.goToSending(expression, place()),
  };
}
